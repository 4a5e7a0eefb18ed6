import {
  constants,
  createHmac,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ed25519, ed25519ph } from '@noble/curves/ed25519.js';
import type { Bytes } from './bytes.js';
import { SIGNATURE_SCHEMES, type SignatureScheme } from './signature-schemes.js';
import { verifySignature } from './verify-signature.js';
import { readRsaKey } from './verify-rsa.js';
import { rsaTestKey } from '../../../test/support/rsa-test-keys.ts';

const message = Buffer.from('what was signed');
const edSecret = randomBytes(32);
const edPublic = ed25519.getPublicKey(edSecret);
const rsa = rsaTestKey('2048');
const rsaPublic = spkiOf(rsa.publicKey);

function spkiOf(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

function signRsa(hash: string, padding: number, saltLength = constants.RSA_PSS_SALTLEN_DIGEST) {
  return sign(hash, message, { key: rsa.privateKey, padding, saltLength });
}

interface Made {
  readonly publicKey: Bytes;
  readonly signature: Bytes;
}

/** A signature of each scheme, by libraries that share no code with what verifies it, where there are two. */
const MADE: Readonly<Record<Exclude<SignatureScheme, `hmac_${string}`>, Made>> = {
  ed25519: { publicKey: edPublic, signature: ed25519.sign(message, edSecret) },
  ed25519ph: { publicKey: edPublic, signature: ed25519ph.sign(message, edSecret) },
  ...Object.fromEntries(
    (['sha256', 'sha384', 'sha512'] as const).flatMap((hash) => [
      [`rsa_pkcs1_${hash}`, rsaMade(signRsa(hash, constants.RSA_PKCS1_PADDING))],
      [`rsa_pss_${hash}`, rsaMade(signRsa(hash, constants.RSA_PKCS1_PSS_PADDING))],
    ]),
  ),
} as Record<Exclude<SignatureScheme, `hmac_${string}`>, Made>;

function rsaMade(signature: Buffer): Made {
  return { publicKey: rsaPublic, signature };
}

const rows = Object.entries(MADE) as [SignatureScheme, Made][];

/** RFC 8032, section 7.3. */
const PH_VECTOR = {
  publicKey: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
  message: '616263',
  signature:
    '98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae41' +
    '31f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406',
} as const;

describe.each(rows)('%s', (scheme, { publicKey, signature }) => {
  it('verifies what another library signed', () => {
    expect(verifySignature(scheme, publicKey, message, signature)).toBe(true);
  });

  it('verifies under its own scheme alone', () => {
    const others = SIGNATURE_SCHEMES.filter((other) =>
      verifySignature(other, publicKey, message, signature),
    );
    expect(others).toEqual([scheme]);
  });

  it('verifies no other message, no other key and no signature with a bit changed', () => {
    expect(verifySignature(scheme, publicKey, Buffer.from('another'), signature)).toBe(false);
    expect(verifySignature(scheme, publicKey, Buffer.alloc(0), signature)).toBe(false);
    const other = scheme.startsWith('rsa')
      ? spkiOf(rsaTestKey('2048-another').publicKey)
      : ed25519.getPublicKey(randomBytes(32));
    expect(verifySignature(scheme, other, message, signature)).toBe(false);
    for (let bit = 0; bit < signature.length * 8; bit += 31) {
      const changed = Buffer.from(signature);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(verifySignature(scheme, publicKey, message, changed)).toBe(false);
    }
  });

  it('takes malformed signatures and keys for wrong, and never throws', () => {
    const lengths = [0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 257, 512];
    for (const length of lengths) {
      expect(verifySignature(scheme, publicKey, message, Buffer.alloc(length))).toBe(false);
      expect(verifySignature(scheme, Buffer.alloc(length), message, signature)).toBe(false);
      expect(verifySignature(scheme, randomBytes(length), message, signature)).toBe(false);
    }
    expect(verifySignature(scheme, publicKey, message, signature.subarray(1))).toBe(false);
    const longer = Buffer.concat([signature, Buffer.alloc(1)]);
    expect(verifySignature(scheme, publicKey, message, longer)).toBe(false);
    const wrongType = scheme.startsWith('rsa') ? edPublic : rsaPublic;
    expect(verifySignature(scheme, wrongType, message, signature)).toBe(false);
  });
});

describe('RSA', () => {
  /** The first of these messages whose signature begins with a zero: about one in 256 does. */
  function signedWithZero(hash: string, padding: number): { message: Buffer; signature: Buffer } {
    for (let tried = 0; ; tried += 1) {
      const attempt = Buffer.from(`message ${tried}`);
      const signature = sign(hash, attempt, {
        ...{ key: rsa.privateKey, padding },
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      });
      if (signature[0] === 0) return { message: attempt, signature };
    }
  }

  it.each([
    ['rsa_pkcs1_sha256', constants.RSA_PKCS1_PADDING],
    ['rsa_pss_sha256', constants.RSA_PKCS1_PSS_PADDING],
  ] as const)('%s is as long as its modulus, leading zeros included', (scheme, padding) => {
    const { message: signed, signature } = signedWithZero('sha256', padding);
    expect(verifySignature(scheme, rsaPublic, signed, signature)).toBe(true);
    expect(verifySignature(scheme, rsaPublic, signed, signature.subarray(1))).toBe(false);
  });
});

describe('Ed25519ph', () => {
  it('is that of RFC 8032, section 7.3', () => {
    const [publicKey, abc, signature] = [
      PH_VECTOR.publicKey,
      PH_VECTOR.message,
      PH_VECTOR.signature,
    ].map((hex) => Buffer.from(hex, 'hex'));
    expect(verifySignature('ed25519ph', publicKey!, abc!, signature!)).toBe(true);
    expect(verifySignature('ed25519', publicKey!, abc!, signature!)).toBe(false);
  });

  it('has no context', () => {
    const signature = ed25519ph.sign(message, edSecret, { context: Buffer.from('a context') });
    expect(verifySignature('ed25519ph', edPublic, message, signature)).toBe(false);
  });

  it('takes no key of small order, by which anything verifies', () => {
    const identity = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);
    const signature = Buffer.concat([identity, Buffer.alloc(32)]);
    for (const scheme of ['ed25519', 'ed25519ph'] as const) {
      expect(verifySignature(scheme, identity, message, signature)).toBe(false);
    }
  });
});

describe('RSA', () => {
  const read = readRsaKey(rsaPublic)!;

  it.each(rows)('a key that was read before is as good for %s as its bytes', (scheme, made) => {
    const isRsa = scheme.startsWith('rsa');
    expect(verifySignature(scheme, read, message, made.signature)).toBe(isRsa);
    expect(verifySignature(scheme, read, Buffer.from('another'), made.signature)).toBe(false);
    const another = readRsaKey(spkiOf(rsaTestKey('2048-another').publicKey))!;
    expect(verifySignature(scheme, another, message, made.signature)).toBe(false);
    const ofEd25519 = generateKeyPairSync('ed25519').publicKey;
    expect(verifySignature(scheme, ofEd25519, message, made.signature)).toBe(false);
  });

  it('takes no key that is for PSS alone: it is not what the ledger calls an RSA key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
    const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
    const signature = sign('sha256', message, { key: privateKey, saltLength });
    expect(verifySignature('rsa_pss_sha256', publicKey, message, signature)).toBe(false);
    expect(verifySignature('rsa_pss_sha256', spkiOf(publicKey), message, signature)).toBe(false);
    expect(readRsaKey(spkiOf(publicKey))).toBeUndefined();
  });

  it('reads keys of RSA alone', () => {
    const others = [
      generateKeyPairSync('ed25519'),
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    ];
    for (const { publicKey } of others) expect(readRsaKey(spkiOf(publicKey))).toBeUndefined();
    expect(readRsaKey(rsaPublic.subarray(1))).toBeUndefined();
    expect(readRsaKey(Buffer.alloc(0))).toBeUndefined();
  });

  it.each([0, 20, 31, 33])('PSS with a salt of %i bytes is none of SHA-256', (saltLength) => {
    const signature = signRsa('sha256', constants.RSA_PKCS1_PSS_PADDING, saltLength);
    expect(verifySignature('rsa_pss_sha256', rsaPublic, message, signature)).toBe(false);
  });

  it('takes no key of an elliptic curve for its own', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const signature = sign('sha256', message, ec.privateKey);
    for (const scheme of ['rsa_pkcs1_sha256', 'rsa_pss_sha256'] as const) {
      expect(verifySignature(scheme, spkiOf(ec.publicKey), message, signature)).toBe(false);
    }
  });
});

it.each([256, 384, 512] as const)('an HMAC of SHA-%i is never verified', (bits) => {
  const secret = randomBytes(32);
  const mac = createHmac(`sha${bits}`, secret).update(message).digest();
  expect(verifySignature(`hmac_sha${bits}`, secret, message, mac)).toBe(false);
  expect(verifySignature(`hmac_sha${bits}`, Buffer.alloc(0), message, Buffer.alloc(0))).toBe(false);
});

it.each(['', 'none', 'toString', '__proto__', 'constructor'])('%j is no scheme', (scheme) => {
  const { publicKey, signature } = MADE.rsa_pkcs1_sha256;
  expect(verifySignature(scheme as SignatureScheme, publicKey, message, signature)).toBe(false);
});
