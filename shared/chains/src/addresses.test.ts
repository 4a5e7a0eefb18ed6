import { createPrivateKey, createPublicKey } from 'node:crypto';

import { Ed25519PublicKey as AptosPublicKey } from '@aptos-labs/ts-sdk';
import { describe, expect, test } from '@jest/globals';
import { Ed25519PublicKey as SuiPublicKey } from '@mysten/sui/keypairs/ed25519';
import { PublicKey as NearPublicKey } from '@near-js/crypto';
import { baseEncode } from '@near-js/utils';
import { getAddressDecoder } from '@solana/kit';
import { StrKey } from '@stellar/stellar-base';
import fc from 'fast-check';
import { isAddressOf } from '../../../test/support/address-forms.js';

import { addressOf } from './addresses.js';
import { NETWORK_FAMILIES, type NetworkFamily } from '@countersign/core/vocabulary.js';

const RUNS = { numRuns: 100 };

const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The public key of an Ed25519 seed, by node:crypto. */
function publicKeyOf(seed: Uint8Array): Uint8Array {
  const der = Buffer.from(`302e020100300506032b657004220420${toHex(seed)}`, 'hex');
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Uint8Array.from(Buffer.from(x ?? '', 'base64url'));
}

const publicKeys = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(publicKeyOf);

/** What the chain's own library says. */
const BY_SDK: Record<NetworkFamily, (publicKey: Uint8Array) => string> = {
  solana: (publicKey) => getAddressDecoder().decode(publicKey),
  sui: (publicKey) => new SuiPublicKey(publicKey).toSuiAddress(),
  aptos: (publicKey) => new AptosPublicKey(publicKey).authKey().derivedAddress().toStringLong(),
  stellar: (publicKey) => StrKey.encodeEd25519PublicKey(Buffer.from(publicKey)),
  near: (publicKey) => toHex(NearPublicKey.fromString(`ed25519:${baseEncode(publicKey)}`).data),
};

describe('published vectors', () => {
  test('Solana', () => {
    const key = fromHex('18f9d8d877393bbbe8d697a8a2e52879cc7e84f467656d1cce6bab5a8d2637ec');
    expect(addressOf('solana', key)).toBe('2gVkYWexTHR5Hb2aLeQN3tnngvWzisFKXDUPrgMHpdST');
  });

  test('Sui', () => {
    const seed = fromHex('088baa019f081d6eab8dff5c447f9ce2f83c1babf3d03686299eaf6a1e89156e');
    expect(addressOf('sui', publicKeyOf(seed))).toBe(
      '0x259ff8074ab425cbb489f236e18e08f03f1a7856bdf7c7a2877bd64f738b5015',
    );
  });

  test('Stellar', () => {
    const key = fromHex('03e20ec6b4a39a629815ae02c0a1393b9225e3b890cae45b59f42fa29be9668d');
    expect(addressOf('stellar', key)).toBe(
      'GAB6EDWGWSRZUYUYCWXAFQFBHE5ZEJPDXCIMVZC3LH2C7IU35FTI2NOQ',
    );
  });

  test('NEAR: the key of a known implicit account', () => {
    // https://nomicon.io/DataStructures/Account, "Implicit account IDs"
    const key = NearPublicKey.fromString('ed25519:BGCCDDHfysuuVnaNVtEhhqeT4k9Muyem3Kpgq2U1m9HX');
    expect(addressOf('near', key.data)).toBe(
      '98793cd91a3f870fb126f66285808c7e094afcfc4eda8a970f6648cdf0dbd6de',
    );
  });

  test('the all-zero key keeps its leading zeros', () => {
    expect(addressOf('solana', new Uint8Array(32))).toBe('1'.repeat(32));
    expect(addressOf('near', new Uint8Array(32))).toBe('0'.repeat(64));
  });
});

describe.each(NETWORK_FAMILIES)('%s', (family) => {
  test('gives the address that its own SDK gives', () => {
    fc.assert(
      fc.property(publicKeys, (publicKey) => {
        expect(addressOf(family, publicKey)).toBe(BY_SDK[family](publicKey));
      }),
      RUNS,
    );
  });

  test('is in its canonical spelling', () => {
    fc.assert(
      fc.property(publicKeys, (publicKey) => isAddressOf(family, addressOf(family, publicKey))),
      RUNS,
    );
  });

  test.each([0, 31, 33, 64])('refuses a key of %i bytes', (length) => {
    expect(() => addressOf(family, new Uint8Array(length))).toThrow(RangeError);
  });
});
