/**
 * A party is killed at a step of a key ceremony, counted in the messages that parties send each other
 * through Redis. Whatever the step: the key is complete in the end, or failed, never stuck, and an active
 * key has three good shares.
 */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { call } from '../support/api.ts';
import { importRequest } from '../support/desk-import.ts';
import { allowKeys, RSA_PATIENCE_MS, type KeyView } from '../support/standalone-keys.ts';
import { eventually, expectOk, openTestVault, type TestVault } from '../support/test-vault.ts';

/** How long a run waits for a message, and some time to make the key afterwards. */
const PATIENCE_MS = 120_000;
/** For what comes after the key: the party's return, and twelve signatures. */
const REST_MS = 120_000;

let vault: TestVault;
let owner: pg.Pool;
let listener: Redis;
const parties = new Map<PartyNumber, VaultProcess>();
let onMessage = (): void => undefined;

beforeAll(async () => {
  vault = await openTestVault();
  owner = new pg.Pool({ connectionString: vault.servers.ownerUrl, max: 2 });
  for (const party of [1, 2, 3] as const) parties.set(party, vault.stack.signers[party - 1]!);
  listener = new Redis(vault.servers.redis.url);
  await listener.psubscribe('countersign:party:*');
  listener.on('pmessage', () => onMessage());
}, 60_000);
afterAll(async () => {
  listener?.disconnect();
  for (const process of parties.values()) await process.stop();
  await owner?.end();
  await vault?.close();
}, 60_000);

/**
 * Will kill the party after `step` messages between parties, and start it again. What it returns ends the
 * watch, for a run of fewer messages than that, and resolves when a party that was killed is back.
 */
function killAt(party: PartyNumber, step: number): () => Promise<void> {
  let seen = 0;
  let returned: Promise<void> | undefined;
  onMessage = () => {
    seen += 1;
    if (seen !== step) return;
    returned = killAndRestart(party);
    returned.catch(() => undefined); // told to who waits for its return
  };
  return async () => {
    onMessage = () => undefined;
    await returned;
  };
}

async function killAndRestart(party: PartyNumber): Promise<void> {
  const process = parties.get(party)!;
  process.kill('SIGKILL');
  await process.exited;
  parties.set(party, await startSigner(vault.options, party));
}

interface Ended {
  readonly status: string;
  readonly result?: KeyView;
}

async function askFor(target: string, body: object, patienceMs = PATIENCE_MS): Promise<Ended> {
  const accepted = await call(vault.admin, 'POST', target, body, { prefer: 'respond-async' });
  if (accepted.status === 200) return { status: 'completed', result: accepted.body as KeyView };
  const { request_id: id } = accepted.body as { request_id: string };
  return eventually(async () => {
    const record = await expectOk<Ended>(vault.admin, 'GET', `/v1/requests/${id}`);
    return record.status === 'processing' ? undefined : record;
  }, patienceMs);
}

/** Every pair of parties signs with it: each in turn is left out. */
async function expectThreeGoodShares(key: KeyView): Promise<void> {
  for (const party of [1, 2, 3]) {
    const { rows } = await owner.query<{ session: string }>(
      `SELECT session FROM party_${party}.key_share WHERE key_id = $1`,
      [key.id],
    );
    expect(rows.length).toBeGreaterThanOrEqual(1);
  }
  expect(key.attestations.map(({ party }) => party)).toEqual([1, 2, 3]);
  await allowKeys(vault, [key.id], { operations: ['raw_sign'] });
  // the gateway changes pairs by itself: twelve requests meet all of them
  for (let count = 0; count < 12; count++) {
    await expectOk(vault.admin, 'POST', `/v1/keys/${key.id}/raw-sign`, {
      message: `trial ${count}`,
      message_encoding: 'utf8',
    });
  }
}

async function expectEnd(ended: Ended): Promise<void> {
  expect(['completed', 'failed']).toContain(ended.status);
  if (ended.status === 'completed') await expectThreeGoodShares(ended.result!);
}

let counter = 0;
const named = (body: object) => ({ display_name: `killed ${++counter}`, ...body });

/** The messages that a run has; of an RSA generation some. */
const FROST_STEPS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const RSA_STEPS = [1, 2, 4, 8, 16, 40, 64, 150, 300, 600, 900, 1_200];
const IMPORT_STEPS = [1, 2, 3, 4, 5, 6, 7, 8];

/** At each step each party. */
function killsAt(steps: readonly number[]): readonly [PartyNumber, number][] {
  return steps.flatMap((step) =>
    PARTY_NUMBERS.map((party): [PartyNumber, number] => [party, step]),
  );
}

describe('a party killed during a ceremony', () => {
  it.each(killsAt(FROST_STEPS))(
    'party %i at message %i of an Ed25519 generation',
    async (party, step) => {
      const untilBack = killAt(party, step);
      const ended = await askFor('/v1/keys', named({ type: 'ed25519' }));
      onMessage(); // one step more than the run has: when the key is complete
      await untilBack();
      await expectEnd(ended);
    },
    PATIENCE_MS + REST_MS,
  );

  it.each(killsAt(IMPORT_STEPS))(
    'party %i at message %i of an import',
    async (party, step) => {
      // with trial signatures, which an HMAC secret does not make
      const secret = { type: 'ed25519', seed: randomBytes(32), encoding: 'seed' } as const;
      const body = await importRequest(vault, secret);
      const untilBack = killAt(party, step);
      const ended = await askFor('/v1/keys/import', body);
      await untilBack();
      await expectEnd(ended);
    },
    PATIENCE_MS + REST_MS,
  );

  // a search of a minute, so at each step one party: what a run leaves behind, and who calls the next one, is the same for
  // every kind of key
  for (const [index, step] of RSA_STEPS.entries()) {
    const party = PARTY_NUMBERS[index % PARTY_NUMBERS.length]!;
    it(
      `party ${party} at message ${step} of an RSA generation`,
      async () => {
        const untilBack = killAt(party, step);
        const ended = await askFor('/v1/keys', named({ type: 'rsa' }), RSA_PATIENCE_MS);
        await untilBack();
        await expectEnd(ended);
      },
      RSA_PATIENCE_MS + REST_MS,
    );
  }
});
