/**
 * When a key ceremony is given up: party 2 spoils run after run, and the two others make an end of it, or
 * go on, as the kind of key asks for. Whoever asked for the key is told.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { call, expectRefusal } from '../support/api.ts';
import { importRecipients, importRequest } from '../support/desk-import.ts';
import type { KeyView } from '../support/standalone-keys.ts';
import { openLyingCeremonyParty } from '../support/lying-ceremony-party.ts';
import type { CeremonyWord, LyingCeremonyParty } from '../support/lying-ceremony-party.ts';
import { eventually, expectOk, openTestVault, type TestVault } from '../support/test-vault.ts';

/** The pauses between runs double: a sixth one begins after 16 s where nothing else is to be done. */
const PATIENCE_MS = 120_000;

let vault: TestVault;
let owner: pg.Pool;
let liar: LyingCeremonyParty;

beforeAll(async () => {
  vault = await openTestVault();
  owner = new pg.Pool({ connectionString: vault.servers.ownerUrl, max: 2 });
  await importRecipients(vault);
  await vault.stack.signers[1]!.stop();
  liar = await openLyingCeremonyParty(vault);
}, 90_000);
afterAll(async () => {
  await liar?.close();
  await owner?.end();
  await vault?.close();
}, 60_000);

const honest = ({ tag, payload }: CeremonyWord) => ({ tag, payload });

beforeEach(() => {
  liar.lie = honest;
});

/** Party 1 is told something else in the first `runs` messages of a tag. */
function lieIn(tag: string, change: (payload: Uint8Array) => Uint8Array, runs = Infinity): void {
  let left = runs;
  liar.lie = (word) => {
    if (word.to !== 1 || word.tag !== tag || left === 0) return honest(word);
    left -= 1;
    return { tag, payload: change(word.payload) };
  };
}

const cutShort = (payload: Uint8Array) => payload.subarray(0, 3);

function flipLastBit(payload: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(payload);
  changed[changed.length - 1]! ^= 1;
  return changed;
}

interface Ended {
  readonly keyId: string;
  readonly status: string;
  readonly result?: KeyView;
  readonly error?: { readonly err_type: string; readonly err_msg: string };
}

let counter = 0;

/** Asks for a key and waits for the end of its request, whatever it is. */
async function askFor(target: string, body: object): Promise<Ended> {
  const displayName = `spoiled ${++counter}`;
  const asked = { ...body, display_name: displayName };
  const accepted = await call(vault.admin, 'POST', target, asked, { prefer: 'respond-async' });
  expect(accepted.status).toBe(202);
  const { request_id: id } = accepted.body as { request_id: string };
  const record = await eventually(async () => {
    const now = await expectOk<Ended>(vault.admin, 'GET', `/v1/requests/${id}`);
    return now.status === 'processing' ? undefined : now;
  }, PATIENCE_MS);
  const { id: keyId } = await eventually(() => liar.findKey(displayName));
  return { ...record, keyId };
}

/** Of a key that makes trial signatures: an HMAC secret makes none. */
function importBody(): Promise<object> {
  return importRequest(vault, { type: 'ed25519', seed: randomBytes(32), encoding: 'seed' });
}

/** All three parties have attested it and hold a share. */
async function expectComplete(ended: Ended): Promise<void> {
  expect(ended.status).toBe('completed');
  expect(ended.result!.attestations.map(({ party }) => party)).toEqual([1, 2, 3]);
  const shares = await Promise.all([1, 2, 3].map((party) => sharesOf(party, ended.keyId)));
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(1);
}

/** The key is no more, for anybody, and nobody holds a share of it. */
async function expectGivenUp(ended: Ended, reason: string): Promise<void> {
  expect(ended.status).toBe('failed');
  expect(ended.error).toEqual({ err_type: 'invalid_inputs', err_msg: reason });
  expect(ended.result).toBeUndefined();
  await expectRefusal('resource_not_found', vault.admin, 'GET', `/v1/keys/${ended.keyId}`);
  await eventually(async () => {
    const counts = [1, 2, 3].map((party) => sharesOf(party, ended.keyId));
    return (await Promise.all(counts)).every((count) => count === 0);
  }, PATIENCE_MS);
}

async function sharesOf(party: number, keyId: string): Promise<number> {
  const { rows } = await owner.query<{ count: string }>(
    `SELECT count(*) FROM party_${party}.key_share WHERE key_id = $1`,
    [keyId],
  );
  return Number(rows[0]!.count);
}

describe('an RSA generation that a party spoils', () => {
  it('is given up after five runs, its request fails, and no further run is called', async () => {
    lieIn('setup hello', cutShort);
    const ended = await askFor('/v1/keys', { type: 'rsa' });
    await expectGivenUp(ended, 'party 1: the parties could not make the key together');
    expect(liar.runsOf(ended.keyId)).toBe(5);
    // the three go on with the next key, and not with this one
    liar.lie = honest;
    expect((await askFor('/v1/keys', { type: 'ed25519' })).status).toBe('completed');
    expect(liar.runsOf(ended.keyId)).toBe(5);
  }, 150_000);
});

describe('an Ed25519 generation that a party spoils', () => {
  it('is never given up, and complete as soon as nobody spoils it', async () => {
    lieIn('round1', flipLastBit, 5);
    const ended = await askFor('/v1/keys', { type: 'ed25519' });
    await expectComplete(ended);
    expect(liar.runsOf(ended.keyId)).toBeGreaterThanOrEqual(6);
  }, 150_000);
});

describe('an import whose trial signature a party spoils', () => {
  it('once is complete after the next run', async () => {
    lieIn('trial-contribution', flipLastBit, 1);
    const ended = await askFor('/v1/keys/import', await importBody());
    await expectComplete(ended);
    expect(liar.runsOf(ended.keyId)).toBeGreaterThanOrEqual(2);
  }, 150_000);

  it('twice is given up, and its request fails', async () => {
    lieIn('trial-contribution', flipLastBit);
    const ended = await askFor('/v1/keys/import', await importBody());
    const reason = 'party 1: its part and that of party 2 do not sign together';
    await expectGivenUp(ended, reason);
    expect(liar.runsOf(ended.keyId)).toBe(2);
  }, 150_000);
});
