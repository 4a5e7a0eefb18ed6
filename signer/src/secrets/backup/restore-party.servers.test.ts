/** Backups of a party whose shares in a real database are damaged or under another KEK, and what a restore makes of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { VaultState } from '@countersign/vault/state/state.js';
import {
  openPartyAtRest,
  type PartyAtRest,
  type ShareRow,
} from '../../../../test/support/party-at-rest.js';
import { waiting } from '../../party/party-keys.js';
import { openKek } from '../kek/open-kek.js';
import { rotateKek } from '../rotation/rotate-kek.js';
import { backUpParty, type MadeBackup } from './back-up-party.js';
import { restoreShares } from './backed-up-shares.js';
import type { BackedUpShare } from './party-backup.js';
import { makeRecoveryKey, type RecoveryBox } from './recovery-box.js';
import { restoreParty, type PartyPlace, type Restored } from './restore-party.js';

let party: PartyAtRest;
let host: PartyPlace;
let recovery: Awaited<ReturnType<typeof makeRecoveryKey>>;

beforeAll(async () => {
  party = await openPartyAtRest();
  recovery = await makeRecoveryKey();
}, 60_000);
afterAll(() => party?.close(), 60_000);
beforeEach(async () => {
  host = await party.newHost();
});

const backUp = (place = host): Promise<MadeBackup> =>
  backUpParty(place, [recovery.public], 1, Date.now());

const restore = (box: RecoveryBox, to = party.emptyHost()): Promise<Restored> =>
  restoreParty(to, { box, secrets: [recovery.secret], pins: [] });

const rotate = ({ keys }: PartyPlace) =>
  rotateKek({
    ...{ party: 1, files: keys, kekFile: keys.kek, provider: undefined, pool: party.pool },
  });

const nameOf = ({ key_id: keyId, session }: ShareRow) => `key_share ${keyId} ${session}`;

describe('a backup', () => {
  it('names the shares that do not open, and lacks them', async () => {
    const [good, damaged, other] = [
      await party.addShare(),
      await party.addShare(),
      await party.addShare(),
    ];
    await party.damage(damaged, 'sealed');
    await party.damage(other, 'wrapped_dek');
    const { shares, unreadable } = await backUp();
    expect(shares).toBe(1);
    expect(unreadable.toSorted()).toEqual([damaged, other].map(nameOf).toSorted());
    expect(await party.readable(host.keys.kek)).toEqual([good.key_id]);
  });

  it('is refused in a rotation that was cut off', async () => {
    copyFileSync(host.keys.identity, waiting(host.keys.identity));
    await expect(backUp()).rejects.toThrow('a rotation of the KEK was begun');
  });

  it('of a host that missed a rotation names every share', async () => {
    const row = await party.addShare();
    const second = party.emptyHost();
    await restore((await backUp()).box, second);
    await rotate(second);
    expect(await backUp()).toMatchObject({ shares: 0, unreadable: [nameOf(row)] });
  });
});

describe('the program', () => {
  it('writes a backup that lacks shares, and ends with 1', async () => {
    const file = join(dirname(host.pinFile), 'party-1.backup');
    const run = async () => {
      rmSync(file, { force: true });
      const program = join(import.meta.dirname, '../../../bundle/secrets/backup/backup.js');
      const args = ['make', file, '--recipient', recovery.public, '--threshold', '1'];
      const env = {
        ...{ PARTY: '1', DATABASE_URL: party.url, KEY_DIR: dirname(host.keys.kek) },
        ...{ EVIDENCE_KEY_FILE: host.evidenceKeyFile, PIN_FILE: host.pinFile },
        GENESIS_HASH: host.genesisHash,
      };
      const child = spawn(process.execPath, [program, ...args], { env });
      const said = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].on('data', (text) => (said[name] += String(text)));
      }
      const [code] = (await once(child, 'close')) as [number];
      return { code, ...said };
    };
    const row = await party.addShare();
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    await party.damage(row, 'sealed');
    const { code, stdout, stderr } = await run();
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ shares: 0, unreadable: [nameOf(row)] });
    expect(stderr).toContain('the backup is written, but it lacks shares of party 1');
    expect(existsSync(file)).toBe(true);
  });
});

describe('a restore', () => {
  it('takes the backup of after a rotation that met a damaged share', async () => {
    const [good, damaged] = [await party.addShare(), await party.addShare()];
    await party.damage(damaged, 'wrapped_dek');
    await rotate(host);
    const { box } = await backUp();
    const to = party.emptyHost();
    await restore(box, to);
    expect(await party.readable(to.keys.kek)).toEqual([good.key_id]);
  });

  it('takes the backup of before a rotation whose new KEK is lost', async () => {
    await party.addShare();
    const { box } = await backUp();
    await rotate(host);
    const to = party.emptyHost();
    await restore(box, to);
    expect(readFileSync(to.keys.identity)).not.toEqual(readFileSync(host.keys.identity));
  });
});

describe('the shares of a restore', () => {
  const backedUp = (row: ShareRow): BackedUpShare => ({
    ...row,
    wrapped_dek: row.wrapped_dek.toString('base64'),
    sealed: row.sealed.toString('base64'),
    created_at: row.created_at.getTime(),
  });

  /** `needed`: keys in force, each with the session that the ledger names. */
  async function restoreInto(needed: readonly ShareRow[], shares: readonly ShareRow[]) {
    const keys = needed.map(({ key_id: id, session }) => ({ id, session, status: 'active' }));
    const rows = { valueSeq: () => ({ filter: () => ({ toArray: () => keys }) }) };
    return restoreShares(
      party.pool,
      { party: 1, kek: await openKek(host.keys.kek, 1) },
      { keys: { rows } } as unknown as VaultState,
      shares.map(backedUp),
    );
  }

  it.each(['wrapped_dek', 'sealed'] as const)(
    'takes the place of a row whose %s is damaged',
    async (column) => {
      const row = await party.addShare();
      await party.damage(row, column);
      expect(await restoreInto([row], [row])).toEqual({ restored: 1, missing: [] });
      expect(await party.rows()).toEqual([row]);
    },
  );

  it('takes the place of a row under another KEK', async () => {
    const row = await party.addShare();
    const old = readFileSync(host.keys.kek);
    await rotate(host);
    writeFileSync(host.keys.kek, old);
    expect(await restoreInto([row], [row])).toEqual({ restored: 1, missing: [] });
    expect(await party.rows()).toEqual([row]);
  });

  it('names a key of which neither has a share that opens, and leaves its row', async () => {
    const [row, lost] = [await party.addShare(), await party.addShare()];
    await party.damage(row, 'sealed');
    await party.owner.query('DELETE FROM party_1.key_share WHERE key_id = $1', [lost.key_id]);
    const [damaged] = await party.rows();
    const told = await restoreInto([row, lost], [damaged!]);
    expect(told).toEqual({ restored: 0, missing: [row.key_id, lost.key_id] });
    expect(await party.rows()).toEqual([damaged]);
  });

  it('never takes the place of a row that opens', async () => {
    const row = await party.addShare();
    const other = { ...row, created_at: new Date(0) };
    expect(await restoreInto([row], [other])).toEqual({ restored: 0, missing: [] });
    expect(await party.rows()).toEqual([row]);
  });

  it('of an older session stay away, though the row of the newer one is damaged', async () => {
    const row = await party.addShare();
    await party.damage(row, 'sealed');
    const before = await party.rows();
    const told = await restoreInto([row], [{ ...row, session: 'an older one' }]);
    expect(told).toEqual({ restored: 0, missing: [row.key_id] });
    expect(await party.rows()).toEqual(before);
  });

  it('of a key that is gone stay away', async () => {
    const row = await party.addShare();
    await party.owner.query('DELETE FROM party_1.key_share');
    expect(await restoreInto([], [row])).toEqual({ restored: 0, missing: [] });
    expect(await party.rows()).toEqual([]);
  });
});
