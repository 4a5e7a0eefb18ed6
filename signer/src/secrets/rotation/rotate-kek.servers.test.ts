/** What a rotation does to the shares in a real database, and which rotations it refuses. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { openPartyAtRest, type PartyAtRest } from '../../../../test/support/party-at-rest.js';
import { requireNoRotation } from '../../party/party-keys.js';
import type { PartyPlace } from '../backup/restore-party.js';
import { rotateKek, type KekRotation } from './rotate-kek.js';

let party: PartyAtRest;
let host: PartyPlace;

beforeAll(async () => {
  party = await openPartyAtRest();
}, 60_000);
afterAll(() => party?.close(), 60_000);
beforeEach(async () => {
  host = await party.newHost();
});

const rotationOf = ({ keys }: PartyPlace, change: Partial<KekRotation> = {}): KekRotation => ({
  ...{ party: 1, files: keys, kekFile: keys.kek, provider: undefined, pool: party.pool },
  ...change,
});

const filesOf = ({ keys }: PartyPlace) => readdirSync(dirname(keys.identity)).toSorted();

/** The party's pool, with something around each statement of a transaction. */
function poolWith(around: (text: string, ask: () => Promise<unknown>) => unknown): pg.Pool {
  const connect = async () => {
    const client = await party.pool.connect();
    return {
      release: () => client.release(),
      query: async (text: string, values?: unknown[]) =>
        around(text, () => client.query(text, values)),
    };
  };
  return { connect } as unknown as pg.Pool;
}

/** The connection breaks when PostgreSQL has committed, before it says so. */
const cutAtCommit = () =>
  poolWith(async (text, ask) => {
    const done = await ask();
    if (text === 'COMMIT') throw new Error('Connection terminated unexpectedly');
    return done;
  });

/** As a replica that starts does. */
async function announce(): Promise<void> {
  const client = await party.pool.connect();
  try {
    await client.query(`SET lock_timeout = '100ms'`);
    await client.query(
      `INSERT INTO party_1.key_lease VALUES ('replica a', gen_random_uuid(), clock_timestamp())`,
    );
  } finally {
    await client.query('RESET lock_timeout');
    client.release();
  }
}

describe('a rotation of the KEK', () => {
  it('brings every share under the new one', async () => {
    const { key_id: keyId } = await party.addShare();
    const files = filesOf(host);
    const told = await rotateKek(rotationOf(host));
    expect(told).toMatchObject({ rewrapped: 1, unreadable: [], unreadableShares: 0 });
    expect(await party.readable(host.keys.kek)).toEqual([keyId]);
    expect(filesOf(host)).toEqual(files);
  });

  it('is refused on a host that missed an earlier one, and changes nothing there', async () => {
    for (let share = 0; share < 2; share++) await party.addShare();
    const second = party.emptyHost();
    cpSync(dirname(host.keys.kek), dirname(second.keys.kek), { recursive: true });
    await rotateKek(rotationOf(host));
    const before = await party.rows();
    const files = filesOf(second);
    const kek = readFileSync(second.keys.kek);
    await expect(rotateKek(rotationOf(second))).rejects.toThrow(
      /nothing was changed: the database has shares of party 1 under another KEK \(2 under file:/,
    );
    expect(await party.rows()).toEqual(before);
    expect(filesOf(second)).toEqual(files);
    expect(readFileSync(second.keys.kek)).toEqual(kek);
  });

  it('is refused where some shares alone are under another KEK', async () => {
    const row = await party.addShare();
    await rotateKek(rotationOf(host));
    // a replica that ran with the old KEK made another
    await party.addShare();
    await expect(rotateKek(rotationOf(host))).rejects.toThrow(
      `under another KEK (1 under ${row.kek_id})`,
    );
  });

  it('names a damaged share each time, and brings the others along', async () => {
    const [good, damaged] = [await party.addShare(), await party.addShare()];
    await party.damage(damaged, 'wrapped_dek');
    const unreadable = [`key_share ${damaged.key_id} ${damaged.session}`];
    for (let time = 0; time < 2; time++) {
      const told = await rotateKek(rotationOf(host));
      expect(told).toMatchObject({ rewrapped: 1, unreadable, unreadableShares: 1 });
      expect(await party.readable(host.keys.kek)).toEqual([good.key_id]);
    }
  });

  it('is not kept from going on by a wrong name of the KEK beside a good share', async () => {
    const { key_id: keyId } = await party.addShare();
    await party.owner.query(`UPDATE party_1.key_share SET kek_id = 'file:another'`);
    const { kekId } = await rotateKek(rotationOf(host));
    expect(await party.rows()).toMatchObject([{ key_id: keyId, kek_id: kekId }]);
  });

  it('keeps every process of the party from starting until it has ended', async () => {
    let said: unknown;
    const pool = poolWith(async (text, ask) => {
      if (text === 'COMMIT') said = await announce().catch(String);
      return ask();
    });
    await rotateKek(rotationOf(host, { pool }));
    expect(said).toContain('lock timeout');
  });

  it('goes on after the answer to its commit was lost', async () => {
    const { key_id: keyId } = await party.addShare();
    const cut = rotateKek(rotationOf(host, { pool: cutAtCommit() }));
    await expect(cut).rejects.toThrow('terminated');
    expect(() => requireNoRotation(host.keys)).toThrow('a rotation of the KEK was begun');
    await rotateKek(rotationOf(host));
    expect(await party.readable(host.keys.kek)).toEqual([keyId]);
  });
});

describe('a rotation to a KEK that the operator brings along', () => {
  const given = () => join(dirname(dirname(host.keys.kek)), 'new.key');
  const bring = () => writeFileSync(given(), randomBytes(32), { mode: 0o600 });

  it('seals under it, and leaves it as it is', async () => {
    const { key_id: keyId } = await party.addShare();
    bring();
    const kek = readFileSync(given());
    await rotateKek(rotationOf(host, { kekFile: given() }));
    expect(readFileSync(given())).toEqual(kek);
    expect(await party.readable(given())).toEqual([keyId]);
  });

  it('goes on after the memory in which both KEKs lay is gone', async () => {
    const { key_id: keyId } = await party.addShare();
    bring();
    // what the operator sealed before
    const kept = [host.keys.kek, given()].map((path) => [path, readFileSync(path)] as const);
    const cut = rotateKek(rotationOf(host, { kekFile: given(), pool: cutAtCommit() }));
    await expect(cut).rejects.toThrow('terminated');
    for (const [path] of kept) rmSync(path);
    for (const [path, kek] of kept) writeFileSync(path, kek, { mode: 0o600 });
    await rotateKek(rotationOf(host, { kekFile: given() }));
    expect(await party.readable(given())).toEqual([keyId]);
    expect(() => requireNoRotation(host.keys)).not.toThrow();
  });

  it('that had ended already changes nothing more', async () => {
    const { key_id: keyId } = await party.addShare();
    bring();
    await rotateKek(rotationOf(host, { kekFile: given() }));
    const again = await rotateKek(rotationOf(host, { kekFile: given() }));
    expect(again).toMatchObject({ rewrapped: 0, unreadable: [] });
    expect(await party.readable(given())).toEqual([keyId]);
    expect(() => requireNoRotation(host.keys)).not.toThrow();
  });

  it('is refused where the old one does not open both keys, and changes nothing', async () => {
    bring();
    writeFileSync(host.keys.exchange, readFileSync(host.keys.identity));
    const files = filesOf(host);
    await expect(rotateKek(rotationOf(host, { kekFile: given() }))).rejects.toThrow();
    expect(filesOf(host)).toEqual(files);
  });

  it('is refused with the KEK that the party has, and with none at all', async () => {
    cpSync(host.keys.kek, given());
    const files = filesOf(host);
    await expect(rotateKek(rotationOf(host, { kekFile: given() }))).rejects.toThrow(
      'holds the KEK that the party has',
    );
    writeFileSync(given(), 'not a KEK');
    await expect(rotateKek(rotationOf(host, { kekFile: given() }))).rejects.toThrow('32 raw bytes');
    expect(filesOf(host)).toEqual(files);
  });
});

describe('the program', () => {
  async function run(): Promise<{ code: number; errors: string }> {
    const program = join(import.meta.dirname, '../../../bundle/secrets/rotation/rotate.js');
    const env = { PARTY: '1', DATABASE_URL: party.url, KEY_DIR: dirname(host.keys.kek) };
    const child = spawn(process.execPath, [program, 'kek'], { env });
    let errors = '';
    child.stderr.on('data', (text) => (errors += String(text)));
    const [code] = (await once(child, 'close')) as [number];
    return { code, errors };
  }

  it('ends with 1 when the rotation is done and a share is lost', async () => {
    await party.addShare();
    expect(await run()).toEqual({ code: 0, errors: '' });
    await party.damage((await party.rows())[0]!, 'wrapped_dek');
    const { code, errors } = await run();
    expect(code).toBe(1);
    expect(errors).toContain('the KEK is rotated, but some shares of party 1 were damaged before');
  });
});
