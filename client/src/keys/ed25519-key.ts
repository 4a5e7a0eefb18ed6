/** Ed25519 seeds out of PKCS#8 (RFC 8410, RFC 5958), JWK (RFC 8037) and plain text. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { parseBase64, parseBase64Url } from '@countersign/core/bytes.js';
import { DER_TAG, type DerElement } from '@countersign/core/der.js';
import { derElementsOf } from './key-file-der.js';
import { KeyFileError } from './key-file-error.js';

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
/** A public key in a version 2 key: [1] IMPLICIT, and the [1] EXPLICIT that some programs write. */
const PUBLIC_KEY_TAGS = [0x81, 0xa1];

/** The public key (32 bytes) of a seed. */
export function ed25519PublicKey(seed: Buffer): Buffer {
  const pkcs8 = Buffer.concat([PKCS8_PREFIX, seed]);
  try {
    const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  } finally {
    pkcs8.fill(0);
  }
}

/** `elements`: those of the PrivateKeyInfo. A new buffer. Node itself does not read version 2. */
export function seedOfPkcs8(elements: readonly DerElement[]): Buffer {
  const [, , privateKey, ...optional] = elements;
  const [inner, ...more] = derElementsOf(privateKey?.content ?? Buffer.alloc(0));
  if (inner?.tag !== DER_TAG.octetString || inner.content.length !== 32 || more.length > 0) {
    throw new KeyFileError('malformed');
  }
  const beside = optional.find(({ tag }) => PUBLIC_KEY_TAGS.includes(tag));
  if (beside !== undefined) assertPublicHalf(inner.content, beside.content.subarray(-32));
  return Buffer.from(inner.content);
}

/** 32 bytes, or 64 with the public key behind, as hex or base64. The lengths leave no ambiguity. */
export function seedOfText(text: string): Buffer {
  const bytes = decodeSeedText(text);
  if (bytes?.length === 32) return bytes;
  if (bytes?.length !== 64) throw new KeyFileError('seed_length');
  try {
    assertPublicHalf(bytes.subarray(0, 32), bytes.subarray(32));
    return Buffer.from(bytes.subarray(0, 32));
  } finally {
    bytes.fill(0);
  }
}

function decodeSeedText(text: string): Buffer | undefined {
  if (/^(?:[0-9a-f]{64}|[0-9a-f]{128})$/i.test(text)) return Buffer.from(text, 'hex');
  return parseBase64(text);
}

/** `d` and `x` of a JWK with `kty` OKP and `crv` Ed25519. */
export function seedOfJwk({ d, x }: { readonly d?: unknown; readonly x?: unknown }): Buffer {
  if (d === undefined) throw new KeyFileError('public_key');
  const seed = typeof d === 'string' ? parseBase64Url(d) : undefined;
  const publicKey = typeof x === 'string' ? parseBase64Url(x) : undefined;
  if (seed?.length !== 32 || publicKey === undefined) throw new KeyFileError('malformed');
  assertPublicHalf(seed, publicKey);
  return seed;
}

/** A public half that does not fit means a damaged file, or two files mixed up. */
function assertPublicHalf(seed: Buffer, publicKey: Buffer): void {
  if (!ed25519PublicKey(seed).equals(publicKey)) throw new KeyFileError('public_half_differs');
}
