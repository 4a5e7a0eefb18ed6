/** Many requests at one time against one limit, while a signer is killed and Redis loses its memory. */
import type { PartyNumber } from '@countersign/core/parties.js';
import pg from 'pg';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { openTestRedis } from './restart-redis.ts';
import type { RestartableNodes } from './restartable-nodes.ts';
import { deliver, rawSignRequest, type SignedRequest } from './signed-request.ts';
import { expectOk, type TestUser, type TestVault } from './test-vault.ts';

export interface LimitedWallet {
  readonly bot: TestUser;
  readonly policyId: string;
  newRequest(): SignedRequest;
}

/** A wallet that may sign so many raw messages an hour. */
export async function openLimitedWallet(vault: TestVault, limit: number): Promise<LimitedWallet> {
  const bot = await vault.createMachine();
  const { path, policyId } = await vault.createWallet({ initiators: [bot.id] });
  const policy = `/v1/signing-policies/${policyId}`;
  const { version } = await expectOk<{ version: number }>(vault.admin, 'GET', policy);
  const velocity = { limit: `${limit}`, unit: 'count', window_s: 3_600, per: 'wallet' };
  const when = { operations: ['raw_sign'], initiators: { user_ids: [bot.id] }, velocity };
  const rules = [{ display_name: 'so many an hour', when, then: 'allow' }];
  await expectOk(vault.admin, 'PUT', policy, { display_name: 'limited', rules, version });
  let count = 0;
  return {
    bot,
    policyId,
    newRequest: () => rawSignRequest(bot.credential, path, Buffer.from(`message ${++count}`)),
  };
}

/** Second replicas of these parties, which keep no pin. */
export async function startSeconds(
  vault: TestVault,
  parties: readonly PartyNumber[],
): Promise<VaultProcess[]> {
  return Promise.all(parties.map((party) => startSigner(vault.options, party, 'b')));
}

/** How many of these requests have a signature in the database, whoever was told. */
export async function countSigned(
  vault: TestVault,
  requests: readonly SignedRequest[],
): Promise<number> {
  const client = new pg.Client({ connectionString: vault.servers.ownerUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(DISTINCT request_id)::int AS count FROM request_result
       WHERE outcome = 'signed' AND request_id = ANY ($1::uuid[])`,
      [requests.map(({ requestId }) => requestId)],
    );
    return rows[0]!.count;
  } finally {
    await client.end();
  }
}

/** All at once, and each once more when its answer says nothing; meanwhile a signer dies and Redis forgets. */
export async function signThroughBreaks(
  vault: TestVault,
  nodes: RestartableNodes,
  requests: readonly SignedRequest[],
): Promise<void> {
  const once = (request: SignedRequest) =>
    deliver(vault.baseUrl, request, { prefer: 'wait=10' }).catch(() => undefined);
  // beforehand: amid all of these a connection may not come about in its time
  const redis = openTestRedis(vault.servers.redis.url);
  await redis.ping();
  let answered = 0;
  let breaks: Promise<unknown> | undefined;
  const all = requests.map(async (request) => {
    const answer = await once(request);
    answered += 1;
    // among the answers, so that much is under way
    if (answered >= requests.length / 10)
      breaks ??= Promise.all([nodes.killAndStart(1), redis.flushall()]);
    if (answer === undefined || answer.status >= 500) await once(request);
  });
  try {
    await Promise.all(all);
    await breaks;
  } finally {
    redis.disconnect();
  }
}
