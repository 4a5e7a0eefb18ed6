/**
 * Addresses of Ed25519 keys, one function per network family.
 *
 * Each family has exactly one spelling here, the canonical one: `isAddressOf` refuses upper-case hex, short forms and
 * the like. So two equal addresses are always two equal strings, and an allow-list can compare text.
 *
 * Sources: reference implementations in trustwallet/wallet-core (`tw_sui`, `tw_aptos`, `src/Stellar`, `src/NEAR`) and
 * each chain's own SDK, which the tests compare with.
 */
import { blake2b } from '@noble/hashes/blake2.js';
import { sha3_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import { base32nopad, base58 } from '@scure/base';

import type { NetworkFamily } from '@countersign/core/vocabulary.js';

const PUBLIC_KEY_BYTES = 32;

/** The longest base58 text of 32 bytes. Longer input is refused before base58's quadratic decoding. */
const MAX_SOLANA_ADDRESS_LENGTH = 44;

const SUI_ED25519_FLAG = 0x00;
const APTOS_SINGLE_ED25519_SCHEME = 0x00;

/** SEP-23: account id, 6 << 3, which makes the first base32 character `G`. */
const STELLAR_ACCOUNT_VERSION = 0x30;
const STELLAR_ADDRESS_LENGTH = 56;

const HEX_64 = /^[0-9a-f]{64}$/;
const HEX_64_WITH_PREFIX = /^0x[0-9a-f]{64}$/;

interface AddressRules {
  derive(publicKey: Uint8Array): string;
  accepts(address: string): boolean;
}

const RULES: Readonly<Record<NetworkFamily, AddressRules>> = {
  solana: { derive: solanaAddress, accepts: isSolanaAddress },
  sui: { derive: suiAddress, accepts: (address) => HEX_64_WITH_PREFIX.test(address) },
  aptos: { derive: aptosAddress, accepts: (address) => HEX_64_WITH_PREFIX.test(address) },
  stellar: { derive: stellarAddress, accepts: isStellarAddress },
  near: { derive: bytesToHex, accepts: (address) => HEX_64.test(address) },
};

/**
 * The address that this key controls on every network of the family.
 *
 * @param publicKey Ed25519 public key, 32 bytes; the caller checks that it is a good point
 * @throws RangeError when the key does not have 32 bytes
 */
export function addressOf(family: NetworkFamily, publicKey: Uint8Array): string {
  if (publicKey.length !== PUBLIC_KEY_BYTES) {
    throw new RangeError(`an Ed25519 public key has ${PUBLIC_KEY_BYTES} bytes`);
  }
  return RULES[family].derive(publicKey);
}

/**
 * Whether the text is a well-formed, canonically spelled address of the family. Says nothing about who
 * controls it, or whether it exists. For NEAR only implicit accounts count: a named account cannot be
 * derived from a key.
 */
export function isAddressOf(family: NetworkFamily, address: string): boolean {
  return RULES[family].accepts(address);
}

function solanaAddress(publicKey: Uint8Array): string {
  return base58.encode(publicKey);
}

/** Program-derived addresses are off the curve, so any 32 bytes are an address. */
function isSolanaAddress(address: string): boolean {
  if (address.length > MAX_SOLANA_ADDRESS_LENGTH) {
    return false;
  }
  const bytes = decodeOrUndefined(base58, address);
  return bytes?.length === PUBLIC_KEY_BYTES;
}

function suiAddress(publicKey: Uint8Array): string {
  const digest = blake2b(concatBytes(Uint8Array.of(SUI_ED25519_FLAG), publicKey), { dkLen: 32 });
  return `0x${bytesToHex(digest)}`;
}

/** The address an account starts with. Rotating its authentication key later does not move it. */
function aptosAddress(publicKey: Uint8Array): string {
  const scheme = Uint8Array.of(APTOS_SINGLE_ED25519_SCHEME);
  return `0x${bytesToHex(sha3_256(concatBytes(publicKey, scheme)))}`;
}

function stellarAddress(publicKey: Uint8Array): string {
  const payload = concatBytes(Uint8Array.of(STELLAR_ACCOUNT_VERSION), publicKey);
  return base32nopad.encode(concatBytes(payload, stellarChecksum(payload)));
}

function isStellarAddress(address: string): boolean {
  if (address.length !== STELLAR_ADDRESS_LENGTH) {
    return false;
  }
  const bytes = decodeOrUndefined(base32nopad, address);
  if (bytes === undefined) {
    return false;
  }
  // Deriving again checks version byte and checksum together.
  return stellarAddress(bytes.subarray(1, 1 + PUBLIC_KEY_BYTES)) === address;
}

/** CRC16-XMODEM of the payload, low byte first. */
function stellarChecksum(payload: Uint8Array): Uint8Array {
  const crc = crc16Xmodem(payload);
  return Uint8Array.of(crc & 0xff, crc >> 8);
}

/** Polynomial 0x1021, initial value 0, no reflection. */
function crc16Xmodem(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
    }
  }
  return crc;
}

/** The codecs report bad characters and stray bits by throwing; here that is only an answer. */
function decodeOrUndefined(
  codec: { decode(text: string): Uint8Array },
  text: string,
): Uint8Array | undefined {
  try {
    return codec.decode(text);
  } catch {
    return undefined;
  }
}
