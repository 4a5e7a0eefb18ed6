import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { judgeClock } from './check-clock.js';
import { migrationFinding } from './check-database.js';
import { checkLibraryVariables, checkVariables } from './check-variables.js';
import { parseEnvironment } from './environment-file.js';
import { findAccount, mayOpen } from './file-access.js';
import { tryCheck } from './finding.js';
import { lettersApart, nearestWord } from './near-words.js';

const PRICES = {
  REDIS_URL: 'redis://r',
  PRICE_KEY_FILE: '/k',
  PRICE_SOURCES_FILE: '/s',
};

describe('a near word', () => {
  it('is a letter more, less, other or swapped', () => {
    for (const word of ['PIN_FILES', 'PI_FILE', 'PIM_FILE', 'PNI_FILE']) {
      expect(lettersApart(word, 'PIN_FILE')).toBe(1);
    }
    expect(nearestWord('REPLCIA', ['PARTY', 'REPLICA'])).toBe('REPLICA');
  });

  it('is none in which little is the same', () => {
    expect(nearestWord('HOME', ['HOST', 'PORT'])).toBeUndefined();
    expect(nearestWord('KEY_DIR', ['PIN_FILE', 'REPLICA'])).toBeUndefined();
  });
});

describe('an environment file', () => {
  it('is read as systemd reads it', () => {
    const text = ['# a', '', '; b', 'A=1', ' B = 2', 'C="x y"', "D='z'", 'E=a=b # c'].join('\n');
    const { values, findings } = parseEnvironment(text, 'f');
    expect(values).toEqual({ A: '1', C: 'x y', D: 'z', E: 'a=b # c' });
    expect(findings).toMatchObject([{ about: 'f, line 5', verdict: 'fault' }]);
  });

  it('is told by the numbers of its lines, never by what is in them', () => {
    const { findings } = parseEnvironment('export A=secret\nB=1\nB=secret', 'f');
    expect(findings.map(({ about, verdict }) => [about, verdict])).toEqual([
      ['f, line 1', 'fault'],
      ['f, line 3', 'warning'],
    ]);
    expect(JSON.stringify(findings)).not.toContain('secret');
  });
});

describe('variables', () => {
  it('are right with those of others beside them', () => {
    const others = { HOME: '/', PATH: '/bin', TZ: 'UTC', NODE_OPTIONS: '' };
    expect(checkVariables('prices', { ...PRICES, ...others }, true)).toMatchObject([
      { about: 'variables', verdict: 'ok' },
    ]);
  });

  it('of a whole environment are not all meant for the process', () => {
    const environment = { ...PRICES, EDITOR: 'vi', XDG_SEAT: '0', KEY_DIR: '/x' };
    expect(checkVariables('prices', environment, false)).toMatchObject([{ verdict: 'ok' }]);
    expect(checkVariables('prices', environment, true)).toMatchObject([
      { about: 'EDITOR', verdict: 'warning' },
      { about: 'XDG_SEAT', verdict: 'warning' },
      { about: 'KEY_DIR', verdict: 'warning', says: expect.stringContaining('party reads it') },
    ]);
  });

  it('are found where they are misspelt, in small letters or begin with COUNTERSIGN_', () => {
    const misspelt = { LOG_LEVL: 'info', metrics_port: '1', COUNTERSIGN_PORT: '1' };
    expect(checkVariables('prices', { ...PRICES, ...misspelt }, false)).toMatchObject([
      { about: 'LOG_LEVL', verdict: 'fault', advice: 'rename it to LOG_LEVEL' },
      { about: 'metrics_port', verdict: 'fault', advice: 'rename it to METRICS_PORT' },
      { about: 'COUNTERSIGN_PORT', verdict: 'fault' },
    ]);
  });
});

describe('variables of libraries', () => {
  it('are no use in a file', () => {
    const given = { PGPASSFILE: '/p', NODE_EXTRA_CA_CERTS: '/c', TZ: 'UTC' };
    expect(checkLibraryVariables('f', given)).toMatchObject([
      { verdict: 'warning', says: 'PGPASSFILE, NODE_EXTRA_CA_CERTS of the file were not used' },
    ]);
    expect(checkLibraryVariables('f', PRICES)).toEqual([]);
  });
});

describe('a clock', () => {
  it('is judged by what is sure', () => {
    expect(judgeClock('x', 400, 0).verdict).toBe('ok');
    expect(judgeClock('x', 3_000, 2_500).verdict).toBe('ok');
    expect(judgeClock('x', -3_000, 10)).toMatchObject({
      verdict: 'warning',
      says: "its clock is 3.0 s behind this host's",
    });
    expect(judgeClock('x', 60_000, 10)).toMatchObject({
      verdict: 'fault',
      says: "its clock is 60.0 s ahead of this host's",
    });
  });
});

describe('a check that cannot be made', () => {
  it('says why, and ends no other', async () => {
    const check = () => Promise.reject(new Error('no right to ask'));
    expect(await tryCheck('x', check)).toMatchObject([
      { verdict: 'warning', says: 'the doctor could not check this: no right to ask' },
    ]);
  });
});

describe('an account', () => {
  const PASSWD = 'root:x:0:0::/:/bin/sh\nparty:x:70001:70002::/:/bin/sh\n';
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-doctor-'));
    chmodSync(folder, 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is found by name and by number', () => {
    const party = { name: 'party', uid: 70_001, gid: 70_002 };
    expect(findAccount('party', PASSWD)).toEqual(party);
    expect(findAccount('70001', PASSWD)).toEqual(party);
    expect(findAccount('70009', PASSWD)).toEqual({ name: '70009', uid: 70_009, gid: 70_009 });
    expect(findAccount('nobody-here', PASSWD)).toBeUndefined();
  });

  it('of somebody else may do what modes say, of the file and of each folder above it', () => {
    const other = { name: 'other', uid: 70_001, gid: 70_001 };
    const path = join(folder, 'file');
    writeFileSync(path, '');
    chmodSync(path, 0o604);
    expect([mayOpen(other, path, 'read'), mayOpen(other, path, 'write')]).toEqual([true, false]);
    chmodSync(path, 0o600);
    expect(mayOpen(other, path, 'read')).toBe(false);
    const inner = join(folder, 'inner');
    mkdirSync(inner, { mode: 0o700 });
    const deep = join(inner, 'file');
    writeFileSync(deep, '');
    chmodSync(deep, 0o644);
    expect(mayOpen(other, deep, 'read')).toBe(false);
  });
});

describe('what a migration will do', () => {
  it.each([
    [{ has: ['A1'], missing: [] }, 'ok', 'nothing is to be migrated'],
    [{ has: [], missing: ['A1', 'A2'] }, 'ok', 'it is empty: migrate makes the schema'],
    [{ has: ['A1'], missing: ['A2'] }, 'ok', 'migrate will run A2, which only adds'],
    [{ has: ['A1'], missing: ['A2', 'A3'] }, 'warning', 'migrate will run A2, A3: what runs now'],
  ])('%j', (found, verdict, says) => {
    const told = migrationFinding(found);
    expect(told).toMatchObject({ verdict, says: expect.stringContaining(says) });
  });
});
