/** Sealed shares that this process has read before: ciphertext, as the database has it. */
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

/** Those remembered first are forgotten first. */
export class ShareCache {
  readonly #limit: number;
  readonly #shares = new Map<string, StoredShare>();

  constructor(limit: number) {
    this.#limit = limit;
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
    if (this.#shares.size >= this.#limit) this.#shares.delete(this.#shares.keys().next().value!);
    this.#shares.set(share.keyId, share);
  }

  forget(keyIds: readonly string[]): void {
    for (const keyId of keyIds) this.#shares.delete(keyId);
  }
}
