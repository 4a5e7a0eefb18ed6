import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ConfigError } from '../process/config.js';
import { readTrustedGenesis, trustedGenesis } from './trusted-genesis.js';

const HASH = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trusted-genesis-'));
  path = join(folder, 'genesis.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (content: unknown) => writeFileSync(path, JSON.stringify(content));

describe('the genesis that an operator named', () => {
  it('is the hash that was set, before any file', () => {
    write({ genesis_hash: OTHER });
    expect(readTrustedGenesis({ GENESIS_HASH: HASH })()).toBe(HASH);
    expect(readTrustedGenesis({ GENESIS_HASH: HASH, GENESIS_FILE: path })()).toBe(HASH);
  });

  it('is what the file of `countersign init` says, with whatever else it says', () => {
    write({ genesis_hash: HASH, vault_id: 'x', parties: [] });
    expect(readTrustedGenesis({ GENESIS_FILE: path })()).toBe(HASH);
  });

  it('is unknown until the file is there, and then stays what it was read to be', () => {
    const tell = readTrustedGenesis({ GENESIS_FILE: path });
    expect(tell()).toBeUndefined();
    write({ genesis_hash: HASH });
    expect(tell()).toBe(HASH);
    write({ genesis_hash: OTHER });
    expect(tell()).toBe(HASH);
    rmSync(path);
    expect(tell()).toBe(HASH);
  });

  it('is required: without either setting nothing starts', () => {
    expect(() => readTrustedGenesis({})).toThrow(ConfigError);
    expect(() => readTrustedGenesis({})).toThrow('GENESIS_HASH or GENESIS_FILE');
  });

  it.each<[string, string]>([
    ['empty', ''],
    ['no JSON', 'ab'],
    ['without a hash', '{}'],
    ['with half a hash', JSON.stringify({ genesis_hash: 'abcd' })],
    ['with a hash that is none', JSON.stringify({ genesis_hash: 'x'.repeat(64) })],
  ])('is in no file that is %s', (_what, text) => {
    writeFileSync(path, text);
    expect(() => readTrustedGenesis({ GENESIS_FILE: path })()).toThrow(ConfigError);
    expect(() => readTrustedGenesis({ GENESIS_FILE: path })()).toThrow('holds no genesis_hash');
  });

  it('is set as 64 hex digits, and as nothing else', () => {
    const settings = z.object(trustedGenesis);
    expect(settings.parse({ GENESIS_HASH: HASH })).toEqual({ GENESIS_HASH: HASH });
    for (const value of ['', 'abcd', `${HASH}00`, 'x'.repeat(64)]) {
      expect(settings.safeParse({ GENESIS_HASH: value }).success).toBe(false);
    }
  });
});
