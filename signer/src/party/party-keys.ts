/** The files of one party's key folder. */
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sodium } from '@countersign/custody/sodium.js';

export interface PartyKeyFiles {
  /** Ed25519 seed, 32 raw bytes: signs attestations and receipts. */
  readonly identitySeed: string;
  /** X25519 private key, 32 raw bytes: party-to-party messages. */
  readonly exchangeKey: string;
  /** AES-256 key, 32 raw bytes: wraps the data keys of shares. */
  readonly kek: string;
}

export function partyKeyFiles(folder: string): PartyKeyFiles {
  return {
    identitySeed: join(folder, 'identity.seed'),
    exchangeKey: join(folder, 'exchange.key'),
    kek: join(folder, 'kek.key'),
  };
}

/** What the genesis says of a party: raw public keys, base64. */
export interface PartyPublicKeys {
  readonly identity_public_key: string;
  readonly exchange_public_key: string;
}

/** Makes the keys of a party in a new folder (0700, files 0600); throws when it has keys already. */
export function createPartyKeys(folder: string): PartyPublicKeys {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = partyKeyFiles(folder);
  const seed = randomBytes(32);
  const exchange = randomBytes(32);
  const secrets: [string, Buffer][] = [
    [files.identitySeed, seed],
    [files.exchangeKey, exchange],
    [files.kek, randomBytes(32)],
  ];
  for (const [path, secret] of secrets) writeFileSync(path, secret, { mode: 0o600, flag: 'wx' });
  const identity = Buffer.alloc(32);
  sodium.crypto_sign_seed_keypair(identity, Buffer.alloc(64), seed);
  const publicKeys = {
    identity_public_key: identity.toString('base64'),
    exchange_public_key: x25519PublicKey(exchange).toString('base64'),
  };
  for (const [, secret] of secrets) secret.fill(0);
  return publicKeys;
}

const X25519_PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const X25519_SPKI = Buffer.from('302a300506032b656e032100', 'hex');

/** `raw`: 32 bytes. */
export function x25519PrivateKey(raw: Uint8Array) {
  const der = Buffer.concat([X25519_PKCS8, raw]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** `raw`: 32 bytes. */
export function x25519PublicKeyObject(raw: Uint8Array) {
  const der = Buffer.concat([X25519_SPKI, raw]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}

function x25519PublicKey(privateKey: Uint8Array): Buffer {
  const spki = createPublicKey(x25519PrivateKey(privateKey)).export({
    format: 'der',
    type: 'spki',
  });
  return spki.subarray(X25519_SPKI.length);
}
