/** Checks a finished signature against its receipt, for whoever is given one and believes nobody. */
import type { KeyObject } from 'node:crypto';
import type { Receipt } from '@countersign/api/receipt.js';
import { parseBase64, type Bytes } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import type { SignatureScheme } from '@countersign/core/signature-schemes.js';
import { verifySignature } from '@countersign/core/verify-signature.js';
import { readRsaKey } from '@countersign/core/verify-rsa.js';
import type { Key } from '../state/state.js';

export interface FinishedSignature {
  readonly key: Pick<Key, 'id' | 'type' | 'publicKey'>;
  readonly scheme: SignatureScheme;
  /** Composed by whoever checks, from the caller's own request. */
  readonly message: Bytes;
  readonly signature: Bytes;
  readonly receipt: Pick<Receipt, 'keyId' | 'messageSha256'>;
}

/**
 * Why it is no signature of the key for the message; undefined when it is. For an HMAC the receipt is believed: it
 * cannot be checked without the secret.
 */
export function findSignatureFault(finished: FinishedSignature): string | undefined {
  const { key, scheme, message, signature, receipt } = finished;
  if (receipt.keyId !== key.id) return 'is of another key';
  if (receipt.messageSha256 !== sha256(message).toString('hex')) return 'is of another message';
  if (key.type === 'hmac') return undefined;
  return verifySignature(scheme, publicKeyOf(key), message, signature)
    ? undefined
    : 'has a wrong signature';
}

/** Rows never change, so their parsed keys are kept. */
const RSA_KEYS = new WeakMap<FinishedSignature['key'], KeyObject>();

function publicKeyOf(key: FinishedSignature['key']): Bytes | KeyObject {
  const known = RSA_KEYS.get(key);
  if (known !== undefined) return known;
  const bytes = parseBase64(key.publicKey) ?? new Uint8Array();
  const read = key.type === 'rsa' ? readRsaKey(bytes) : undefined;
  if (read === undefined) return bytes;
  RSA_KEYS.set(key, read);
  return read;
}
