/** The public values of an RSA key whose private exponent is shared. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { asBuffer, type Bytes } from '@countersign/core/bytes.js';

/** Names this form of secret where it is sealed (`ShareContext.scheme`). */
export const RSA_SHARE_SCHEME = 'rsa-replicated-v1';

/** SHA-256 commitments (`partCommitment`) of d_1, d_2, d_3, 32 bytes each. */
export type PartCommitments = readonly [Bytes, Bytes, Bytes];

export interface RsaPublicValues {
  /** Big-endian, without leading zeros. */
  readonly modulus: Bytes;
  readonly publicExponent: number;
}

/** Returns the key that signatures are verified with. Keep it, since making it costs as much as a verification. */
export function rsaPublicKey({ modulus, publicExponent }: RsaPublicValues): KeyObject {
  const e = Buffer.alloc(4);
  e.writeUInt32BE(publicExponent);
  const significant = e.subarray(e.findIndex((byte) => byte !== 0));
  return createPublicKey({
    key: {
      kty: 'RSA',
      n: asBuffer(modulus).toString('base64url'),
      e: significant.toString('base64url'),
    },
    format: 'jwk',
  });
}
