/** Makes the keys of a party once, in a process of their own that ends with it. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import { partyKeyFiles, type PartyKeyFiles } from '../party/party-keys.js';
import { openFileKek } from './sealing/file-kek.js';
import { PARTY_KEY_BYTES, writeSealedKey } from './sealing/sealed-key-file.js';

/** What the genesis says of a party: raw public keys, base64. */
export interface PartyPublicKeys {
  readonly identity_public_key: string;
  readonly exchange_public_key: string;
}

/** Makes the keys of a party in new folders (0700, files 0600). Throws when it has keys. `kekFile`: as `KEK_FILE`. */
export function createPartyKeys(
  folder: string,
  party: PartyNumber,
  kekFile?: string,
): PartyPublicKeys {
  const files = partyKeyFiles(folder, kekFile);
  for (const path of [folder, dirname(files.kek)]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
  const kek = randomBytes(32);
  writeFileSync(files.kek, kek, { mode: 0o600, flag: 'wx' });
  kek.fill(0);
  return sealPair(files, party, randomBytes(PARTY_KEY_BYTES), randomBytes(PARTY_KEY_BYTES));
}

/** Both secrets are wiped. */
function sealPair(
  files: PartyKeyFiles,
  party: PartyNumber,
  identity: Bytes,
  exchange: Bytes,
): PartyPublicKeys {
  const kek = openFileKek(files.kek);
  writeSealedKey(files.identity, { kek, party, purpose: 'identity' }, identity);
  writeSealedKey(files.exchange, { kek, party, purpose: 'exchange' }, exchange);
  const [identityPublic, exchangePublic] = [Buffer.alloc(32), Buffer.alloc(32)];
  const signing = Buffer.alloc(64);
  sodium.crypto_sign_seed_keypair(identityPublic, signing, identity);
  sodium.crypto_scalarmult_base(exchangePublic, exchange);
  for (const secret of [signing, identity, exchange]) sodium.sodium_memzero(secret);
  return {
    identity_public_key: identityPublic.toString('base64'),
    exchange_public_key: exchangePublic.toString('base64'),
  };
}
