/** Uses a party's own keys in a process that makes or takes a backup and ends with it. */
import { readFileSync } from 'node:fs';
import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import type { PartyKeyFiles } from '../../party/party-keys.js';
import { readSealedKey } from '../sealing/sealed-key-file.js';
import type { KeyEncryptionKey } from '../sealing/share-seal.js';
import type { PartyBackup } from './party-backup.js';

export interface OwnKeys {
  readonly files: PartyKeyFiles;
  readonly party: PartyNumber;
  readonly kek: KeyEncryptionKey;
}

/** Returns the files of a party's keys, base64. Throws where one of the keys does not open. */
export function readKeyFiles({ files, party, kek }: OwnKeys): PartyBackup['key_folder'] {
  for (const purpose of ['identity', 'exchange'] as const) {
    sodium.sodium_memzero(readSealedKey(files[purpose], { kek, party, purpose }));
  }
  const read = (path: string) => readFileSync(path).toString('base64');
  return { kek: read(files.kek), identity: read(files.identity), exchange: read(files.exchange) };
}

/** Signs with the party's identity key, Ed25519, 64 bytes. */
export function signAsParty({ files, party, kek }: OwnKeys, message: Bytes): Uint8Array {
  const seed = readSealedKey(files.identity, { kek, party, purpose: 'identity' });
  const secret = Buffer.alloc(64);
  const signature = Buffer.alloc(64);
  sodium.crypto_sign_seed_keypair(Buffer.alloc(32), secret, seed);
  sodium.crypto_sign_detached(signature, message, secret);
  for (const one of [seed, secret]) sodium.sodium_memzero(one);
  return signature;
}
