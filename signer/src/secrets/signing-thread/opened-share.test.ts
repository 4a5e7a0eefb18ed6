import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import type { StoredKey } from '../../threads/thread-tasks.js';
import { gcmOpen, gcmSeal, sealShare, type KeyEncryptionKey } from '../sealing/share-seal.js';
import { keyByKey, SHARE_SCHEMES, withOpenedShares, type OpenedShare } from './opened-share.js';

const PARTY = 1;
const kekBytes = randomBytes(32);
let unwrapped = 0;
const kek: KeyEncryptionKey = {
  id: 'counted',
  wrap: (dek, aad) => gcmSeal(kekBytes, dek, aad),
  unwrap(wrapped, aad) {
    unwrapped++;
    return gcmOpen(kekBytes, wrapped, aad);
  },
};
const state = { kek, party: PARTY } as const;

beforeEach(() => {
  unwrapped = 0;
});

async function storedKey(keyId: string, secret: string): Promise<StoredKey> {
  const scheme = SHARE_SCHEMES.hmac;
  const aad = { purpose: 'key share', keyId, party: PARTY, scheme, version: 1 } as const;
  const sealed = await sealShare({ kek, aad, secret: Buffer.from(secret) });
  return { ...sealed, keyId, version: 1, type: 'hmac', publicKey: new Uint8Array() };
}

const textOf = async (share: OpenedShare, key: StoredKey) =>
  Buffer.from(await share.of(key)).toString();

it('opens the share of each key once for a task, and gives results in the order of the items', async () => {
  const [a, b] = [await storedKey('a', 'one'), await storedKey('b', 'two')];
  const items = [a, b, a, b, a].map((key, index) => ({ key, index }));
  const ran: number[] = [];
  const results = await withOpenedShares(state, (share) =>
    keyByKey(items, async ({ key, index }) => {
      ran.push(index);
      return `${index} ${await textOf(share, key)}`;
    }),
  );
  expect(results).toEqual(['0 one', '1 two', '2 one', '3 two', '4 one']);
  expect([ran, unwrapped]).toEqual([[0, 2, 4, 1, 3], 2]);
});

it('has one share open at a time, and none after the task, also where it failed', async () => {
  const [a, b] = [await storedKey('a', 'one'), await storedKey('b', 'two')];
  const opened: Uint8Array[] = [];
  const failing = withOpenedShares(state, async (share) => {
    opened.push(await share.of(a), await share.of(b));
    expect([...opened[0]!]).toEqual([0, 0, 0]);
    expect(Buffer.from(opened[1]!).toString()).toBe('two');
    throw new Error('a defect');
  });
  await expect(failing).rejects.toThrow('a defect');
  expect([...opened[1]!]).toEqual([0, 0, 0]);
});

it('goes by what is sealed, not by the name alone', async () => {
  const [a, other] = [await storedKey('a', 'one'), await storedKey('a', 'two')];
  const b = await storedKey('b', 'three');
  await withOpenedShares(state, async (share) => {
    expect(await textOf(share, a)).toBe('one');
    expect(await textOf(share, other)).toBe('two');
    // another key's bytes under the name of one that is open; another version, another form
    const swapped = [
      { ...b, keyId: 'a' },
      { ...other, version: 2 },
      { ...other, type: 'ed25519' as const },
      { ...other, wrappedDek: b.wrappedDek },
      { ...other, sealed: b.sealed },
    ];
    for (const key of swapped) {
      expect(await textOf(share, other)).toBe('two');
      await expect(share.of(key)).rejects.toMatchObject({ reason: 'share' });
    }
  });
});
