import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openFileKek } from '../kek/file-kek.js';
import { readSecretFile } from '@countersign/custody/secret-file.js';
import {
  encodeShareContext,
  openShare,
  randomSecret,
  sealShare,
  type KeyEncryptionKey,
  type ShareContext,
} from './share-seal.js';
import { SEAL_DOMAINS, type SealPurpose } from '../../threads/seal-domains.js';

const context: ShareContext = {
  purpose: 'key share',
  keyId: 'key-1',
  party: 2,
  scheme: 'frost-ed25519',
  version: 3,
};
const PURPOSES = Object.keys(SEAL_DOMAINS) as SealPurpose[];
const secret = Uint8Array.from(Buffer.from('the secret share of a key'));

let directory: string;
let kek: KeyEncryptionKey;

function kekFile(name: string, bytes = 32, mode = 0o600): string {
  const path = join(directory, name);
  writeFileSync(path, randomSecret(bytes));
  chmodSync(path, mode);
  return path;
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-kek-'));
  kek = openFileKek(kekFile('kek'));
});

afterAll(() => rmSync(directory, { recursive: true }));

describe('a sealed share', () => {
  test('opens with the same KEK and context, into memory of its own', async () => {
    const sealed = await sealShare({ kek, aad: context, secret });
    const opened = await openShare({ kek, aad: { ...context }, ...sealed });
    expect(Buffer.from(opened)).toEqual(Buffer.from(secret));
    expect(opened.buffer.byteLength).toBe(opened.length);
  });

  test('has a fresh data key and nonce each time, and does not contain the secret', async () => {
    const [one, two] = await Promise.all([
      sealShare({ kek, aad: context, secret }),
      sealShare({ kek, aad: context, secret }),
    ]);
    expect(one.sealed).not.toEqual(two.sealed);
    expect(one.wrappedDek).not.toEqual(two.wrappedDek);
    expect(Buffer.from(one.sealed).includes(Buffer.from(secret))).toBe(false);
  });

  test.each<[string, Partial<ShareContext>]>([
    ['purpose', { purpose: 'stock share' }],
    ['key', { keyId: 'key-2' }],
    ['party', { party: 1 }],
    ['scheme', { scheme: 'rsa' }],
    ['version', { version: 2 }],
  ])('of another %s does not open', async (_, change) => {
    const sealed = await sealShare({ kek, aad: context, secret });
    await expect(openShare({ kek, aad: { ...context, ...change }, ...sealed })).rejects.toThrow(
      'does not open',
    );
  });

  test('put together from two rows does not open', async () => {
    const one = await sealShare({ kek, aad: context, secret });
    const two = await sealShare({ kek, aad: context, secret });
    const mixed = { wrappedDek: one.wrappedDek, sealed: two.sealed };
    await expect(openShare({ kek, aad: context, ...mixed })).rejects.toThrow('does not open');
  });

  test('under another KEK does not open', async () => {
    const sealed = await sealShare({ kek, aad: context, secret });
    const other = openFileKek(kekFile('other-kek'));
    expect(other.id).not.toBe(kek.id);
    await expect(openShare({ kek: other, aad: context, ...sealed })).rejects.toThrow(
      'does not open',
    );
  });

  test('with any bit flipped or any byte missing is an error, never another plaintext', async () => {
    const sealed = await sealShare({ kek, aad: context, secret });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('sealed' as const, 'wrappedDek' as const),
        fc.nat(),
        fc.nat(7),
        fc.boolean(),
        async (part, at, bit, truncate) => {
          const bytes = Uint8Array.from(sealed[part]);
          const index = at % bytes.length;
          bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
          const changed = { ...sealed, [part]: truncate ? bytes.subarray(0, index) : bytes };
          await expect(openShare({ kek, aad: context, ...changed })).rejects.toThrow(
            'does not open',
          );
        },
      ),
    );
  });

  test('has associated data that no other context gives', () => {
    const text = fc.oneof(fc.constantFrom('', 'a', 'aa', '1', '\u00001'), fc.string());
    const contexts = fc.record({
      purpose: fc.constantFrom(...PURPOSES),
      keyId: text,
      party: fc.nat(),
      scheme: text,
      version: fc.nat(),
    });
    fc.assert(
      fc.property(contexts, contexts, (one, two) => {
        const equal = JSON.stringify(one) === JSON.stringify(two);
        const [first, second] = [encodeShareContext(one), encodeShareContext(two)];
        expect(Buffer.compare(first, second) === 0).toBe(equal);
      }),
    );
  });
});

describe('purposes', () => {
  test('each have a domain of their own, for good', () => {
    expect(SEAL_DOMAINS).toEqual({
      'key share': 'countersign share seal v1',
      'stock share': 'countersign stock share seal v1',
      'import recipient': 'countersign import recipient seal v1',
    });
  });

  test('keep apart what is the same otherwise: nothing opens for another purpose', async () => {
    for (const purpose of PURPOSES) {
      const sealed = await sealShare({ kek, aad: { ...context, purpose }, secret });
      for (const other of PURPOSES.filter((one) => one !== purpose)) {
        const opened = openShare({ kek, aad: { ...context, purpose: other }, ...sealed });
        await expect(opened).rejects.toThrow('does not open');
      }
    }
  });

  test('leave the bytes of a key share as they were before there were others', () => {
    const field = (text: string) => [Buffer.from([0, 0, 0, text.length]), Buffer.from(text)];
    const fields = ['countersign share seal v1', 'key-1', '2', 'frost-ed25519', '3'];
    expect(encodeShareContext(context)).toEqual(Buffer.concat(fields.flatMap(field)));
  });
});

describe('a KEK file', () => {
  test('has a stable id that is not the key', () => {
    const path = kekFile('stable');
    expect(openFileKek(path).id).toBe(openFileKek(path).id);
    expect(openFileKek(path).id).toMatch(/^file:[0-9a-f]{16}$/);
  });

  test.each([0, 31, 33, 64])('of %d bytes is refused', (size) => {
    expect(() => openFileKek(kekFile(`size-${size}`, size))).toThrow('expected 32 raw bytes');
  });

  test.each(['0640', '0604', '0660', '0644', '0610', '0601'])('of mode %s is refused', (mode) => {
    const path = kekFile(`mode-${mode}`, 32, Number.parseInt(mode, 8));
    expect(() => openFileKek(path)).toThrow('set it to 0600');
  });

  test('of mode 0400, or behind a link as Kubernetes mounts it, is accepted', () => {
    const path = kekFile('read-only', 32, 0o400);
    const link = join(directory, 'link');
    symlinkSync(path, link);
    expect(openFileKek(link).id).toBe(openFileKek(path).id);
  });

  test('that is missing or a directory is refused', () => {
    const inner = join(directory, 'inner');
    mkdirSync(inner, { mode: 0o700 });
    expect(() => openFileKek(join(directory, 'absent'))).toThrow('ENOENT');
    expect(() => readSecretFile(inner, 32)).toThrow('not a regular file');
  });

  test('wraps data keys of 32 bytes only', () => {
    expect(() => kek.wrap(new Uint8Array(16), new Uint8Array())).toThrow(RangeError);
  });
});
