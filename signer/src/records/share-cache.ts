/** Sealed shares that this process has read before, as ciphertext. */
import { BoundedMap } from '@countersign/core/bounded-map.js';

export interface StoredShare {
  readonly keyId: string;
  readonly session: string;
  readonly version: number;
  readonly wrappedDek: Buffer;
  readonly sealed: Buffer;
}

export interface KeyOfSession {
  readonly keyId: string;
  readonly session: string;
}

/** The oldest are forgotten first. */
export class ShareCache {
  readonly #shares: BoundedMap<string, StoredShare>;

  constructor(limit: number) {
    this.#shares = new BoundedMap(limit);
  }

  /** A share of another session than the one asked for is not that key's share. */
  find(keys: readonly KeyOfSession[]): {
    readonly found: Map<string, StoredShare>;
    readonly missing: readonly KeyOfSession[];
  } {
    const found = new Map<string, StoredShare>();
    const missing: KeyOfSession[] = [];
    for (const key of keys) {
      const cached = this.#shares.get(key.keyId);
      if (cached?.session === key.session) found.set(key.keyId, cached);
      else missing.push(key);
    }
    return { found, missing };
  }

  remember(share: StoredShare): void {
    this.#shares.put(share.keyId, share);
  }

  forget(keyIds: readonly string[]): void {
    for (const keyId of keyIds) this.#shares.delete(keyId);
  }
}
