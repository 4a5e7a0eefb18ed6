/**
 * A signer passes this known-answer test before it touches an RSA key. Both exponentiations use Diffie-Hellman
 * functions that happen to accept a composite modulus. Another Node or OpenSSL may not, and then this process must end,
 * rather than fail at its first signature.
 */
import { createHash } from 'node:crypto';
import { ByteWriter, toHex } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { modPow } from './integers.js';
import { toBigInt, toBytes } from '@countersign/core/big-integers.js';
import { powerOnce, SigningModexp } from './modexp.js';

/** Exponents of keys made here are longer than the modulus, by about this much. */
const EXTRA_EXPONENT_BYTES = 17;

/** SHA-256 of the power, hex. */
const VECTORS = [
  {
    modulusBits: 2048,
    powerSha256: '7319cc488c8b0b57e1b5a2c0b576701c5d83098c6c616eff6566aa2a43631c88',
  },
  {
    modulusBits: 4096,
    powerSha256: '437ab10a076cddc32eaaeaf581465512fd0b198af86a2952f7e1363e2f38d47c',
  },
];

/**
 * Computes fixed powers modulo fixed 2048- and 4096-bit composites in both ways, and throws unless they
 * are the known answers, which were computed with BigInt (`referencePowers`, held to by a test).
 */
export function rsaSelfTest(): void {
  const modexp = new SigningModexp(VECTORS.length);
  for (const { modulusBits, powerSha256 } of VECTORS) {
    const { modulus, exponent, base, length } = operandsOf(modulusBits);
    const [n, x, g] = [toBigInt(modulus), toBigInt(exponent), toBigInt(base)];
    const expectKnown = (what: string, power: Uint8Array): void => {
      if (toHex(sha256(power)) === powerSha256) return;
      throw new Error(`RSA self-test: ${what} gives a wrong ${modulusBits}-bit power`);
    };
    expectKnown('signing', modexp.power(modulus, exponent, base));
    expectKnown('key generation', toBytes(powerOnce(n, x, g), length));
  }
}

/** Per vector the answer that the self-test knows, and the one that BigInt arithmetic gives: SHA-256, hex. */
export function referencePowers(): { readonly known: string; readonly computed: string }[] {
  return VECTORS.map(({ modulusBits, powerSha256 }) => {
    const { modulus, exponent, base, length } = operandsOf(modulusBits);
    const power = modPow(toBigInt(base), toBigInt(exponent), toBigInt(modulus));
    return { known: powerSha256, computed: toHex(sha256(toBytes(power, length))) };
  });
}

function operandsOf(modulusBits: number) {
  const length = modulusBits / 8;
  return {
    length,
    modulus: fixedInteger('modulus', modulusBits, length),
    exponent: fixedInteger('exponent', modulusBits, length + EXTRA_EXPONENT_BYTES),
    base: fixedInteger('base', modulusBits, length - 1),
  };
}

/** An odd number whose top bit is set, the same in every run. */
function fixedInteger(role: string, modulusBits: number, length: number): Buffer {
  const label = new ByteWriter().field('countersign rsa self-test').field(role).u32(modulusBits);
  const bytes = createHash('shake256', { outputLength: length }).update(label.bytes()).digest();
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  bytes[length - 1] = (bytes[length - 1] ?? 0) | 1;
  return bytes;
}
