import {
  constants,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { encodeRsaMessage, RSA_SCHEME_FORMS, saltBytes, type RsaScheme } from './emsa.js';

const SCHEMES = Object.keys(RSA_SCHEME_FORMS) as RsaScheme[];
const PKCS1 = SCHEMES.filter((scheme) => RSA_SCHEME_FORMS[scheme].padding === 'pkcs1');
const PSS = SCHEMES.filter((scheme) => RSA_SCHEME_FORMS[scheme].padding === 'pss');
const RAW = { padding: constants.RSA_NO_PADDING };

// 1281: one more than a multiple of 8, where an encoded message for PSS is a byte shorter than the modulus
describe.each([1280, 1281, 1283, 2048])('under a modulus of %d bits', (modulusBits) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: modulusBits });

  test.each(PKCS1)('%s is what node:crypto signs', (scheme) => {
    const message = randomBytes(100);
    const signature = sign(RSA_SCHEME_FORMS[scheme].hash, message, privateKey);
    const encoded = encodeRsaMessage({ scheme, message, salt: Buffer.alloc(0) }, modulusBits);
    expect(encoded).toEqual(publicEncrypt({ key: publicKey, ...RAW }, signature));
  });

  test.each(PSS)('%s raised to d is a signature node:crypto verifies', (scheme) => {
    const message = randomBytes(100);
    const salt = randomBytes(saltBytes(scheme));
    const encoded = encodeRsaMessage({ scheme, message, salt }, modulusBits);
    expect(encoded).toHaveLength(Math.ceil(modulusBits / 8));
    const signature = privateDecrypt({ key: privateKey, ...RAW }, encoded);
    const key = {
      key: publicKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: salt.length,
    };
    expect(verify(RSA_SCHEME_FORMS[scheme].hash, message, key, signature)).toBe(true);
    expect(verify(RSA_SCHEME_FORMS[scheme].hash, randomBytes(100), key, signature)).toBe(false);
  });
});

describe('an encoded message', () => {
  const message = randomBytes(20);

  test('hangs on message, scheme and salt, and on nothing else', () => {
    const salts = [randomBytes(64), randomBytes(64)];
    const encode = (scheme: RsaScheme, text: Uint8Array, salt: Uint8Array): string =>
      encodeRsaMessage(
        { scheme, message: text, salt: salt.subarray(0, saltBytes(scheme)) },
        2048,
      ).toString('hex');
    const all = SCHEMES.flatMap((scheme) =>
      [message, randomBytes(20)].flatMap((text) => salts.map((salt) => encode(scheme, text, salt))),
    );
    expect(new Set(all).size).toBe(PKCS1.length * 2 + PSS.length * 4);
    expect(encode('rsa_pss_sha256', message, salts[0] ?? message)).toBe(
      encode('rsa_pss_sha256', message, salts[0] ?? message),
    );
  });

  test('the salt of PSS is as long as the hash, and PKCS#1 v1.5 has none', () => {
    expect(SCHEMES.map((scheme) => [scheme, saltBytes(scheme)])).toEqual([
      ['rsa_pkcs1_sha256', 0],
      ['rsa_pkcs1_sha384', 0],
      ['rsa_pkcs1_sha512', 0],
      ['rsa_pss_sha256', 32],
      ['rsa_pss_sha384', 48],
      ['rsa_pss_sha512', 64],
    ]);
  });

  test.each<[RsaScheme, number, number]>([
    ['rsa_pss_sha256', 31, 2048],
    ['rsa_pss_sha256', 0, 2048],
    ['rsa_pss_sha512', 32, 2048],
    ['rsa_pkcs1_sha256', 32, 2048],
    ['rsa_pkcs1_sha512', 0, 744],
    ['rsa_pss_sha512', 64, 1032],
  ])('%s with %d bytes of salt for %d bits is refused', (scheme, salt, modulusBits) => {
    expect(() =>
      encodeRsaMessage({ scheme, message, salt: randomBytes(salt) }, modulusBits),
    ).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  test('fits the shortest modulus that has room for it', () => {
    const none = Buffer.alloc(0);
    expect(encodeRsaMessage({ scheme: 'rsa_pkcs1_sha512', message, salt: none }, 752)).toHaveLength(
      94,
    );
    const salt = randomBytes(64);
    expect(encodeRsaMessage({ scheme: 'rsa_pss_sha512', message, salt }, 1034)).toHaveLength(130);
  });
});
