/** One party's part of an import, sealed so that this party alone can read it. */
import {
  Aes256Gcm,
  CipherSuite,
  DhkemX25519HkdfSha256,
  HkdfSha256,
  HpkeError,
  type SenderContext,
} from '@hpke/core';
import { toBase64, type Bytes } from '@countersign/core/bytes.js';
import {
  encodeImportPackage,
  importInfo,
  type ImportPackage,
} from '@countersign/custody/import-package.js';
import { untrusted } from '../answers/vault-answer-error.js';

export interface SealingContext {
  /** X25519, 32 bytes: the party's recipient key. */
  readonly recipientPublicKey: Bytes;
  /** Hex. */
  readonly genesisHash: string;
  /** The user who will ask for the import. */
  readonly userId: string;
}

const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});

/**
 * HPKE (RFC 9180), base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, empty aad. Returns
 * base64 of enc (32 bytes) ‖ ciphertext. Throws VaultAnswerError on a recipient key of low order, with
 * which the shared secret would be known to everybody.
 */
export async function sealImportPackage(
  content: ImportPackage,
  { recipientPublicKey, genesisHash, userId }: SealingContext,
): Promise<string> {
  const { party, common } = content;
  const info = importInfo({ genesisHash, party, userId, type: common.type });
  const sender = await openSender(recipientPublicKey, info);
  const plaintext = encodeImportPackage(content);
  try {
    const ciphertext = await sender.seal(plaintext);
    return toBase64(Buffer.concat([Buffer.from(sender.enc), Buffer.from(ciphertext)]));
  } finally {
    plaintext.fill(0);
  }
}

async function openSender(publicKey: Bytes, info: Bytes): Promise<SenderContext> {
  try {
    const recipientPublicKey = await suite.kem.deserializePublicKey(publicKey);
    return await suite.createSenderContext({ recipientPublicKey, info });
  } catch (error) {
    if (error instanceof HpkeError) throw untrusted('nothing can be sealed to a recipient key');
    throw error;
  }
}
