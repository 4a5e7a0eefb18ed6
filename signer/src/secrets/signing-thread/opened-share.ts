/**
 * The one share that a signing thread has open. Items of one key come one after the other, so that a task opens each
 * key's share once. Opening costs two decryptions, as much as all else around an HMAC order. The share lives no longer
 * than the items of its key, and never longer than the task.
 */
import { FROST_SCHEME } from '../frost/frost-key-share.js';
import { RSA_SHARE_SCHEME } from '../../threads/rsa-public-values.js';
import type { StoredKey } from '../../threads/thread-tasks.js';
import { HMAC_SCHEME } from '../maths/hmac-maths.js';
import { MathsRefusal } from '../maths/maths-refusal.js';
import { openShare } from '../sealing/share-seal.js';
import { sodium } from '@countersign/custody/sodium.js';
import type { ThreadState } from './thread-state.js';

/** Names each form of secret where it is sealed. */
export const SHARE_SCHEMES = {
  ed25519: FROST_SCHEME,
  rsa: RSA_SHARE_SCHEME,
  hmac: HMAC_SCHEME,
} as const;

export interface OpenedShare {
  /**
   * Returns the secret, which is valid until another is opened; the caller neither keeps nor changes it. Throws
   * `MathsRefusal` `share` when it does not open.
   */
  of(key: StoredKey): Promise<Uint8Array>;
  wipe(): void;
}

/** Runs what needs one share after the other, and leaves none open. Not for two tasks at a time. */
export async function withOpenedShares<T>(
  state: Pick<ThreadState, 'kek' | 'party'>,
  run: (share: OpenedShare) => Promise<T>,
): Promise<T> {
  const share = openedShare(state);
  try {
    return await run(share);
  } finally {
    share.wipe();
  }
}

function openedShare({ kek, party }: Pick<ThreadState, 'kek' | 'party'>): OpenedShare {
  let current: { readonly key: StoredKey; readonly opened: Uint8Array } | undefined;

  function wipe(): void {
    if (current !== undefined) sodium.sodium_memzero(current.opened);
    current = undefined;
  }

  return {
    async of(key) {
      if (current !== undefined && isSameShare(current.key, key)) return current.opened;
      wipe();
      const { keyId, version, type, wrappedDek, sealed } = key;
      const scheme = SHARE_SCHEMES[type];
      const aad = { purpose: 'key share', keyId, party, scheme, version } as const;
      try {
        current = { key, opened: await openShare({ kek, aad, wrappedDek, sealed }) };
      } catch (cause) {
        throw new MathsRefusal('share', { cause });
      }
      return current.opened;
    },
    wipe,
  };
}

/** Compares all that decides what opens: a row that differs in any of it is opened for itself, or refused. */
function isSameShare(a: StoredKey, b: StoredKey): boolean {
  return (
    a.keyId === b.keyId &&
    a.version === b.version &&
    a.type === b.type &&
    Buffer.compare(a.wrappedDek, b.wrappedDek) === 0 &&
    Buffer.compare(a.sealed, b.sealed) === 0
  );
}

/** Returns results in the order of the items, which run one at a time, those of one key one after the other. */
export async function keyByKey<Item extends { readonly key: Pick<StoredKey, 'keyId'> }, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const byKey = new Map<string, number[]>();
  items.forEach(({ key: { keyId } }, index) => {
    const same = byKey.get(keyId);
    if (same === undefined) byKey.set(keyId, [index]);
    else same.push(index);
  });
  const results = new Array<Result>(items.length);
  for (const index of [...byKey.values()].flat()) results[index] = await run(items[index]!);
  return results;
}
