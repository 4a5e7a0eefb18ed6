/** The numbers of an RSA key (RFC 8017, appendix A.1.2), checked to belong together. */
import { checkPrimeSync, createPrivateKey, type KeyObject } from 'node:crypto';
import { toBigInt, bitLength } from '@countersign/core/big-integers.js';
import { DER_TAG, type DerElement } from '@countersign/core/der.js';
import { derSequenceOf } from './key-file-der.js';
import { KeyFileError } from './key-file-error.js';
import type { KeyForm, RsaSecret } from './imported-secret.js';

const MODULUS_BITS = [2048, 3072, 4096];

/** `der`: an unencrypted PKCS#8 or PKCS#1 key. */
export function rsaSecretOfDer(der: Buffer, type: 'pkcs8' | 'pkcs1', form: KeyForm): RsaSecret {
  return rsaSecretOf(() => createPrivateKey({ key: der, format: 'der', type }), form);
}

export function rsaSecretOfJwk(jwk: Readonly<Record<string, unknown>>): RsaSecret {
  if (jwk['d'] === undefined) throw new KeyFileError('public_key');
  return rsaSecretOf(() => createPrivateKey({ key: { ...jwk }, format: 'jwk' }), 'jwk');
}

function rsaSecretOf(read: () => KeyObject, form: KeyForm): RsaSecret {
  const pkcs1 = exportPkcs1(read);
  try {
    const secret = { type: 'rsa', ...readNumbers(derSequenceOf(pkcs1)), encoding: form } as const;
    assertUsable(secret);
    return secret;
  } finally {
    pkcs1.fill(0);
  }
}

function exportPkcs1(read: () => KeyObject): Buffer {
  try {
    const key = read();
    // RSASSA-PSS keys carry their own limits, which the vault would not keep
    if (key.asymmetricKeyType !== 'rsa') throw new KeyFileError('unsupported_key');
    return key.export({ format: 'der', type: 'pkcs1' });
  } catch (error) {
    throw error instanceof KeyFileError ? error : new KeyFileError('malformed');
  }
}

function readNumbers(elements: readonly DerElement[]) {
  // more than two primes come as a tenth element, and with another version
  const [version, n, e, d, p, q] = elements.slice(0, 6).map(readInteger);
  if (version !== 0n) throw new KeyFileError('rsa_primes');
  if (!n || !e || !d || !p || !q) throw new KeyFileError('malformed');
  if (e % 2n === 0n || e < 3n || e >= 1n << 32n) throw new KeyFileError('rsa_exponent');
  return { modulus: n, publicExponent: Number(e), d, p, q };
}

function readInteger({ tag, content }: DerElement): bigint {
  const negative = ((content[0] ?? 0x80) & 0x80) !== 0;
  if (tag !== DER_TAG.integer || negative) throw new KeyFileError('malformed');
  return toBigInt(content);
}

/** Parties would find a broken key only by its first signature, when the file is long gone. */
function assertUsable({ modulus, publicExponent, d, p, q }: RsaSecret): void {
  if (!MODULUS_BITS.includes(bitLength(modulus))) throw new KeyFileError('rsa_size');
  if (p * q !== modulus || p === q) throw new KeyFileError('rsa_inconsistent');
  if (!checkPrimeSync(p) || !checkPrimeSync(q)) throw new KeyFileError('rsa_primes');
  const lambda = ((p - 1n) * (q - 1n)) / greatestCommonDivisor(p - 1n, q - 1n);
  if (d >= modulus || (d * BigInt(publicExponent)) % lambda !== 1n) {
    throw new KeyFileError('rsa_inconsistent');
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
