import { createPublicKey, generateKeyPairSync, generatePrimeSync, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import fc from 'fast-check';
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
  pkcs1Of,
  publicHalf,
  rsaKey,
  seed,
} from '../../fixtures/key-files.js';
import type { RsaSecret } from './imported-secret.js';
import { KeyFileError } from './key-file-error.js';
import { readKeyFile, type KeyFileOptions } from './read-key-file.js';
import { howMany } from '../../../test/support/how-many.js';

function faultOf(file: Buffer, options: KeyFileOptions): unknown {
  try {
    readKeyFile(file, options);
    return 'read';
  } catch (error) {
    // anything else would be an error that nobody wrote for this file
    if (!(error instanceof KeyFileError)) throw error;
    expect(error.cause).toBeUndefined();
    return error.fault;
  }
}

const ecKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const smallRsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
const spkiOf = (key: typeof rsaKey) => createPublicKey(key).export({ format: 'der', type: 'spki' });
const otherPublicHalf = spkiOf(generateKeyPairSync('ed25519').privateKey).subarray(-32);
const jwk = ed25519Key.export({ format: 'jwk' });

describe('refused, whatever was asked for:', () => {
  const sec1 = ecKey.export({ format: 'der', type: 'sec1' });
  const ecPem = Buffer.from(ecKey.export({ format: 'pem', type: 'sec1' }));
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;
  const x25519 = generateKeyPairSync('x25519').privateKey;
  test.each<[string, Buffer, string]>([
    ['an empty file', Buffer.alloc(0), 'empty'],
    ['a file of 64 KiB and one byte', Buffer.alloc(65_537, 'a'), 'too_large'],
    ['noise', Buffer.from('fffe00112233', 'hex'), 'unrecognised'],
    ['another ASN.1 structure', Buffer.from('3003010100', 'hex'), 'unrecognised'],
    ['UTF-16 text', Buffer.from('-----BEGIN PRIVATE KEY-----', 'utf16le'), 'unrecognised'],
    ['an EC key in PKCS#8', pemOf(ecKey, 'pkcs8'), 'ec_key'],
    ['an EC key in SEC1 PEM', ecPem, 'ec_key'],
    ['an EC key in SEC1 DER', sec1, 'ec_key'],
    ['an EC key in a JWK', jsonOf(ecKey.export({ format: 'jwk' })), 'ec_key'],
    ['an X25519 key', pemOf(x25519, 'pkcs8'), 'unsupported_key'],
    ['an X25519 key in a JWK', jsonOf(x25519.export({ format: 'jwk' })), 'unsupported_key'],
    ['an RSASSA-PSS key', pemOf(pss, 'pkcs8'), 'unsupported_key'],
    ['an OpenSSH key', pemBlock('OPENSSH PRIVATE KEY', randomBytes(40)), 'openssh_key'],
    ['a public key in PEM', pemBlock('PUBLIC KEY', spkiOf(rsaKey)), 'public_key'],
    ['a public key in DER', spkiOf(ed25519Key), 'public_key'],
    ['a PKCS#1 public key in DER', publicPkcs1(), 'public_key'],
    ['a PKCS#1 public key in PEM', pemBlock('RSA PUBLIC KEY', publicPkcs1()), 'public_key'],
    ['a public JWK', jsonOf({ ...jwk, d: undefined }), 'public_key'],
    ['a public RSA JWK', jsonOf(createPublicKey(rsaKey).export({ format: 'jwk' })), 'public_key'],
    ['a certificate in PEM', keyFile('certificate.pem'), 'certificate'],
    ['a certificate in DER', certificateDer(), 'certificate'],
    ['a certificate request', pemBlock('CERTIFICATE REQUEST', randomBytes(40)), 'no_private_key'],
    ['two private keys', Buffer.concat([pemOf(rsaKey, 'pkcs1'), ecPem]), 'several_keys'],
    ['PEM without its end', pemOf(rsaKey, 'pkcs1').subarray(0, 800), 'truncated'],
    ['PEM with an empty body', pemBlock('PRIVATE KEY', Buffer.alloc(0)), 'truncated'],
    ['PEM whose body is no base64', Buffer.from(badPem()), 'malformed'],
    ['PKCS#8 PEM cut inside', cutPem(pemOf(rsaKey, 'pkcs8')), 'truncated'],
    ['PKCS#8 DER cut short', derOf(rsaKey, 'pkcs8').subarray(0, -1), 'truncated'],
    ['Ed25519 DER cut short', derOf(ed25519Key, 'pkcs8').subarray(0, 40), 'truncated'],
    ['encrypted DER cut short', encryptedDer().subarray(0, -7), 'truncated'],
    ['PKCS#12 cut short', keyFile('rsa-modern.p12').subarray(0, 1000), 'truncated'],
    ['bytes behind the key', Buffer.concat([derOf(rsaKey, 'pkcs8'), randomBytes(1)]), 'malformed'],
    ['PKCS#1 with a number missing', pkcs1Without(), 'malformed'],
    ['JSON that is none', Buffer.from(`{"kty":"OKP","d":"${jwk.d ?? ''}"`), 'malformed'],
    ['a JWK of another kind', jsonOf({ kty: 'oct', k: 'AAAA' }), 'unsupported_key'],
  ])('%s', (_what, file, fault) => {
    expect(faultOf(file, { type: 'ed25519' })).toBe(fault);
    expect(faultOf(file, { type: 'rsa' })).toBe(fault);
  });
});

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function publicPkcs1(): Buffer {
  return createPublicKey(rsaKey).export({ format: 'der', type: 'pkcs1' });
}

function certificateDer(): Buffer {
  const text = keyFile('certificate.pem').toString();
  return Buffer.from(text.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
}

function badPem(): string {
  return pemOf(rsaKey, 'pkcs1').toString().replace('\n', '\n!!');
}

function cutPem(pem: Buffer): Buffer {
  const lines = pem.toString().split('\n');
  return Buffer.from([...lines.slice(0, 10), ...lines.slice(-2)].join('\n'));
}

function encryptedDer(): Buffer {
  const form = { format: 'der', type: 'pkcs8', cipher: 'aes-256-cbc' } as const;
  return rsaKey.export({ ...form, passphrase: PASSPHRASE });
}

function pkcs1Without(): Buffer {
  return Buffer.from('3009020100020103020105', 'hex');
}

describe('an Ed25519 key is refused:', () => {
  const both = (publicKey: Buffer) => Buffer.concat([seed, publicKey]);
  const x = otherPublicHalf.toString('base64url');
  test.each<[string, Buffer, string]>([
    [
      'another key behind the seed (hex)',
      text(both(otherPublicHalf), 'hex'),
      'public_half_differs',
    ],
    [
      'another key behind it (base64)',
      text(both(otherPublicHalf), 'base64'),
      'public_half_differs',
    ],
    ['public key before the seed', text(swapped(), 'hex'), 'public_half_differs'],
    ['another key in version 2', ed25519Version2(seed, otherPublicHalf), 'public_half_differs'],
    ['another key in a JWK', jsonOf({ ...jwk, x }), 'public_half_differs'],
    ['a JWK without public key', jsonOf({ ...jwk, x: undefined }), 'malformed'],
    ['a JWK with a short seed', jsonOf({ ...jwk, d: jwk.d?.slice(4) }), 'malformed'],
    ['a JWK whose seed is a number', jsonOf({ ...jwk, d: 7 }), 'malformed'],
    ['31 bytes of hex', text(seed.subarray(1), 'hex'), 'seed_length'],
    ['33 bytes of base64', text(Buffer.concat([seed, randomBytes(1)]), 'base64'), 'seed_length'],
    ['a seed in base64url', Buffer.from('_'.repeat(43)), 'seed_length'],
    ['words', Buffer.from('correct horse battery staple'), 'seed_length'],
    ['a key inside a key that is too short', shortPkcs8(), 'malformed'],
    ['an RSA key', pemOf(rsaKey, 'pkcs8'), 'not_ed25519'],
  ])('%s', (_what, file, fault) => {
    expect(faultOf(file, { type: 'ed25519' })).toBe(fault);
  });

  test('in another form than was stated', () => {
    const options = { type: 'ed25519', encoding: 'seed' } as const;
    expect(faultOf(pemOf(ed25519Key, 'pkcs8'), options)).toBe('other_form');
    expect(faultOf(text(seed, 'hex'), { ...options, encoding: 'utf8' })).toBe('encoding_unknown');
  });

  function text(bytes: Buffer, encoding: 'hex' | 'base64'): Buffer {
    return Buffer.from(bytes.toString(encoding));
  }

  function swapped(): Buffer {
    return Buffer.concat([publicHalf, seed]);
  }

  function shortPkcs8(): Buffer {
    return Buffer.from(`300e020100300506032b657004020400`, 'hex');
  }
});

describe('an RSA key is refused:', () => {
  const { modulus: n, d, p, q } = readKeyFile(pemOf(rsaKey, 'pkcs1'), { type: 'rsa' }) as RsaSecret;
  const sound = { n, e: 65537n, d, p, q };
  const otherPrime = generatePrimeSync(1024, { bigint: true });

  test('unless its numbers belong together', () => {
    expect(faultOf(pkcs1Of(sound), { type: 'rsa' })).toBe('read');
  });

  test.each<[string, Partial<typeof sound>, string]>([
    ['a private exponent that is off', { d: d + 2n }, 'rsa_inconsistent'],
    ['a private exponent above the modulus', { d: d + (p - 1n) * (q - 1n) }, 'rsa_inconsistent'],
    ['another public exponent', { e: 65539n }, 'rsa_inconsistent'],
    ['a prime of another key', { p: otherPrime }, 'rsa_inconsistent'],
    ['1 as a prime', { p: 1n, q: n }, 'rsa_primes'],
    ['an even exponent', { e: 65536n }, 'rsa_exponent'],
    ['exponent 1', { e: 1n, d: 1n }, 'rsa_exponent'],
    ['an exponent of 33 bits', { e: (1n << 32n) + 1n }, 'rsa_exponent'],
    ['a square', { n: p * p, q: p }, 'rsa_inconsistent'],
    ['a modulus of one bit less', oddSize(), 'rsa_size'],
    ['composites as primes', composites(), 'rsa_primes'],
  ])('%s', (_what, change, fault) => {
    expect(faultOf(pkcs1Of({ ...sound, ...change }), { type: 'rsa' })).toBe(fault);
  });

  test('of three primes', () => {
    expect(faultOf(keyFile('rsa-three-primes.pem'), { type: 'rsa' })).toBe('rsa_primes');
  });

  test('of 1024 bits', () => {
    expect(faultOf(pemOf(smallRsa, 'pkcs1'), { type: 'rsa' })).toBe('rsa_size');
  });

  test('that is an Ed25519 key', () => {
    expect(faultOf(pemOf(ed25519Key, 'pkcs8'), { type: 'rsa' })).toBe('not_rsa');
  });

  test('in another form than was stated', () => {
    const options = { type: 'rsa', encoding: 'pkcs8' } as const;
    expect(faultOf(pemOf(rsaKey, 'pkcs1'), options)).toBe('other_form');
  });

  function oddSize() {
    const short = generatePrimeSync(1023, { bigint: true });
    return { p: short, n: short * q };
  }

  /** d fits e and the "primes", so nothing but the test for primes can tell. */
  function composites() {
    for (;;) {
      const half = () => generatePrimeSync(512, { bigint: true });
      const [left, right] = [half() * half(), half() * half()];
      const lambda = (left - 1n) * (right - 1n);
      const inverse = inverseOf(65537n, lambda);
      if ((left * right).toString(2).length === 2048 && inverse !== undefined) {
        return { n: left * right, p: left, q: right, d: inverse };
      }
    }
  }

  function inverseOf(value: bigint, modulus: bigint): bigint | undefined {
    let [old, rest, x, next] = [value, modulus, 1n, 0n];
    while (rest !== 0n) {
      const quotient = old / rest;
      [old, rest] = [rest, old - quotient * rest];
      [x, next] = [next, x - quotient * next];
    }
    return old === 1n ? ((x % modulus) + modulus) % modulus : undefined;
  }
});

describe('an encrypted file', () => {
  const files: [string, KeyType, Buffer][] = [
    ['PBES2', 'ed25519', encryptedPem(ed25519Key, 'aes-256-cbc')],
    ['scrypt', 'ed25519', keyFile('ed25519-scrypt.pem')],
    ['PBES2, RSA', 'rsa', encryptedPem(rsaKey, 'aes-256-cbc')],
    ['PBE-SHA1-3DES', 'rsa', keyFile('rsa-3des.pem')],
    ['PBE-SHA1-RC2-40', 'rsa', keyFile('rsa-rc2.pem')],
    ['header with AES', 'rsa', keyFile('rsa-header-aes.pem')],
    ['header with DES', 'rsa', keyFile('rsa-header-des.pem')],
  ];

  test.each(files)('%s does not open with another passphrase', (_form, type, file) => {
    for (const passphrase of ['', 'open Sesame', 'opën sesame', `${PASSPHRASE} `]) {
      expect(faultOf(file, { type, passphrase })).toBe('wrong_passphrase');
    }
  });

  test.each(files)('%s does not open without a passphrase', (_form, type, file) => {
    expect(faultOf(file, { type })).toBe('passphrase_missing');
  });

  test.each(['rsa-modern.p12', 'rsa-legacy.p12'])('%s does not open otherwise', (name) => {
    const open = (passphrase?: string) => faultOf(keyFile(name), { type: 'rsa', passphrase });
    expect(open('open Sesame')).toBe('wrong_passphrase');
    expect(open()).toBe('wrong_passphrase');
    expect(open('opën sesame')).toBe('passphrase_not_ascii');
  });

  test('of a kind that nobody here knows is called so', () => {
    const unknownKdf = Buffer.from(encryptedDer());
    // the last byte of PBKDF2's object id, 1.2.840.113549.1.5.12
    unknownKdf[unknownKdf.indexOf(Buffer.from('2a864886f70d01050c', 'hex')) + 8] = 0x4d;
    const options = { type: 'rsa', passphrase: PASSPHRASE } as const;
    expect(faultOf(unknownKdf, options)).toBe('unsupported_encryption');
    const header = keyFile('rsa-header-des.pem').toString().replace('DES-CBC', 'IDEA-CBC');
    expect(faultOf(Buffer.from(header), options)).toBe('unsupported_encryption');
  });

  test('is not tried with a passphrase of unreasonable length', () => {
    const options = { type: 'rsa', passphrase: 'x'.repeat(1025) } as const;
    expect(faultOf(keyFile('rsa-3des.pem'), options)).toBe('passphrase_too_long');
  });

  test('that holds no key, or two, is refused', () => {
    const key = forge.pki.privateKeyFromPem(pemOf(rsaKey, 'pkcs1').toString());
    const certificate = keyFile('certificate.pem').toString();
    const none = forge.pkcs12.toPkcs12Asn1(null as never, certificate as never, PASSPHRASE, {});
    const options = { type: 'rsa', passphrase: PASSPHRASE } as const;
    expect(faultOf(derOfAsn1(none), options)).toBe('no_private_key');
    expect(faultOf(derOfAsn1(withKeyTwice(key)), options)).toBe('several_keys');
  });
});

function derOfAsn1(value: forge.asn1.Asn1): Buffer {
  return Buffer.from(forge.asn1.toDer(value).getBytes(), 'binary');
}

/** Without a MAC, which would have to be made anew. */
function withKeyTwice(key: forge.pki.rsa.PrivateKey): forge.asn1.Asn1 {
  const pfx = forge.pkcs12.toPkcs12Asn1(key, null as never, PASSPHRASE, { useMac: false });
  const authSafe = at(pfx, 1, 1, 0);
  const safes = forge.asn1.fromDer(authSafe.value as string);
  (safes.value as forge.asn1.Asn1[]).push(at(safes, 0));
  authSafe.value = forge.asn1.toDer(safes).getBytes();
  return pfx;
}

function at(asn1: forge.asn1.Asn1, ...path: number[]): forge.asn1.Asn1 {
  return path.reduce((value, index) => {
    const child = (value.value as forge.asn1.Asn1[])[index];
    if (child === undefined) throw new Error('no such element');
    return child;
  }, asn1);
}

test('a damaged file is refused in so many words, or read: nothing else comes out', () => {
  const files = [
    derOf(rsaKey, 'pkcs1'),
    derOf(ed25519Key, 'pkcs8'),
    ed25519Version2(seed, publicHalf),
    pemOf(ed25519Key, 'pkcs8'),
    jsonOf(jwk),
    keyFile('certificate.pem'),
  ];
  const damages = fc.tuple(fc.constantFrom(...files), fc.nat(), fc.nat(255), fc.nat(3));
  fc.assert(
    fc.property(damages, ([file, position, byte, kind]) => {
      const damaged = Buffer.from(file);
      const at = position % (kind === 0 ? 12 : file.length);
      damaged[at] = byte;
      const cut = kind === 1 ? damaged.subarray(0, at) : damaged;
      expect(typeof faultOf(cut, { type: 'ed25519' })).toBe('string');
    }),
    { numRuns: howMany(1500) },
  );
});

test('no error tells anything of the file or the passphrase', () => {
  const passphrase = 'CANARY-passphrase';
  const seedHex = seed.toString('hex');
  const files = [
    Buffer.from(`CANARY ${seedHex}`),
    Buffer.from(`{"kty":"OKP","CANARY":"${seedHex}`),
    Buffer.from(`{"CANARY":"${seedHex}"}`),
    Buffer.from(`-----BEGIN CANARY PRIVATE KEY-----\n${seedHex}\n-----END CANARY PRIVATE KEY-----`),
    Buffer.from(`-----BEGIN CANARY-----\n${seedHex}\n-----END CANARY-----`),
    ed25519Version2(seed, otherPublicHalf),
    encryptedPem(ed25519Key, 'aes-256-cbc'),
    keyFile('rsa-legacy.p12'),
    keyFile('rsa-header-des.pem'),
    pemOf(smallRsa, 'pkcs8'),
  ];
  let errors = 0;
  for (const file of files) {
    for (const type of ['ed25519', 'rsa', 'hmac'] as const) {
      for (const encoding of [undefined, 'hex', 'base64', 'seed', 'CANARY']) {
        try {
          readKeyFile(file, { type, encoding, passphrase });
        } catch (error) {
          errors += 1;
          const told = `${String(error)} ${JSON.stringify(error)} ${(error as Error).stack ?? ''}`;
          expect(told).toMatch(/^KeyFileError: /);
          expect(told).not.toMatch(/CANARY/);
          expect(told).not.toContain(seedHex.slice(0, 16));
        }
      }
    }
  }
  expect(errors).toBeGreaterThan(100);
});
