/** Whether a finished signature is what its receipt says: whoever is given one believes nobody. */
import type { Receipt } from '@countersign/api/receipt.js';
import { parseBase64, type Bytes } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import type { SignatureScheme } from '@countersign/core/signature-schemes.js';
import { verifySignature } from '@countersign/core/verify-signature.js';
import type { Key } from '../state/state.js';

export interface FinishedSignature {
  readonly key: Pick<Key, 'id' | 'type' | 'publicKey'>;
  readonly scheme: SignatureScheme;
  /** As whoever checks composed it from the caller's own request. */
  readonly message: Bytes;
  readonly signature: Bytes;
  readonly receipt: Pick<Receipt, 'keyId' | 'messageSha256'>;
}

/**
 * Why it is no signature of the key for the message; undefined when it is. An HMAC is taken at its receipt's word: it
 * cannot be checked without the secret.
 */
export function findSignatureFault(finished: FinishedSignature): string | undefined {
  const { key, scheme, message, signature, receipt } = finished;
  if (receipt.keyId !== key.id) return 'is of another key';
  if (receipt.messageSha256 !== sha256(message).toString('hex')) return 'is of another message';
  if (key.type === 'hmac') return undefined;
  const publicKey = parseBase64(key.publicKey) ?? new Uint8Array();
  return verifySignature(scheme, publicKey, message, signature)
    ? undefined
    : 'has a wrong signature';
}
