/** The files of one party's keys. */
import { join } from 'node:path';

export interface PartyKeyFiles {
  /** Ed25519 seed, sealed under the KEK: signs attestations and receipts. */
  readonly identity: string;
  /** X25519 private key, sealed under the KEK: says who speaks in party-to-party messages. */
  readonly exchange: string;
  /** AES-256 key, 32 raw bytes: seals the two others, and wraps the data keys of shares. */
  readonly kek: string;
}

/** `kekFile`: where it is absent, the KEK lies in the folder, beside what it seals. */
export function partyKeyFiles(folder: string, kekFile?: string): PartyKeyFiles {
  return {
    identity: join(folder, 'identity.sealed'),
    exchange: join(folder, 'exchange.sealed'),
    kek: kekFile ?? join(folder, 'kek.key'),
  };
}
