import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkFiles } from './check-files.js';
import { ownAccount } from './file-access.js';
import { SEALED_KEY, SEALED_KEYS } from './process-variables.js';

const sealed = Buffer.concat([
  Buffer.from([SEALED_KEY.version]),
  randomBytes(SEALED_KEY.bytes - 1),
]);

let home: string;
let keys: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'check-files-'));
  keys = join(home, 'keys');
  mkdirSync(keys, { mode: 0o700 });
  write(join(home, 'kek.key'), randomBytes(32));
  for (const name of SEALED_KEYS) write(join(keys, name), sealed);
});
afterEach(() => rmSync(home, { recursive: true }));

function write(path: string, content: Uint8Array): void {
  writeFileSync(path, content, { mode: 0o600 });
}

function findings() {
  const given = { KEY_DIR: keys, KEK_FILE: join(home, 'kek.key') };
  return checkFiles('party', { given, account: ownAccount() });
}

describe("a party's key folder", () => {
  it('is well with both keys in it', async () => {
    expect((await findings()).map(({ verdict }) => verdict)).toEqual(['ok', 'ok']);
  });

  it('is no use while a rotation of the KEK is on its way', async () => {
    write(join(keys, 'identity.sealed.next'), sealed);
    expect(await findings()).toContainEqual(
      expect.objectContaining({
        about: 'KEY_DIR',
        verdict: 'fault',
        says: expect.stringContaining('a rotation of the KEK was begun'),
      }),
    );
  });

  it.each(SEALED_KEYS)('has a fault where %s holds no sealed key', async (name) => {
    const path = join(keys, name);
    const faults = async () =>
      (await findings()).filter(({ verdict }) => verdict === 'fault').map(({ says }) => says);
    write(path, Buffer.alloc(0));
    expect(await faults()).toEqual([`${path} has 0 bytes, and a sealed key has 61`]);
    write(path, Buffer.concat([sealed, Buffer.alloc(1)]));
    expect(await faults()).toEqual([`${path} has 62 bytes, and a sealed key has 61`]);
    write(path, Buffer.concat([Buffer.from([9]), sealed.subarray(1)]));
    expect(await faults()).toEqual([`${path} has the version 9, and this release reads 1`]);
  });
});
