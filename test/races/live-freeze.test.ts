/**
 * Freezing a running vault whose parties have two replicas each, while its callers sign: what was answered, and what
 * lies in the database, against the moment at which the freeze was answered. One machine, so one clock.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import { query, startLoad, type Load, type Shot } from '../support/signing-load.ts';
import { expectOk, openTestVault, PATIENT } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';
import { SCOPES, type Scope } from './desk-ledger.ts';

/** `LIVE_FREEZES=40` for a long run. */
const ROUNDS = Number(process.env['LIVE_FREEZES'] ?? 12);
/** A party with replicas waits twenty seconds for each: they cannot tell it that nothing is under way. */
const ROUNDS_WITHOUT_REDIS = Math.ceil(ROUNDS / 12);
const SIGNED_BETWEEN = 8;

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
let keyId: string;
let walletLoad: Load;
let keyLoad: Load;
const replicas: Awaited<ReturnType<typeof startSigner>>[] = [];

beforeAll(async () => {
  vault = await openTestVault();
  for (const party of [1, 2, 3] as const) {
    replicas.push(await startSigner(vault.options, party, 'b'));
  }
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  keyId = await createVenueKey();
  const options = { callers: 4, waitS: 10, isSteady: true };
  walletLoad = startLoad(() => vault.baseUrl, bot, wallet, options);
  keyLoad = startLoad(() => vault.baseUrl, bot, { ...wallet, path: `/v1/keys/${keyId}` }, options);
}, 120_000);

afterAll(async () => {
  process.kill(vault.servers.redis.pid, 'SIGCONT');
  await Promise.all([walletLoad?.stop(), keyLoad?.stop()]);
  for (const replica of replicas) await replica.stop();
  await vault?.close();
}, 120_000);

async function createVenueKey(): Promise<string> {
  const key = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/keys', {
    type: 'ed25519',
    display_name: 'Key of a venue',
    venue_id: 'binance',
  });
  const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
    display_name: 'Keys of the venue',
    members: [{ member_id: key.id, member_type: 'key' }],
  });
  const when = { operations: ['raw_sign'], initiators: { user_ids: [bot.id] } };
  await expectOk(vault.admin, 'POST', '/v1/signing-policies', {
    display_name: 'The bot signs with keys of the venue',
    security_group_id: group.id,
    rules: [{ display_name: 'allow', when, then: 'allow' }],
  });
  return key.id;
}

/** Where a scope is frozen and unfrozen, and whose signatures it stops. */
function scopeOf(scope: Scope): { path: string; query: string; loads: readonly Load[] } {
  switch (scope) {
    case 'key':
      return { path: '/v1/keys', query: `?key_ids=${keyId}`, loads: [keyLoad] };
    case 'venue':
      return { path: '/v1/keys', query: '?venue_id=binance', loads: [keyLoad] };
    case 'user':
      return { path: '/v1/users', query: `?user_ids=${bot.id}`, loads: [keyLoad, walletLoad] };
    case 'vault':
      return { path: '/v1/vaults', query: `?vault_ids=${wallet.vaultId}`, loads: [walletLoad] };
    case 'wallet':
      return {
        path: `/v1/vaults/${wallet.vaultId}/wallets`,
        query: `?addresses=${wallet.address}`,
        loads: [walletLoad],
      };
    case 'system':
      return { path: '/v1/system', query: '', loads: [keyLoad, walletLoad] };
  }
}

/** From the answer to a freeze until its end was asked for, ms. */
interface Frozen {
  readonly scope: Scope;
  readonly loads: readonly Load[];
  readonly from: number;
  readonly to: number;
}

async function freezeOnce(scope: Scope, whileFrozen: () => Promise<void>): Promise<Frozen> {
  const { path, query: what, loads } = scopeOf(scope);
  const answer = await send(`${path}/freeze${what}`);
  const from = Date.now();
  expect([scope, answer.status]).toEqual([scope, 200]);
  await whileFrozen();
  const to = Date.now();
  expect((await send(`${path}/unfreeze${what}`)).status).toBe(200);
  return { scope, loads, from, to };
}

function send(target: string) {
  return vault.admin.send({ method: 'POST', target, headers: PATIENT });
}

/** Callers were refused since: they asked after the freeze was answered. */
async function untilRefused(loads: readonly Load[]): Promise<void> {
  const since = Date.now();
  for (const load of loads) {
    await untilShot(load, ({ startedAt, status }) => startedAt > since && status !== 200);
  }
}

async function untilShot(load: Load, isIt: (shot: Shot) => boolean): Promise<void> {
  let seen = load.shots.length;
  for (;;) {
    if (load.shots.slice(seen).some(isIt)) return;
    seen = load.shots.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What was signed although it was frozen. */
async function signedWhileFrozen(freezes: readonly Frozen[]): Promise<string[]> {
  const rows = await query<{ request_id: string; completed_at: Date }>(
    vault.servers.ownerUrl,
    "SELECT request_id, completed_at FROM request_result WHERE outcome = 'signed'",
  );
  const completed = new Map(rows.map((row) => [row.request_id, row.completed_at.getTime()]));
  return freezes.flatMap(({ scope, loads, from, to }) =>
    loads
      .flatMap(({ shots }) => shots)
      .flatMap(({ startedAt, endedAt, status, signed }) => {
        const isAnswered = status === 200 && startedAt > from && endedAt < to;
        const at = completed.get(signed.requestId) ?? 0;
        const isRecorded = at > from && at < to;
        return isAnswered || isRecorded
          ? [`${scope}: ${signed.requestId}, ${at - from} ms late`]
          : [];
      }),
  );
}

it(`${ROUNDS} freezes of every scope, in the middle of signing, are final`, async () => {
  const freezes: Frozen[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all([walletLoad, keyLoad].map((load) => load.untilSigned(SIGNED_BETWEEN)));
    const scope = SCOPES[round % SCOPES.length]!;
    freezes.push(await freezeOnce(scope, () => untilRefused(scopeOf(scope).loads)));
  }
  expect(await signedWhileFrozen(freezes)).toEqual([]);
}, 600_000);

it(`${ROUNDS_WITHOUT_REDIS} freezes while Redis hangs are answered and final`, async () => {
  const freezes: Frozen[] = [];
  for (let round = 0; round < ROUNDS_WITHOUT_REDIS; round += 1) {
    await Promise.all([walletLoad, keyLoad].map((load) => load.untilSigned(SIGNED_BETWEEN)));
    const scope = SCOPES[round % SCOPES.length]!;
    process.kill(vault.servers.redis.pid, 'SIGSTOP');
    freezes.push(
      await freezeOnce(scope, async () => {
        process.kill(vault.servers.redis.pid, 'SIGCONT');
        await untilRefused(scopeOf(scope).loads);
      }),
    );
  }
  expect(await signedWhileFrozen(freezes)).toEqual([]);
}, 600_000);
