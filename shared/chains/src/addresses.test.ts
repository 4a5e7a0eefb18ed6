import { createPrivateKey, createPublicKey } from 'node:crypto';

import { Ed25519PublicKey as AptosPublicKey } from '@aptos-labs/ts-sdk';
import { describe, expect, test } from '@jest/globals';
import { Ed25519PublicKey as SuiPublicKey } from '@mysten/sui/keypairs/ed25519';
import { PublicKey as NearPublicKey } from '@near-js/crypto';
import { baseEncode } from '@near-js/utils';
import { address as kitAddress, getAddressDecoder, isAddress } from '@solana/kit';
import { StrKey } from '@stellar/stellar-base';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.js';

import { addressOf, isAddressOf } from './addresses.js';
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

  test('accepts every derived address', () => {
    fc.assert(
      fc.property(publicKeys, (publicKey) => isAddressOf(family, addressOf(family, publicKey))),
      RUNS,
    );
  });

  test('refuses an address with something before, behind or missing', () => {
    fc.assert(
      fc.property(publicKeys, fc.constantFrom('0', '1', 'A', 'a', ' ', '\n', '='), (key, extra) => {
        const address = addressOf(family, key);
        // Two more and twelve fewer: 32 bytes in base58 have no fixed length, so one would not do.
        expect(isAddressOf(family, `${address}${extra}${extra}`)).toBe(false);
        expect(isAddressOf(family, `${extra}${extra}${address}`)).toBe(false);
        expect(isAddressOf(family, address.slice(0, -12))).toBe(false);
      }),
      RUNS,
    );
  });

  test('refuses white space around an address', () => {
    const address = addressOf(family, new Uint8Array(32).fill(200));
    for (const text of [`${address}\n`, `${address} `, ` ${address}`, '']) {
      expect(isAddressOf(family, text)).toBe(false);
    }
  });

  test('never throws, whatever the text', () => {
    fc.assert(
      fc.property(anyText(100), (text) => {
        expect(typeof isAddressOf(family, text)).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });

  test.each([0, 31, 33, 64])('refuses a key of %i bytes', (length) => {
    expect(() => addressOf(family, new Uint8Array(length))).toThrow(RangeError);
  });
});

describe('one spelling per address', () => {
  const key = publicKeyOf(new Uint8Array(32).fill(7));

  test.each(['sui', 'aptos', 'near'] as const)('%s refuses upper-case hex', (family) => {
    const address = addressOf(family, key);
    expect(isAddressOf(family, address.toUpperCase().replace('0X', '0x'))).toBe(false);
  });

  test.each(['sui', 'aptos'] as const)('%s refuses the short form and a missing 0x', (family) => {
    expect(isAddressOf(family, '0x1')).toBe(false);
    expect(isAddressOf(family, addressOf(family, key).slice(2))).toBe(false);
  });

  test('NEAR refuses named accounts, which no key derives', () => {
    expect(isAddressOf('near', 'alice.near')).toBe(false);
    expect(isAddressOf('near', `0x${addressOf('near', key)}`)).toBe(false);
  });

  test('Solana accepts exactly what its own library accepts', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 28, maxLength: 36 }), (bytes) => {
        const text = toBase58(bytes);
        expect(isAddressOf('solana', text)).toBe(isAddress(text));
      }),
      { numRuns: 500 },
    );
    expect(kitAddress(addressOf('solana', key))).toBe(addressOf('solana', key));
  });

  test('Solana refuses a long text at once', () => {
    expect(isAddressOf('solana', '2'.repeat(1_000_000))).toBe(false);
  });
});

describe('Stellar checksums', () => {
  test('any changed character is refused', () => {
    const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
    fc.assert(
      fc.property(publicKeys, fc.nat(55), fc.constantFrom(...alphabet), (key, index, character) => {
        const address = addressOf('stellar', key);
        const changed = `${address.slice(0, index)}${character}${address.slice(index + 1)}`;
        expect(isAddressOf('stellar', changed)).toBe(changed === address);
        expect(StrKey.isValidEd25519PublicKey(changed)).toBe(changed === address);
      }),
      { numRuns: 500 },
    );
  });

  test('other kinds of Stellar keys are no accounts, though their checksums are right', () => {
    const bytes = Buffer.alloc(32, 9);
    for (const other of [
      StrKey.encodeEd25519SecretSeed(bytes),
      StrKey.encodePreAuthTx(bytes),
      StrKey.encodeSha256Hash(bytes),
      StrKey.encodeContract(bytes),
    ]) {
      expect(other).toHaveLength(56);
      expect(isAddressOf('stellar', other)).toBe(false);
    }
  });
});

/** Plain big-number base58, for byte strings of any length. */
function toBase58(bytes: Uint8Array): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let value = bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
  let text = '';
  for (; value > 0n; value /= 58n) {
    text = `${alphabet[Number(value % 58n)]}${text}`;
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return `${'1'.repeat(zeros === -1 ? bytes.length : zeros)}${text}`;
}
