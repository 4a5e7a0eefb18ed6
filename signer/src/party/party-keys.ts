/** The files of one party's keys. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@countersign/runtime/process/config.js';

export interface PartyKeyFiles {
  /** Ed25519 seed, sealed under the KEK: signs attestations and receipts. */
  readonly identity: string;
  /** X25519 private key, sealed under the KEK: says who speaks in party-to-party messages. */
  readonly exchange: string;
  /** AES-256 key, 32 raw bytes, or who opens it: seals the two others, and wraps the data keys of shares. */
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

/** Where a rotation of the KEK keeps the file that is to take this one's place. */
export function waiting(file: string): string {
  return `${file}.next`;
}

/** A party in the middle of a rotation could open some of its shares and not others. Throws ConfigError. */
export function requireNoRotation({ identity }: PartyKeyFiles): void {
  const next = waiting(identity);
  if (!existsSync(next)) return;
  throw new ConfigError(
    `${next} is there: a rotation of the KEK was begun. Run it again to its end`,
  );
}
