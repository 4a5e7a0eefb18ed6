/** What goes on, and what waits, while parties are away; and who of a party may sign while its primary replica is. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import {
  findReplica,
  openHostileGateway,
  openRedisAttacker,
  type HostileGateway,
  type RedisAttacker,
} from '../support/attacker.ts';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { rawSignRequest } from '../support/signed-request.ts';
import { shootMany, statusesOf } from '../support/signing-load.ts';
import { eventually, expectOk, openTestVault } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';
import { drill } from '../support/drills.ts';

jest.setTimeout(180_000);

let vault: TestVault;
let nodes: RestartableNodes;
let hostile: HostileGateway;
let attacker: RedisAttacker;
let bot: TestUser;
let wallet: TestWallet;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  hostile = await openHostileGateway(vault);
  attacker = openRedisAttacker(vault.servers.redis.url);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 120_000);

afterAll(async () => {
  await attacker?.close();
  await hostile?.close();
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

interface RequestView {
  readonly status: string;
  readonly phase?: string;
  readonly expires_at: string | null;
  readonly countersignatures?: readonly { readonly party: number; readonly at: string }[];
}

const recordOf = (requestId: string) =>
  expectOk<RequestView>(vault.admin, 'GET', `/v1/requests/${requestId}`);

/** A write whose caller waits for a second: the id that a 202 gives. */
async function accepted(target: string, body?: unknown): Promise<string> {
  const headers = { prefer: 'wait=1' };
  const answer = await vault.admin.send({ method: 'POST', target, headers, body });
  expect(answer.status).toBe(202);
  return (answer.body as { request_id: string }).request_id;
}

function completed(requestId: string): Promise<RequestView> {
  return eventually(async () => {
    const record = await recordOf(requestId);
    return record.status === 'completed' && record;
  });
}

const item = () => ({
  evidence: rawSignRequest(bot.credential, wallet.path, randomBytes(32)).evidence,
});

async function askPair(lead: Replica, partner: Replica): Promise<string | undefined> {
  const answer = await hostile.submit([item()], { lead, partner });
  return answer?.[0]?.outcome;
}

const primaryOf = (party: PartyNumber) => findReplica(attacker.redis, party, 'a');

describe('with one party left', () => {
  it('a freeze is obeyed at once, waits as 202, and is completed when another party is there', async () => {
    const [first, second] = [await primaryOf(1), await primaryOf(2)];
    const heldUp = [nodes.party(2), nodes.party(3)];
    for (const node of heldUp) node.kill('SIGSTOP');
    try {
      const requestId = await accepted(`/v1/keys/freeze?key_ids=${wallet.keyId}`);
      const body = { message: randomBytes(32).toString('base64') };
      const target = `${wallet.path}/raw-sign`;
      const answer = await bot.client.send({ method: 'POST', target, body });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('frozen');
      expect(await recordOf(requestId)).toMatchObject({ status: 'processing', expires_at: null });
      heldUp[0]!.kill('SIGCONT');
      expect(await askPair(first, second)).not.toBe('signed');
      expect(await askPair(second, first)).not.toBe('signed');
      const { countersignatures } = await completed(requestId);
      expect(countersignatures?.map(({ party }) => party).toSorted()).toEqual([1, 2]);
    } finally {
      for (const node of heldUp) node.kill('SIGCONT');
    }
    await expectOk(vault.admin, 'POST', `/v1/keys/unfreeze?key_ids=${wallet.keyId}`);
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 6))).toEqual([200]);
  });

  drill('a change waits as 202, undecided, and is completed by a second party', async () => {
    await nodes.stopParties(2, 3);
    const requestId = await accepted('/v1/vaults', { display_name: 'waits for a second party' });
    const waiting = await recordOf(requestId);
    expect(waiting).toMatchObject({ status: 'processing', phase: 'undecided' });
    expect(waiting.expires_at).toBeNull();
    expect(waiting).not.toHaveProperty('countersignatures');
    await nodes.startParty(2);
    const { countersignatures } = await completed(requestId);
    expect(countersignatures?.map(({ party }) => party).toSorted()).toEqual([1, 2]);
    await nodes.startAll();
  });
});

describe('a replica without a pin', () => {
  let b: VaultProcess;
  let replicaB: Replica;

  beforeAll(async () => {
    b = await startSigner(vault.options, 1, 'b');
    replicaB = await findReplica(attacker.redis, 1, 'b');
  }, 60_000);

  afterAll(() => b?.stop(), 60_000);

  const untilItSigns = () =>
    eventually(async () => (await askPair(replicaB, await primaryOf(3))) === 'signed');

  it('signs while its primary replica lives', async () => {
    await untilItSigns();
    expect(await askPair(await primaryOf(3), replicaB)).toBe('signed');
  });

  it.each([
    ['is held up', 'SIGSTOP'],
    ['is dead', 'SIGKILL'],
  ] as const)(
    'stops when its primary replica %s; the other parties go on',
    async (_what, signal) => {
      const third = await primaryOf(3);
      const primary = nodes.party(1);
      primary.kill(signal);
      try {
        await eventually(async () => (await askPair(replicaB, third)) !== 'signed');
        // and from then on for good
        for (const pair of [[replicaB, third] as const, [third, replicaB] as const]) {
          expect(await askPair(...pair)).not.toBe('signed');
        }
        const shots = await shootMany(vault.baseUrl, bot, wallet, 6);
        expect(statusesOf(shots)).toEqual([200]);
        for (const { text } of shots) {
          const { receipt } = JSON.parse(text) as { receipt: { parties: number[] } };
          expect(new Set(receipt.parties)).toEqual(new Set([2, 3]));
        }
      } finally {
        primary.kill('SIGCONT');
      }
      if (signal === 'SIGKILL') {
        await primary.exited;
        await nodes.startParty(1);
      }
      await untilItSigns();
    },
  );
});
