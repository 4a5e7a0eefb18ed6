/**
 * The known-answer test a signer passes before it touches an RSA key. Both exponentiations lean on
 * Diffie-Hellman functions that happen to accept a composite modulus: another Node or OpenSSL may not,
 * and then this process must not start, rather than fail at its first signature.
 */
import { createHash } from 'node:crypto';
import { ByteWriter, toHex } from '@countersign/shared/bytes.js';
import { sha256 } from '@countersign/shared/hash.js';
import { modPow, toBigInt, toBytes } from './integers.js';
import { powerOnce, SigningModexp } from './modexp.js';

/** Exponents of keys made here are longer than the modulus, by about this much. */
const EXTRA_EXPONENT_BYTES = 17;

/** SHA-256 of the power, hex: the reference arithmetic is held to it as well. */
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
 * Computes fixed powers modulo fixed 2048- and 4096-bit composites in both ways and by BigInt, and throws
 * unless all agree with the known answer. Takes about a fifth of a second.
 */
export function rsaSelfTest(): void {
  const modexp = new SigningModexp(VECTORS.length);
  for (const { modulusBits, powerSha256 } of VECTORS) {
    const length = modulusBits / 8;
    const modulus = fixedInteger('modulus', modulusBits, length);
    const exponent = fixedInteger('exponent', modulusBits, length + EXTRA_EXPONENT_BYTES);
    const base = fixedInteger('base', modulusBits, length - 1);
    const [n, x, g] = [toBigInt(modulus), toBigInt(exponent), toBigInt(base)];
    const expectKnown = (what: string, power: Uint8Array): void => {
      if (toHex(sha256(power)) === powerSha256) return;
      throw new Error(`RSA self-test: ${what} gives a wrong ${modulusBits}-bit power`);
    };
    expectKnown('the reference', toBytes(modPow(g, x, n), length));
    expectKnown('signing', modexp.power(modulus, exponent, base));
    expectKnown('key generation', toBytes(powerOnce(n, x, g), length));
  }
}

/** An odd number whose top bit is set, the same in every run. */
function fixedInteger(role: string, modulusBits: number, length: number): Buffer {
  const label = new ByteWriter().field('countersign rsa self-test').field(role).u32(modulusBits);
  const bytes = createHash('shake256', { outputLength: length }).update(label.bytes()).digest();
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  bytes[length - 1] = (bytes[length - 1] ?? 0) | 1;
  return bytes;
}
