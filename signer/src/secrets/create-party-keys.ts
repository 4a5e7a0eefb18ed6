/** Makes the keys of a party once, in a process of their own that ends with it. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import type { ProviderSettings } from '@countersign/runtime/settings/kek-settings.js';
import { partyKeyFiles, type PartyKeyFiles } from '../party/party-keys.js';
import { openKek } from './kek/open-kek.js';
import { makeWrappedKek } from './kek/wrapped-kek.js';
import { PARTY_KEY_BYTES, writeSealedKey } from './sealing/sealed-key-file.js';
import type { KeyEncryptionKey } from './sealing/share-seal.js';

/** What the genesis says of a party: raw public keys, base64. */
export interface PartyPublicKeys {
  readonly identity_public_key: string;
  readonly exchange_public_key: string;
}

export interface KekPlace {
  /** As `KEK_FILE`. */
  readonly kekFile?: string | undefined;
  /** Whose key wraps the KEK; absent: the file holds it. */
  readonly provider?: ProviderSettings | undefined;
}

/** Makes the keys of a party in new folders (0700, files 0600). Rejects when it has keys. */
export async function createPartyKeys(
  folder: string,
  party: PartyNumber,
  { kekFile, provider }: KekPlace = {},
): Promise<PartyPublicKeys> {
  const files = partyKeyFiles(folder, kekFile);
  for (const path of [folder, dirname(files.kek)]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
  const kek = provider === undefined ? randomBytes(32) : await makeWrappedKek(provider, party);
  writeFileSync(files.kek, kek, { mode: 0o600, flag: 'wx' });
  if (typeof kek !== 'string') kek.fill(0);
  return sealPair({
    files,
    kek: await openKek(files.kek, party),
    party,
    identity: randomBytes(PARTY_KEY_BYTES),
    exchange: randomBytes(PARTY_KEY_BYTES),
  });
}

/** Both secrets are wiped. */
function sealPair({
  files,
  kek,
  party,
  identity,
  exchange,
}: {
  readonly files: PartyKeyFiles;
  readonly kek: KeyEncryptionKey;
  readonly party: PartyNumber;
  readonly identity: Bytes;
  readonly exchange: Bytes;
}): PartyPublicKeys {
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
