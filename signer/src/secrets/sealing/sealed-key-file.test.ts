import { createCipheriv, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ByteWriter } from '@countersign/core/bytes.js';
import { partyKeyFiles } from '../../party/party-keys.js';
import { createPartyKeys } from '../create-party-keys.js';
import { openFileKek } from '../kek/file-kek.js';
import type { KeyEncryptionKey } from './share-seal.js';
import { readSealedKey, writeSealedKey, type SealedKeyContext } from './sealed-key-file.js';

let directory: string;
let kek: KeyEncryptionKey;
let context: SealedKeyContext;
const secret = randomBytes(32);
const pathOf = (name: string) => join(directory, name);

function newKek(name: string): KeyEncryptionKey {
  writeFileSync(pathOf(name), randomBytes(32), { mode: 0o600 });
  return openFileKek(pathOf(name));
}

function sealed(name: string): string {
  writeSealedKey(pathOf(name), context, secret);
  return pathOf(name);
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-sealed-key-'));
  kek = newKek('kek');
  context = { kek, party: 2, purpose: 'identity' };
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('a sealed key file', () => {
  it('opens to the key, and shows nothing of it', () => {
    const path = sealed('good');
    expect(Buffer.from(readSealedKey(path, context))).toEqual(secret);
    expect(readFileSync(path).includes(secret)).toBe(false);
    expect(readFileSync(path)).toHaveLength(61);
  });

  it('is no key of another party or purpose, and none under another KEK', () => {
    const path = sealed('bound');
    const others: SealedKeyContext[] = [
      { ...context, party: 1 },
      { ...context, purpose: 'exchange' },
      { ...context, kek: newKek('another-kek') },
    ];
    for (const other of others) expect(() => readSealedKey(path, other)).toThrow('not the');
  });

  it('does not open with any bit changed', () => {
    const path = sealed('whole');
    const bytes = readFileSync(path);
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(path, changed);
      expect(() => readSealedKey(path, context)).toThrow(bit < 8 ? 'unknown version' : 'not the');
    }
  });

  it('is none that lies open, was cut, or that others may read', () => {
    writeFileSync(pathOf('open'), secret, { mode: 0o600 });
    expect(() => readSealedKey(pathOf('open'), context)).toThrow('expected 61 raw bytes');
    const path = sealed('readable');
    chmodSync(path, 0o640);
    expect(() => readSealedKey(path, context)).toThrow('set it to 0600');
  });

  it('is no wrapped data key of a share, though the same KEK made it', () => {
    const wrapped = kek.wrap(secret, Buffer.from('another context'));
    writeFileSync(pathOf('dek'), Buffer.concat([Buffer.from([1]), wrapped]), { mode: 0o600 });
    expect(() => readSealedKey(pathOf('dek'), context)).toThrow('not the');
  });

  it('does not open with a tag of 4, 8 or 12 bytes, though GCM knows them', () => {
    const key = readFileSync(pathOf('kek'));
    const aad = new ByteWriter().field('countersign party key v1').u8(1).u8(2).field('identity');
    for (const authTagLength of [4, 8, 12]) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength });
      cipher.setAAD(aad.bytes());
      const box = Buffer.concat([
        nonce,
        cipher.update(secret),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      expect(() => kek.unwrap(box, aad.bytes())).toThrow();
      const file = Buffer.concat([Buffer.from([1]), box]);
      writeFileSync(pathOf(`tag-${authTagLength}`), file, { mode: 0o600 });
      expect(() => readSealedKey(pathOf(`tag-${authTagLength}`), context)).toThrow('61 raw bytes');
    }
  });

  it('is never written over', () => {
    const path = sealed('once');
    expect(() => writeSealedKey(path, context, secret)).toThrow('EEXIST');
  });
});

describe("a party's key folder", () => {
  it('has nothing in it that is of use without the KEK', async () => {
    const folder = pathOf('party-1');
    const publicKeys = await createPartyKeys(folder, 1);
    const files = partyKeyFiles(folder);
    const own = { kek: openFileKek(files.kek), party: 1 } as const;
    for (const purpose of ['identity', 'exchange'] as const) {
      const opened = readSealedKey(files[purpose], { ...own, purpose });
      expect(readFileSync(files[purpose]).includes(Buffer.from(opened))).toBe(false);
    }
    for (const key of Object.values(publicKeys))
      expect(Buffer.from(key, 'base64')).toHaveLength(32);
    await expect(createPartyKeys(folder, 1)).rejects.toThrow('EEXIST');
  });

  it('is made without the KEK where that has a place of its own', async () => {
    const folder = pathOf('party-1-sealed');
    const kekFile = pathOf('elsewhere/kek.key');
    await createPartyKeys(folder, 1, { kekFile });
    expect(readdirSync(folder).toSorted()).toEqual(['exchange.sealed', 'identity.sealed']);
    expect(statSync(kekFile).mode & 0o777).toBe(0o600);
    const { identity, kek } = partyKeyFiles(folder, kekFile);
    const context = { kek: openFileKek(kek), party: 1, purpose: 'identity' } as const;
    expect(readSealedKey(identity, context)).toHaveLength(32);
    const other = { ...context, kek: openFileKek(partyKeyFiles(pathOf('party-1')).kek) };
    expect(() => readSealedKey(identity, other)).toThrow('under this KEK');
    await expect(createPartyKeys(pathOf('party-2'), 2, { kekFile })).rejects.toThrow('EEXIST');
  });

  it('that is made in part already gets no new KEK, which would stop the next try', async () => {
    for (const name of ['identity.sealed', 'exchange.sealed']) {
      const folder = pathOf(`with-${name}`);
      mkdirSync(folder);
      writeFileSync(join(folder, name), 'of an earlier time');
      const kekFile = pathOf(`kek-beside-${name}`);
      await expect(createPartyKeys(folder, 1, { kekFile })).rejects.toThrow('EEXIST');
      expect([existsSync(kekFile), readdirSync(folder)]).toEqual([false, [name]]);
    }
  });

  it('that cannot be made whole has nothing in it', async () => {
    const kekFile = pathOf('kek-of-none');
    const folder = pathOf('no-place-for-two');
    mkdirSync(folder);
    // a dangling link: nothing is there, and nothing can be made there
    symlinkSync(pathOf('nowhere'), join(folder, 'exchange.sealed'));
    await expect(createPartyKeys(folder, 1, { kekFile })).rejects.toThrow('EEXIST');
    expect([existsSync(kekFile), readdirSync(folder)]).toEqual([false, ['exchange.sealed']]);
  });
});
