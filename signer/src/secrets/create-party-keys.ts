/** Makes the keys of a party once, in a process of their own that ends with it. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import { createDurably, requireNew } from '@countersign/runtime/process/create-durably.js';
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

/**
 * Makes the keys of a party in new folders (0700, files 0600), for good when it resolves. Rejects when it has keys, and
 * when the KEK's place is taken; it then leaves nothing.
 */
export async function createPartyKeys(
  folder: string,
  party: PartyNumber,
  { kekFile, provider }: KekPlace = {},
): Promise<PartyPublicKeys> {
  const files = partyKeyFiles(folder, kekFile);
  requireNew(Object.values(files));
  const kek = provider === undefined ? randomBytes(32) : await makeWrappedKek(provider, party);
  createDurably(files.kek, kek);
  if (typeof kek !== 'string') kek.fill(0);
  try {
    return sealPair({
      files,
      kek: await openKek(files.kek, party),
      party,
      identity: randomBytes(PARTY_KEY_BYTES),
      exchange: randomBytes(PARTY_KEY_BYTES),
    });
  } catch (error) {
    // it has sealed nothing that is left
    rmSync(files.kek, { force: true });
    throw error;
  }
}

/** Both secrets are wiped. Throws, and leaves neither file, where one cannot be made. */
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
  try {
    writeSealedKey(files.exchange, { kek, party, purpose: 'exchange' }, exchange);
  } catch (error) {
    rmSync(files.identity, { force: true });
    throw error;
  }
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
