/**
 * RSA public keys as SubjectPublicKeyInfo (RFC 5280) in DER, read by this repository's own code: what OpenSSL accepts
 * as a key changes with its versions, and every node has to agree.
 */
import { asBuffer, type Bytes } from './bytes.js';

/** Big-endian, without leading zeros. */
export interface RsaPublicKey {
  readonly modulus: Buffer;
  readonly exponent: Buffer;
}

const [INTEGER, BIT_STRING, SEQUENCE] = [0x02, 0x03, 0x30];
/** OpenSSL's bound. */
const MAX_MODULUS_BYTES = 2_048;
const MAX_EXPONENT_BYTES = 8;
/** SEQUENCE of rsaEncryption (RFC 8017, A.1) and NULL. */
const RSA_ENCRYPTION = Buffer.from('300d06092a864886f70d0101010500', 'hex');

/** Undefined for anything but the one spelling of an RSA key: keys are compared as bytes. */
export function parseRsaPublicKey(spki: Bytes): RsaPublicKey | undefined {
  const info = readWhole(SEQUENCE, asBuffer(spki));
  if (info?.subarray(0, RSA_ENCRYPTION.length).equals(RSA_ENCRYPTION) !== true) return undefined;
  const bits = readWhole(BIT_STRING, info.subarray(RSA_ENCRYPTION.length));
  // the last byte has no unused bits
  if (bits?.[0] !== 0) return undefined;
  // `RSAPublicKey` (RFC 8017, A.1.1)
  const first = readFirst(INTEGER, readWhole(SEQUENCE, bits.subarray(1)));
  const modulus = positive(first?.content);
  const exponent = positive(readWhole(INTEGER, first?.rest));
  if (modulus === undefined || exponent === undefined) return undefined;
  return isPossible({ modulus, exponent }) ? { modulus, exponent } : undefined;
}

interface Element {
  readonly content: Buffer;
  readonly rest: Buffer;
}

/** The element (ITU-T X.690) that the bytes begin with, if it is of this kind and its length has its one spelling. */
function readFirst(tag: number, bytes: Buffer | undefined): Element | undefined {
  if (bytes?.[0] !== tag) return undefined;
  const [, first = 0x80] = bytes;
  const lengthBytes = Math.max(0, first - 0x80);
  // 0x80 is BER's indefinite length; no key has a length of three bytes
  if (first === 0x80 || lengthBytes > 2 || bytes.length < 2 + lengthBytes) return undefined;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const end = 2 + lengthBytes + length;
  const isShortest = lengthBytes === 0 || length >= (lengthBytes === 1 ? 0x80 : 0x100);
  if (!isShortest || bytes.length < end) return undefined;
  return { content: bytes.subarray(end - length, end), rest: bytes.subarray(end) };
}

/** The content of the one element that the bytes are. */
function readWhole(tag: number, bytes: Buffer | undefined): Buffer | undefined {
  const element = readFirst(tag, bytes);
  return element?.rest.length === 0 ? element.content : undefined;
}

/** The number of an INTEGER that is above 0 and has its one spelling, without the zero before a top bit. */
function positive(content: Buffer | undefined): Buffer | undefined {
  const [first = 0, second = 0] = content ?? [];
  if (first !== 0) return first < 0x80 ? content : undefined;
  return second < 0x80 ? undefined : content?.subarray(1);
}

function isPossible({ modulus, exponent }: RsaPublicKey): boolean {
  const isOdd = (bytes: Buffer) => (bytes.at(-1)! & 1) === 1;
  if (modulus.length > MAX_MODULUS_BYTES || exponent.length > MAX_EXPONENT_BYTES) return false;
  // an exponent of 1 signs nothing
  if (exponent.length === 1 && exponent[0] === 1) return false;
  return isOdd(modulus) && isOdd(exponent) && modulus.length > exponent.length;
}

/** Bits of the modulus of an RSA key in its one spelling; undefined for anything else. */
export function rsaModulusBits(spki: Bytes): number | undefined {
  const key = parseRsaPublicKey(spki);
  return key && 8 * key.modulus.length - Math.clz32(key.modulus[0]!) + 24;
}
