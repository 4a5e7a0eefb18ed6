import { createPrivateKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import forge from 'node-forge';
import {
  derOf,
  ed25519Key,
  ed25519Version2,
  encryptedPem,
  keyFile,
  PASSPHRASE,
  pemBlock,
  pemOf,
  publicHalf,
  rsaKey,
  seed,
} from '../../fixtures/key-files.js';
import { toBigInt } from '@countersign/core/big-integers.js';
import type { RsaSecret } from './imported-secret.js';
import { publicKeyOf, wipeSecret } from './imported-secret.js';
import { readKeyFile } from './read-key-file.js';
import { rsaTestKey } from '../../../test/support/rsa-test-keys.ts';

const both = Buffer.concat([seed, publicHalf]);
const line = (text: string) => Buffer.from(`${text}\n`);
const jwkOf = (key = ed25519Key) => key.export({ format: 'jwk' });

/** What it is, the file, its form, the passphrase. */
type Row = [string, Buffer, string, string?];

describe('an Ed25519 seed is read from', () => {
  const version2 = ed25519Version2(seed, publicHalf);
  test.each<Row>([
    ['hex', line(seed.toString('hex')), 'seed'],
    ['upper-case hex', line(seed.toString('hex').toUpperCase()), 'seed'],
    ['base64', line(seed.toString('base64')), 'seed'],
    ['base64 without a line end', Buffer.from(seed.toString('base64')), 'seed'],
    ['seed and public key in hex', line(both.toString('hex')), 'seed'],
    ['seed and public key in base64', line(both.toString('base64')), 'seed'],
    ['PKCS#8 DER', derOf(ed25519Key, 'pkcs8'), 'pkcs8'],
    ['PKCS#8 PEM', pemOf(ed25519Key, 'pkcs8'), 'pkcs8'],
    ['PKCS#8 PEM with Windows line ends', windows(pemOf(ed25519Key, 'pkcs8')), 'pkcs8'],
    ['PKCS#8 version 2 DER', version2, 'pkcs8'],
    ['PKCS#8 version 2 PEM', pemBlock('PRIVATE KEY', version2), 'pkcs8'],
    ['PKCS#8 version 2, explicitly tagged', ed25519Version2(seed, publicHalf, true), 'pkcs8'],
    ['JWK', Buffer.from(JSON.stringify(jwkOf())), 'jwk'],
    ['JWK with names of its own', line(JSON.stringify({ kid: 'a', ...jwkOf() }, null, 2)), 'jwk'],
    ['PKCS#8 PEM under PBES2', encryptedPem(ed25519Key, 'aes-256-cbc'), 'pkcs8', PASSPHRASE],
    ['PKCS#8 PEM under scrypt', keyFile('ed25519-scrypt.pem'), 'pkcs8', PASSPHRASE],
    ['PKCS#8 version 2 under PBES2', encryptedVersion2(), 'pkcs8', PASSPHRASE],
    ['PKCS#12', keyFile('ed25519-modern.p12'), 'pkcs12', PASSPHRASE],
    ['PKCS#12 of old', keyFile('ed25519-legacy.p12'), 'pkcs12', PASSPHRASE],
  ])('%s', (...[, file, encoding, passphrase]: Row) => {
    const secret = readKeyFile(file, { type: 'ed25519', passphrase });
    expect(secret).toEqual({ type: 'ed25519', seed, encoding });
    expect(readKeyFile(file, { type: 'ed25519', passphrase, encoding })).toEqual(secret);
  });

  test('hex that begins like DER', () => {
    const seedFrom30 = Buffer.concat([Buffer.from([0x30]), randomBytes(31)]);
    const secret = readKeyFile(line(seedFrom30.toString('hex')), { type: 'ed25519' });
    expect(secret).toMatchObject({ seed: seedFrom30 });
  });
});

function windows(pem: Buffer): Buffer {
  return Buffer.from(pem.toString().replaceAll('\n', '\r\n'));
}

/** Node neither reads nor writes version 2. */
function encryptedVersion2(passphrase = PASSPHRASE): Buffer {
  const plain = forge.asn1.fromDer(ed25519Version2(seed, publicHalf).toString('binary'));
  const password = forge.util.encodeUtf8(passphrase);
  const encrypted = forge.pki.encryptPrivateKeyInfo(plain, password, { algorithm: 'aes256' });
  const der = Buffer.from(forge.asn1.toDer(encrypted).getBytes(), 'binary');
  return pemBlock('ENCRYPTED PRIVATE KEY', der);
}

describe('an RSA key is read from', () => {
  const expected = expectedRsa();
  test.each<Row>([
    ['PKCS#1 PEM', pemOf(rsaKey, 'pkcs1'), 'pkcs1'],
    ['PKCS#1 DER', derOf(rsaKey, 'pkcs1'), 'pkcs1'],
    ['PKCS#8 PEM', pemOf(rsaKey, 'pkcs8'), 'pkcs8'],
    ['PKCS#8 DER', derOf(rsaKey, 'pkcs8'), 'pkcs8'],
    ['PKCS#8 under the label of PKCS#1', mislabelled(), 'pkcs8'],
    ['a JWK', Buffer.from(JSON.stringify(jwkOf(rsaKey))), 'jwk'],
    ['PKCS#8 PEM under PBES2', encryptedPem(rsaKey, 'aes-128-cbc'), 'pkcs8', PASSPHRASE],
    ['PKCS#8 DER under PBES2', encryptedDer(), 'pkcs8', PASSPHRASE],
    ['PKCS#8 PEM under PBE-SHA1-3DES', keyFile('rsa-3des.pem'), 'pkcs8', PASSPHRASE],
    ['PKCS#8 PEM under PBE-SHA1-RC2-40', keyFile('rsa-rc2.pem'), 'pkcs8', PASSPHRASE],
    ['PEM encrypted by header with AES', keyFile('rsa-header-aes.pem'), 'pkcs1', PASSPHRASE],
    ['PEM encrypted by header with DES', keyFile('rsa-header-des.pem'), 'pkcs1', PASSPHRASE],
    ['PKCS#12', keyFile('rsa-modern.p12'), 'pkcs12', PASSPHRASE],
    ['PKCS#12 of old', keyFile('rsa-legacy.p12'), 'pkcs12', PASSPHRASE],
    ['PKCS#12 written by node-forge', forgePkcs12({ algorithm: '3des' }), 'pkcs12', PASSPHRASE],
    ['a file with a certificate beside the key', withCertificate(), 'pkcs8'],
  ])('%s', (...[, file, encoding, passphrase]: Row) => {
    const secret = readKeyFile(file, { type: 'rsa', passphrase });
    expect(secret).toEqual({ ...expected, encoding });
    expect(readKeyFile(file, { type: 'rsa', passphrase, encoding })).toEqual(secret);
  });

  test.each(['3072', '4096'] as const)('%s bits', (bits) => {
    const { privateKey } = rsaTestKey(bits);
    const secret = readKeyFile(pemOf(privateKey, 'pkcs1'), { type: 'rsa' }) as RsaSecret;
    expect(secret.publicExponent).toBe(3);
    expect(secret.modulus.toString(2)).toHaveLength(Number(bits));
  });
});

function expectedRsa() {
  const jwk = jwkOf(rsaKey);
  const number = (text = '') => toBigInt(Buffer.from(text, 'base64url'));
  const [p, q, d] = [number(jwk.p), number(jwk.q), number(jwk.d)];
  return { type: 'rsa', modulus: number(jwk.n), publicExponent: 65537, p, q, d };
}

function mislabelled(): Buffer {
  return pemBlock('RSA PRIVATE KEY', derOf(rsaKey, 'pkcs8'));
}

function encryptedDer(): Buffer {
  const form = { format: 'der', type: 'pkcs8', cipher: 'aes-256-cbc' } as const;
  return rsaKey.export({ ...form, passphrase: PASSPHRASE });
}

function forgePkcs12(options: object): Buffer {
  const key = forge.pki.privateKeyFromPem(pemOf(rsaKey, 'pkcs1').toString());
  const pfx = forge.pkcs12.toPkcs12Asn1(key, null as never, PASSPHRASE, options);
  return Buffer.from(forge.asn1.toDer(pfx).getBytes(), 'binary');
}

function withCertificate(): Buffer {
  const certificate = keyFile('certificate.pem');
  const attributes = Buffer.from('Bag Attributes\n    friendlyName: clé\n');
  return Buffer.concat([attributes, certificate, pemOf(rsaKey, 'pkcs8')]);
}

test('a passphrase outside ASCII opens what takes it as UTF-8, and what takes it as UTF-16', () => {
  const passphrase = 'Schlüssel für 取引所';
  const options = { type: 'ed25519', passphrase } as const;
  expect(readKeyFile(encryptedPem(ed25519Key, 'aes-256-cbc', passphrase), options)).toBeDefined();
  expect(readKeyFile(encryptedVersion2(passphrase), options)).toMatchObject({ seed });
});

test('the public key goes with the private one', () => {
  for (const [type, key] of [
    ['ed25519', ed25519Key],
    ['rsa', rsaKey],
  ] as const) {
    const publicKey = publicKeyOf(readKeyFile(pemOf(key, 'pkcs8'), { type }));
    const own = createPrivateKey(pemOf(key, 'pkcs8')).export({ format: 'jwk' });
    expect(publicKey?.export({ format: 'jwk' })).toMatchObject(
      type === 'rsa' ? { n: own.n, e: own.e } : { x: own.x },
    );
  }
});

test('the secret outlives the file it came from, and is gone when it is wiped', () => {
  const files = [
    derOf(ed25519Key, 'pkcs8'),
    line(seed.toString('hex')),
    ed25519Version2(seed, publicHalf),
  ];
  for (const file of files) {
    const secret = readKeyFile(file, { type: 'ed25519' });
    file.fill(0);
    expect(secret).toMatchObject({ seed });
    wipeSecret(secret);
    expect(secret).toMatchObject({ seed: Buffer.alloc(32) });
  }
});
