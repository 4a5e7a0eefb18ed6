import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  verify,
  type KeyObject,
} from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { partCommitment } from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { rsaTestKey } from '../../../../test/support/rsa-test-keys.js';
import { ORDERED_PAIRS, RSA_SCHEMES } from '../../../../test/support/three-parties.js';
import { RSA_SCHEME_FORMS, saltBytes, type RsaMessage, type RsaScheme } from './emsa.js';
import { byteLength, modulo, toBigInt, toBytes } from '@countersign/core/big-integers.js';
import { SigningModexp } from './modexp.js';
import { RsaError } from './rsa-error.js';
import type { RsaKeyShare } from './rsa-key-share.js';
import { rsaPublicKey } from '../../threads/rsa-public-values.js';
import { isRsaSignature, leadCombine, partnerPartial } from './threshold-rsa.js';

interface DealtKey {
  readonly shares: Readonly<Record<PartyNumber, RsaKeyShare>>;
  readonly publicKey: KeyObject;
  /** The same key from node:crypto, not by way of the shares. */
  readonly reference: KeyObject;
}

/** Splits a whole key: two parts uniform modulo φ, the third the rest. */
function dealKey(pair: { readonly privateKey: KeyObject }, publicExponent = 65_537): DealtKey {
  const jwk = pair.privateKey.export({ format: 'jwk' });
  const read = (text: string | undefined): bigint => toBigInt(Buffer.from(text ?? '', 'base64url'));
  const phi = (read(jwk.p) - 1n) * (read(jwk.q) - 1n);
  const uniform = (): bigint => toBigInt(randomBytes(byteLength(phi) + 8)) % phi;
  const [first, second] = [uniform(), uniform()];
  const [d1, d2, d3] = [first, second, modulo(read(jwk.d) - first - second, phi)].map((part) =>
    toBytes(part, byteLength(part)),
  );
  if (d1 === undefined || d2 === undefined || d3 === undefined) throw new Error();
  const common = {
    modulus: Buffer.from(jwk.n ?? '', 'base64url'),
    publicExponent,
    partCommitments: [partCommitment(1, d1), partCommitment(2, d2), partCommitment(3, d3)],
  } as const;
  return {
    shares: {
      1: { party: 1, ...common, own: d1, next: d2 },
      2: { party: 2, ...common, own: d2, next: d3 },
      3: { party: 3, ...common, own: d3, next: d1 },
    },
    publicKey: rsaPublicKey(common),
    reference: createPublicKey(pair.privateKey.export({ format: 'pem', type: 'pkcs8' })),
  };
}

function messageFor(scheme: RsaScheme): RsaMessage {
  return { scheme, message: randomBytes(120), salt: randomBytes(saltBytes(scheme)) };
}

const modexp = new SigningModexp(4);
const key = dealKey(rsaTestKey('2048'));

function partialOf(partner: PartyNumber, lead: PartyNumber, message: RsaMessage): Buffer {
  return partnerPartial({ share: key.shares[partner], lead, message, modexp });
}

function combine(
  lead: PartyNumber,
  partner: PartyNumber,
  partial: Uint8Array,
  message: RsaMessage,
  share = key.shares[lead],
): Buffer {
  return leadCombine({ share, partner, partial, message, publicKey: key.publicKey, modexp });
}

function errorOf(run: () => unknown): RsaError {
  try {
    run();
  } catch (error) {
    if (error instanceof RsaError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const flip = (bytes: Uint8Array, index: number): Uint8Array =>
  bytes.map((byte, at) => (at === index ? byte ^ 1 : byte));

const folder = mkdtempSync(join(tmpdir(), 'countersign-rsa-'));
const OPENSSL = 'openssl';
const hasOpenssl = spawnSync(OPENSSL, ['version']).status === 0;

/** `openssl dgst -verify`, the word of another program. True where there is none. */
function opensslAccepts({ scheme, message }: RsaMessage, signature: Uint8Array): boolean {
  if (!hasOpenssl) return true;
  const file = (name: string): string => join(folder, name);
  writeFileSync(file('key.pem'), key.reference.export({ format: 'pem', type: 'spki' }));
  writeFileSync(file('message'), message);
  writeFileSync(file('signature'), signature);
  const { hash, padding } = RSA_SCHEME_FORMS[scheme];
  const pss = ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:digest'];
  const options = padding === 'pss' ? pss : [];
  const files = ['-verify', file('key.pem'), '-signature', file('signature'), file('message')];
  return spawnSync(OPENSSL, ['dgst', `-${hash}`, ...options, ...files]).status === 0;
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(ORDERED_PAIRS)('party %d leads and party %d helps', (lead, partner) => {
  test.each(RSA_SCHEMES)('%s: the signature verifies, as nothing else', (scheme) => {
    const message = messageFor(scheme);
    const signature = combine(lead, partner, partialOf(partner, lead, message), message);
    expect(signature).toHaveLength(256);
    expect(isRsaSignature(message, signature, key.reference)).toBe(true);
    expect(opensslAccepts(message, signature)).toBe(true);
    expect(isRsaSignature({ ...message, message: randomBytes(9) }, signature, key.reference)).toBe(
      false,
    );
    for (const other of RSA_SCHEMES) {
      const salt = randomBytes(saltBytes(other));
      expect(isRsaSignature({ ...message, scheme: other, salt }, signature, key.reference)).toBe(
        other === scheme,
      );
    }
  });

  test('a wrong partial gives no signature and names the partner', () => {
    const message = messageFor('rsa_pss_sha256');
    const partial = partialOf(partner, lead, message);
    const wrong: [string, Uint8Array][] = [
      ['one bit', flip(partial, 255)],
      ['of another message', partialOf(partner, lead, messageFor('rsa_pss_sha256'))],
      ['of another salt', partialOf(partner, lead, { ...message, salt: randomBytes(32) })],
      ['of another part', partialOf(partner, thirdOf(lead, partner), message)],
      ['zero', Buffer.alloc(256)],
      ['one', Buffer.concat([Buffer.alloc(255), Buffer.from([1])])],
      ['not reduced', Buffer.alloc(256, 0xff)],
      ['too short', partial.subarray(1)],
      ['too long', Buffer.concat([Buffer.alloc(1), partial])],
      ['nothing', Buffer.alloc(0)],
    ];
    for (const [what, bytes] of wrong) {
      const error = errorOf(() => combine(lead, partner, bytes, message));
      expect([what, error.code, error.culprit]).toEqual([what, 'partner-share', partner]);
    }
  });
});

describe('a lead whose own side is wrong', () => {
  const message = messageFor('rsa_pkcs1_sha256');

  test.each(['own', 'next'] as const)('(part %s) blames itself and not its partner', (part) => {
    const share = { ...key.shares[1], [part]: flip(key.shares[1][part], 200) };
    const error = errorOf(() => combine(1, 2, partialOf(2, 1, message), message, share));
    expect([error.code, error.culprit]).toEqual(['own-share', undefined]);
  });

  test('(its arithmetic) blames itself and not its partner', () => {
    const faulty = new SigningModexp(1);
    const honest = faulty.power.bind(faulty);
    faulty.power = (...input) => Buffer.from(flip(honest(...input), 255));
    const error = errorOf(() =>
      leadCombine({
        share: key.shares[1],
        partner: 2,
        partial: partialOf(2, 1, message),
        message,
        publicKey: key.publicKey,
        modexp: faulty,
      }),
    );
    expect([error.code, error.culprit]).toEqual(['own-share', undefined]);
  });
});

describe('signing', () => {
  test('PKCS#1 v1.5 gives one signature, whichever pair makes it', () => {
    const message = messageFor('rsa_pkcs1_sha384');
    const signatures = ORDERED_PAIRS.map(([lead, partner]) =>
      combine(lead, partner, partialOf(partner, lead, message), message).toString('hex'),
    );
    expect(new Set(signatures).size).toBe(1);
  });

  test.each([
    [3072, 65_537, generateKeyPairSync('rsa', { modulusLength: 3072 })],
    [4096, 3, rsaTestKey('4096')],
  ])('works with a key of %d bits and public exponent %d', (_bits, exponent, pair) => {
    const { shares, publicKey, reference } = dealKey(pair, exponent);
    const message = messageFor('rsa_pss_sha512');
    const partial = partnerPartial({ share: shares[3], lead: 2, message, modexp });
    const input = { share: shares[2], partner: 3 as const, partial, message, publicKey, modexp };
    expect(isRsaSignature(message, leadCombine(input), reference)).toBe(true);
  });

  test('a party cannot be its own partner', () => {
    const message = messageFor('rsa_pkcs1_sha256');
    expect(errorOf(() => partialOf(1, 1, message)).code).toBe('invalid_input');
    expect(errorOf(() => combine(1, 1, Buffer.alloc(256), message)).code).toBe('invalid_input');
  });

  test('a salt of another length is refused by both', () => {
    const message = { ...messageFor('rsa_pss_sha256'), salt: randomBytes(20) };
    expect(errorOf(() => partialOf(2, 1, message)).code).toBe('invalid_input');
    expect(errorOf(() => combine(1, 2, Buffer.alloc(256), message)).code).toBe('invalid_input');
  });

  test('a PSS signature verifies for its own salt length alone', () => {
    const message = messageFor('rsa_pss_sha256');
    const signature = combine(1, 2, partialOf(2, 1, message), message);
    const options = (saltLength: number) => ({
      key: key.reference,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength,
    });
    expect(verify('sha256', message.message, options(32), signature)).toBe(true);
    expect(verify('sha256', message.message, options(20), signature)).toBe(false);
  });
});

function thirdOf(one: PartyNumber, other: PartyNumber): PartyNumber {
  return (6 - one - other) as PartyNumber;
}
