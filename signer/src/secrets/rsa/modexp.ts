/**
 * base^exponent mod N for secret exponents, by OpenSSL's constant-time Montgomery exponentiation: Node
 * has no such call, but its Diffie-Hellman functions come down to one.
 *
 * Both ways use an API beyond its purpose, since N is no prime; so a process runs `rsaSelfTest` before
 * it relies on them. OpenSSL takes moduli of 512 to 10,000 bits. Integers are unsigned big-endian bytes.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';
import {
  createDiffieHellman,
  createPrivateKey,
  createPublicKey,
  type DiffieHellman,
} from 'node:crypto';
import { asBuffer } from '@countersign/core/bytes.js';
import { DER_TAG, readDer, writeDer, writeDerInteger } from '@countersign/core/der.js';
import {
  byteLength,
  toBigInt,
  toBytes,
  withoutLeadingZeros,
} from '@countersign/core/big-integers.js';
import { RsaError } from './rsa-error.js';

const GENERATOR = 2;
const HARMLESS_EXPONENT = Buffer.from([1]);

/**
 * Exponentiation for signing. Setting up a modulus costs OpenSSL about as much as one exponentiation (it
 * looks whether N is prime), so the most recently used ones are kept.
 *
 * What is kept is public: an exponent is handed over for one call and then replaced, which makes OpenSSL
 * clear its copy. That costs no measurable time, and leaves no key's exponent in memory between requests.
 */
export class SigningModexp {
  readonly #contexts: BoundedMap<string, DiffieHellman>;

  /** `limit`: moduli kept, a few kilobytes each. */
  constructor(limit: number) {
    this.#contexts = new BoundedMap(limit);
  }

  /**
   * base^exponent mod modulus, as long as the modulus. `modulus`: odd, its first byte not zero;
   * `exponent`: of any length above zero, longer than the modulus too. Throws `RsaError`:
   * `invalid_input` for an even modulus, `modexp` when base or result is 0, 1 or N − 1.
   */
  power(modulus: Uint8Array, exponent: Uint8Array, base: Uint8Array): Buffer {
    const reduced = usableBase(modulus, base);
    const context = this.#contextOf(modulus);
    try {
      context.setPrivateKey(asBuffer(exponent));
      return usablePower(context.computeSecret(reduced), modulus);
    } catch (cause) {
      throw cause instanceof RsaError ? cause : new RsaError('modexp', 'no power', { cause });
    } finally {
      context.setPrivateKey(HARMLESS_EXPONENT);
    }
  }

  #contextOf(modulus: Uint8Array): DiffieHellman {
    const id = asBuffer(modulus).toString('latin1');
    // node:crypto finds that N is not prime (`verifyError`) and computes all the same
    const context = this.#contexts.get(id) ?? createDiffieHellman(asBuffer(modulus), GENERATOR);
    this.#contexts.put(id, context);
    return context;
  }
}

/**
 * base^exponent mod modulus for a modulus that is used once or a few times, as in key generation. A PKCS#8
 * Diffie-Hellman key with generator `base` is imported, and its public value read back. No primality test is made on
 * the way. Results 1 and N − 1 are possible here.
 *
 * It leaves the exponent in a BigInt and in a key object, which nobody can wipe: for a thread that ends, never for
 * signing.
 *
 * `base`: below the modulus; `exponent` positive. Throws `RsaError`: `invalid_input` for an even modulus or a base out
 * of range, `modexp` when OpenSSL refuses.
 */
export function powerOnce(modulus: bigint, exponent: bigint, base: bigint): bigint {
  requireOperands(modulus, exponent, [base]);
  try {
    const key = createPrivateKey({
      key: dhPrivateKeyDer(modulus, base, exponent),
      format: 'der',
      type: 'pkcs8',
    });
    return publicValueOf(createPublicKey(key).export({ format: 'der', type: 'spki' }));
  } catch (cause) {
    throw new RsaError('modexp', 'no power', { cause });
  }
}

/**
 * base^exponent mod modulus for each base, in order: what `powerOnce` gives, with its arguments and errors. Node takes
 * longer to import a key than OpenSSL to compute a power of 1024 bits. So for more than one base the modulus is set up
 * once, at the cost of one power.
 */
export function powersOf(modulus: bigint, exponent: bigint, bases: readonly bigint[]): bigint[] {
  if (bases.length === 1) return bases.map((base) => powerOnce(modulus, exponent, base));
  requireOperands(modulus, exponent, bases);
  const length = byteLength(modulus);
  const context = createDiffieHellman(toBytes(modulus, length), GENERATOR);
  context.setPrivateKey(toBytes(exponent, byteLength(exponent)));
  try {
    return bases.map((base) => {
      const power = powerUnlessRefused(context, toBytes(base, length));
      return power?.length === length ? toBigInt(power) : powerOnce(modulus, exponent, base);
    });
  } finally {
    context.setPrivateKey(HARMLESS_EXPONENT);
  }
}

/** OpenSSL gives no secret where a base or result is 1 or N − 1; the other way shows which of them it is. */
function powerUnlessRefused(context: DiffieHellman, base: Buffer): Buffer | undefined {
  try {
    return context.computeSecret(base);
  } catch {
    return undefined;
  }
}

function requireOperands(modulus: bigint, exponent: bigint, bases: readonly bigint[]): void {
  if ((modulus & 1n) === 0n) throw new RsaError('invalid_input', 'modulus: not odd');
  if (exponent < 1n || bases.some((base) => base < 2n || base >= modulus)) {
    throw new RsaError('invalid_input', 'base or exponent out of range');
  }
}

/**
 * Reduced, because base >= N throws; and never 0, 1 or N − 1, which
 * all of them refuse. None of these happens for an encoded message.
 */
function usableBase(modulus: Uint8Array, base: Uint8Array): Buffer {
  if (((modulus.at(-1) ?? 0) & 1) === 0 || modulus[0] === 0) {
    throw new RsaError('invalid_input', 'modulus: not odd, or with leading zeros');
  }
  const n = toBigInt(modulus);
  const reduced = toBigInt(base) % n;
  if (reduced < 2n || reduced === n - 1n) throw new RsaError('modexp', 'base 0, 1 or N − 1');
  return toBytes(reduced, modulus.length);
}

/** Node 22 answers results 0, 1 and N − 1 with an empty buffer where 20, 24 and 26 throw. */
function usablePower(power: Buffer, modulus: Uint8Array): Buffer {
  if (power.length !== modulus.length) throw new RsaError('modexp', 'power of another length');
  return power;
}

/** OBJECT IDENTIFIER 1.2.840.113549.1.3.1, dhKeyAgreement (PKCS #3). */
const DH_OID = Buffer.from('06092a864886f70d010301', 'hex');

/** PrivateKeyInfo { 0, { dhKeyAgreement, { modulus, base } }, OCTET STRING { exponent } } (RFC 5208). */
function dhPrivateKeyDer(modulus: bigint, base: bigint, exponent: bigint): Buffer {
  const parameters = writeDer(DER_TAG.sequence, writeDerInteger(modulus), writeDerInteger(base));
  return writeDer(
    DER_TAG.sequence,
    writeDerInteger(0n),
    writeDer(DER_TAG.sequence, DH_OID, parameters),
    writeDer(DER_TAG.octetString, writeDerInteger(exponent)),
  );
}

/** SubjectPublicKeyInfo { algorithm, BIT STRING { 0 unused bits, INTEGER } } (RFC 5280, section 4.1). */
function publicValueOf(spki: Buffer): bigint {
  const { rest } = readDer(contentOf(readDer(spki), DER_TAG.sequence));
  const bits = contentOf(readDer(rest), DER_TAG.bitString);
  return toBigInt(contentOf(readDer(bits.subarray(1)), DER_TAG.integer));
}

function contentOf({ element }: ReturnType<typeof readDer>, tag: number): Buffer {
  if (element.tag !== tag) throw new RangeError('unexpected DER');
  return element.content;
}

/**
 * left + right for positive integers: byte by byte, so that the sum of two secret parts is never a
 * BigInt, and in time that depends on their lengths alone. The caller wipes it.
 */
export function addIntegers(left: Uint8Array, right: Uint8Array): Uint8Array {
  const sum = new Uint8Array(Math.max(left.length, right.length) + 1);
  let carry = 0;
  for (let place = 1; place <= sum.length; place += 1) {
    const digit = (left.at(-place) ?? 0) + (right.at(-place) ?? 0) + carry;
    sum[sum.length - place] = digit & 0xff;
    carry = digit >> 8;
  }
  return withoutLeadingZeros(sum);
}

/** left − right for positive integers, as `addIntegers` adds. Throws RangeError when the result is not positive. */
export function subtractIntegers(left: Uint8Array, right: Uint8Array): Uint8Array {
  const difference = new Uint8Array(Math.max(left.length, right.length));
  let borrow = 0;
  for (let place = 1; place <= difference.length; place += 1) {
    const digit = (left.at(-place) ?? 0) - (right.at(-place) ?? 0) - borrow;
    difference[difference.length - place] = digit & 0xff;
    borrow = (digit >> 8) & 1;
  }
  if (borrow !== 0) throw new RangeError('the difference is not positive');
  return withoutLeadingZeros(difference);
}
