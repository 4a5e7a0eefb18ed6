/**
 * Addresses of Ed25519 keys, one function per network family.
 *
 * Each family has exactly one spelling here, the canonical one. So two equal addresses are always two equal strings,
 * and an allow-list can compare text.
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

const SUI_ED25519_FLAG = 0x00;
const APTOS_SINGLE_ED25519_SCHEME = 0x00;

/** SEP-23: account id, 6 << 3, which makes the first base32 character `G`. */
const STELLAR_ACCOUNT_VERSION = 0x30;

const DERIVE: Readonly<Record<NetworkFamily, (publicKey: Uint8Array) => string>> = {
  solana: (publicKey) => base58.encode(publicKey),
  sui: suiAddress,
  aptos: aptosAddress,
  stellar: stellarAddress,
  near: bytesToHex,
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
  return DERIVE[family](publicKey);
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
