/** A whole secret in its normal form, whatever file it came in. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { toBytes } from '@countersign/core/big-integers.js';
import { ed25519PublicKey } from './ed25519-key.js';

export type HmacEncoding = 'utf8' | 'hex' | 'base64';

/** In which form an asymmetric key was read; encryption and PEM armour make no difference. */
export type KeyForm = 'pkcs8' | 'seed' | 'jwk' | 'pkcs1' | 'pkcs12';

export interface HmacSecret {
  readonly type: 'hmac';
  /** The bytes that key the HMAC: decoded, never the text they came in. */
  readonly secret: Buffer;
  /** The venue's third secret; empty when it has none. */
  readonly passphrase: string;
  /** How the venue writes the secret. */
  readonly encoding: HmacEncoding;
}

export interface Ed25519Secret {
  readonly type: 'ed25519';
  /** 32 bytes (RFC 8032, section 5.1.5). */
  readonly seed: Buffer;
  readonly encoding: KeyForm;
}

/**
 * BigInts cannot be wiped: they stay in the process's memory until it is collected. A desk imports keys
 * with a command that ends, not inside a long-lived service.
 */
export interface RsaSecret {
  readonly type: 'rsa';
  readonly modulus: bigint;
  readonly publicExponent: number;
  readonly p: bigint;
  readonly q: bigint;
  readonly d: bigint;
  readonly encoding: KeyForm;
}

export type ImportedSecret = HmacSecret | Ed25519Secret | RsaSecret;

/** Overwrites what can be overwritten. */
export function wipeSecret(secret: ImportedSecret): void {
  if (secret.type === 'hmac') secret.secret.fill(0);
  if (secret.type === 'ed25519') secret.seed.fill(0);
}

/** The public half, which an HMAC secret has not. */
export function publicKeyOf(secret: ImportedSecret): KeyObject | undefined {
  switch (secret.type) {
    case 'ed25519': {
      const x = ed25519PublicKey(secret.seed).toString('base64url');
      return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    }
    case 'rsa': {
      const n = toBytes(secret.modulus).toString('base64url');
      const e = toBytes(BigInt(secret.publicExponent)).toString('base64url');
      return createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
    }
    case 'hmac':
      return undefined;
  }
}
