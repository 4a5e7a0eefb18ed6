/**
 * Turns a message into the integer that is raised to d: EMSA-PSS and EMSA-PKCS1-v1_5 (RFC 8017, sections 9.1.1 and
 * 9.2). Every party computes it for itself from the message, so that what policy was asked about and what is signed
 * cannot differ.
 *
 * PSS needs a salt that both parties use: the lead draws it and sends it along. A salt that a party chose badly costs
 * PSS its tight proof and nothing else.
 */
import { createHash } from 'node:crypto';
import type { SignatureScheme } from '@countersign/core/signature-schemes.js';
import { RsaError } from './rsa-error.js';

export type RsaScheme = Extract<SignatureScheme, `rsa_${string}`>;

export type RsaHash = 'sha256' | 'sha384' | 'sha512';

interface SchemeForm {
  readonly padding: 'pkcs1' | 'pss';
  readonly hash: RsaHash;
}

export const RSA_SCHEME_FORMS: Readonly<Record<RsaScheme, SchemeForm>> = {
  rsa_pkcs1_sha256: { padding: 'pkcs1', hash: 'sha256' },
  rsa_pkcs1_sha384: { padding: 'pkcs1', hash: 'sha384' },
  rsa_pkcs1_sha512: { padding: 'pkcs1', hash: 'sha512' },
  rsa_pss_sha256: { padding: 'pss', hash: 'sha256' },
  rsa_pss_sha384: { padding: 'pss', hash: 'sha384' },
  rsa_pss_sha512: { padding: 'pss', hash: 'sha512' },
};

const HASH_BYTES: Readonly<Record<RsaHash, number>> = { sha256: 32, sha384: 48, sha512: 64 };

/** DER of DigestInfo up to the hash value (RFC 8017, section 9.2, note 1). */
const DIGEST_INFO_PREFIX: Readonly<Record<RsaHash, Buffer>> = {
  sha256: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  sha384: Buffer.from('3041300d060960864801650304020205000430', 'hex'),
  sha512: Buffer.from('3051300d060960864801650304020305000440', 'hex'),
};

/** At least this many bytes 0xff stand in PKCS#1 v1.5 padding. */
const MIN_PKCS1_FILL_BYTES = 8;
const PSS_TRAILER = 0xbc;

/** What is signed, and how. */
export interface RsaMessage {
  readonly scheme: RsaScheme;
  readonly message: Uint8Array;
  /** {@link saltBytes} of the scheme: as long as the hash for PSS, empty for PKCS#1 v1.5. */
  readonly salt: Uint8Array;
}

export function saltBytes(scheme: RsaScheme): number {
  const { padding, hash } = RSA_SCHEME_FORMS[scheme];
  return padding === 'pss' ? HASH_BYTES[hash] : 0;
}

/**
 * The encoded message EM as k = ⌈modulusBits / 8⌉ bytes, an integer below any modulus of that size.
 * Throws `RsaError` `invalid_input` for a salt of another length and a modulus too short for the hash.
 */
export function encodeRsaMessage(input: RsaMessage, modulusBits: number): Buffer {
  const { padding, hash } = RSA_SCHEME_FORMS[input.scheme];
  if (input.salt.length !== saltBytes(input.scheme)) {
    throw new RsaError('invalid_input', `salt of ${input.salt.length} bytes`);
  }
  const digest = createHash(hash).update(input.message).digest();
  return padding === 'pss'
    ? encodePss(hash, digest, input.salt, modulusBits)
    : encodePkcs1(hash, digest, modulusBits);
}

/** 00 01 FF … FF 00 ‖ DigestInfo. */
function encodePkcs1(hash: RsaHash, digest: Buffer, modulusBits: number): Buffer {
  const digestInfo = Buffer.concat([DIGEST_INFO_PREFIX[hash], digest]);
  const fillBytes = Math.ceil(modulusBits / 8) - digestInfo.length - 3;
  if (fillBytes < MIN_PKCS1_FILL_BYTES) throw tooShort(hash);
  const fill = Buffer.alloc(fillBytes, 0xff);
  return Buffer.concat([Buffer.from([0, 1]), fill, Buffer.from([0]), digestInfo]);
}

/** maskedDB ‖ H ‖ BC, where DB = 00 … 00 01 ‖ salt and H = Hash(eight zero bytes ‖ digest ‖ salt). */
function encodePss(hash: RsaHash, digest: Buffer, salt: Uint8Array, modulusBits: number): Buffer {
  const emBits = modulusBits - 1;
  const emBytes = Math.ceil(emBits / 8);
  const dbBytes = emBytes - digest.length - 1;
  if (dbBytes < salt.length + 1) throw tooShort(hash);
  const h = createHash(hash).update(Buffer.alloc(8)).update(digest).update(salt).digest();
  const db = Buffer.alloc(dbBytes);
  db[dbBytes - salt.length - 1] = 1;
  db.set(salt, dbBytes - salt.length);
  const mask = mgf1(hash, h, dbBytes);
  const masked = db.map((byte, index) => byte ^ (mask[index] ?? 0));
  masked[0] = (masked[0] ?? 0) & (0xff >> (8 * emBytes - emBits));
  // EM is a byte shorter than the modulus when modulusBits is 1 more than a multiple of 8
  const lead = Buffer.alloc(Math.ceil(modulusBits / 8) - emBytes);
  return Buffer.concat([lead, masked, h, Buffer.from([PSS_TRAILER])]);
}

/** RFC 8017, appendix B.2.1. */
function mgf1(hash: RsaHash, seed: Buffer, length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let counter = 0; counter * HASH_BYTES[hash] < length; counter += 1) {
    const suffix = Buffer.alloc(4);
    suffix.writeUInt32BE(counter);
    blocks.push(createHash(hash).update(seed).update(suffix).digest());
  }
  return Buffer.concat(blocks).subarray(0, length);
}

function tooShort(hash: RsaHash): RsaError {
  return new RsaError('invalid_input', `modulus too short for ${hash}`);
}
