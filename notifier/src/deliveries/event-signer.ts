import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import {
  EVENT_HEADERS,
  EVENT_SIGNATURE_ALGORITHM,
  EVENT_SIGNATURE_VERSION,
  eventKeyOf,
  eventSignatureText,
} from '@countersign/core/event-signature.js';
import { readSecretFile } from '@countersign/runtime/process/config.js';
import { CONTRACT_VERSION, type VaultEvent } from '../events/vault-event.js';

export interface EventSigner {
  /** The headers of one attempt, which has its own time and signature. */
  headersOf(
    event: Pick<VaultEvent, 'id' | 'type'>,
    body: string,
    now: number,
  ): Record<string, string>;
}

/** `keyFile`: an Ed25519 private key, PKCS #8 in PEM. Throws when it is none. */
export function openEventSigner(keyFile: string): EventSigner {
  const privateKey = createPrivateKey(readSecretFile(keyFile));
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error(`${keyFile}: no Ed25519 key`);
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  const { kid: keyId } = eventKeyOf(Buffer.from(x ?? '', 'base64url'));
  return {
    headersOf({ id, type }, body, timestamp) {
      const text = eventSignatureText({ keyId, timestamp, eventId: id, body });
      return {
        'content-type': 'application/json',
        'user-agent': 'countersign',
        [EVENT_HEADERS.id]: id,
        [EVENT_HEADERS.type]: type,
        [EVENT_HEADERS.timestamp]: String(timestamp),
        [EVENT_HEADERS.signature]: sign(null, Buffer.from(text), privateKey).toString('base64'),
        [EVENT_HEADERS.keyId]: keyId,
        [EVENT_HEADERS.algorithm]: EVENT_SIGNATURE_ALGORITHM,
        [EVENT_HEADERS.signatureVersion]: EVENT_SIGNATURE_VERSION,
        [EVENT_HEADERS.contractVersion]: String(CONTRACT_VERSION),
      };
    },
  };
}
