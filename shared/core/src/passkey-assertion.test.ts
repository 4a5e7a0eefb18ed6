import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sha256 } from './hash.js';
import { isPasskeyAssertion, type PasskeyVerifier } from './passkey-assertion.js';
import { passkeyAlgorithmOf, type PasskeyAlgorithm } from './passkey-key.js';
import {
  BE,
  BS,
  createSoftwarePasskey,
  TEST_ORIGIN,
  TEST_RP_ID,
  UP,
  UV,
  type AuthenticatorLies,
  type SoftwarePasskey,
} from '../../../test/support/software-authenticator.ts';

const USER = '01020304-0506-0708-090a-0b0c0d0e0f10';
const DIGEST = sha256('the transcript of a request');
const ALGORITHMS: readonly PasskeyAlgorithm[] = ['es256', 'eddsa', 'rs256'];
const PASSKEYS = Object.fromEntries(
  ALGORITHMS.map((algorithm) => [algorithm, createSoftwarePasskey(algorithm, algorithm)]),
) as Record<PasskeyAlgorithm, SoftwarePasskey>;

function verifierOf(
  algorithm: PasskeyAlgorithm,
  passkey = PASSKEYS[algorithm],
  backupEligible = true,
): PasskeyVerifier {
  return {
    relyingParty: { rpId: TEST_RP_ID, origins: ['https://other.example.com', TEST_ORIGIN] },
    userHandle: 'AQIDBAUGBwgJCgsMDQ4PEA',
    passkeys: [
      {
        credentialId: passkey.credentialId,
        algorithm,
        publicKey: passkey.publicKey.toString('base64'),
        backupEligible,
      },
    ],
  };
}

const check = (lie: AuthenticatorLies, algorithm: PasskeyAlgorithm = 'eddsa', digest = DIGEST) =>
  isPasskeyAssertion(verifierOf(algorithm), digest, PASSKEYS[algorithm].assert(DIGEST, USER, lie));

/** Changes one field of the response. */
const field = (name: string, to: unknown): AuthenticatorLies => ({
  change: (response) => ({
    ...response,
    response: { ...(response['response'] as object), [name]: to },
  }),
});

describe.each(ALGORITHMS)('%s', (algorithm) => {
  it('signs a digest', () => expect(check({}, algorithm)).toBe(true));

  it('signs that digest alone', () =>
    expect(check({}, algorithm, sha256('another request'))).toBe(false));

  it('signs with its own key', () => {
    const other = createSoftwarePasskey(algorithm, algorithm);
    const assertion = other.assert(DIGEST, USER);
    expect(isPasskeyAssertion(verifierOf(algorithm), DIGEST, assertion)).toBe(false);
    expect(isPasskeyAssertion(verifierOf(algorithm, other), DIGEST, assertion)).toBe(true);
  });

  it('is known by its public key', () =>
    expect(passkeyAlgorithmOf(PASSKEYS[algorithm].publicKey)).toBe(algorithm));
});

describe('an assertion is refused', () => {
  it.each<[string, AuthenticatorLies]>([
    ['without user verification', { flags: UP | BE | BS }],
    ['without user presence', { flags: UV | BE | BS }],
    ['of another RP id', { rpId: 'evil.example.com' }],
    ['from another origin', { origin: 'https://evil.example.com' }],
    ['from an origin that only begins like ours', { origin: `${TEST_ORIGIN}.evil.com` }],
    ['from a frame of another origin', { crossOrigin: true }],
    ['from a page within a page', { topOrigin: 'https://evil.example.com' }],
    ['of a registration', { type: 'webauthn.create' }],
    ['over another challenge', { challenge: sha256('another').toString('base64url') }],
    ['over the digest in another spelling', { challenge: DIGEST.toString('base64') }],
    ['by a passkey that is not registered', { credentialId: 'AAAA' }],
    ["with another person's handle", { userHandle: 'EA8ODQwLCgkIBwYFBAMCAQ' }],
    ['by one that was not to be copied and now is', { flags: UP | UV }],
    ['copied and not to be copied', { flags: UP | UV | BS }],
    ['with authenticator data that no flag announces', { trailing: Buffer.from([0xa0]) }],
    ['with the signature of another', field('signature', Buffer.alloc(64).toString('base64url'))],
    ['with a padded field', field('clientDataJSON', 'e30=')],
    ['with client data that is no JSON', field('clientDataJSON', 'AAAA')],
    ['without a signature', field('signature', undefined)],
    ['that is no response', { change: () => ({}) }],
    ['that is no object', { change: () => [] }],
  ])('%s', (_name, lie) => expect(check(lie)).toBe(false));

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a machine signature', Buffer.alloc(64, 7)],
  ])('%s', (_name, bytes) =>
    expect(isPasskeyAssertion(verifierOf('eddsa'), DIGEST, bytes)).toBe(false),
  );
});

it('of a passkey that must not be copied and says that it was is refused', () => {
  const verifier = verifierOf('eddsa', PASSKEYS.eddsa, false);
  const assertion = (flags: number) => PASSKEYS.eddsa.assert(DIGEST, USER, { flags });
  expect(isPasskeyAssertion(verifier, DIGEST, assertion(UP | UV))).toBe(true);
  expect(isPasskeyAssertion(verifier, DIGEST, assertion(UP | UV | BS))).toBe(false);
});

describe('an assertion is taken', () => {
  it.each<[string, AuthenticatorLies]>([
    ['with a counter that goes back or stands', { counter: 0 }],
    ['with any counter', { counter: 4_000_000_000 }],
    ['without a handle', { userHandle: null }],
    ['of a passkey that was not copied yet', { flags: UP | UV | BE }],
  ])('%s', (_name, lie) => expect(check(lie)).toBe(true));
});

describe('a public key is refused', () => {
  const spki = (key: ReturnType<typeof generateKeyPairSync>['publicKey']) =>
    (key as import('node:crypto').KeyObject).export({ format: 'der', type: 'spki' });
  const rsa = (modulusLength: number, publicExponent = 65_537) =>
    spki(generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey as never);
  const longExponent = () => {
    const { n } = createPublicKey({ key: rsa(4_096), format: 'der', type: 'spki' }).export({
      format: 'jwk',
    });
    const e = Buffer.concat([Buffer.alloc(375, 0x55), Buffer.from('0203010001', 'hex')]);
    return spki(
      createPublicKey({ key: { kty: 'RSA', n: n!, e: e.toString('base64url') }, format: 'jwk' }),
    );
  };
  const point = PASSKEYS.es256.publicKey;
  const offCurve = Buffer.from(point);
  offCurve[90]! ^= 1;

  it.each<[string, () => Buffer]>([
    ['RSA of 1024 bits', () => rsa(1_024)],
    ['RSA with exponent 3', () => rsa(2_048, 3)],
    // its check costs seventy times as much, in every fold
    ['RSA with an exponent of 380 bytes that ends in 65537', longExponent],
    [
      'another curve',
      () => spki(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey as never),
    ],
    ['a point that is not on the curve', () => offCurve],
    ['more bytes than the point', () => Buffer.concat([point, Buffer.from([0])])],
    [
      'an Ed25519 key of small order',
      () => Buffer.concat([PASSKEYS.eddsa.publicKey.subarray(0, 12), Buffer.alloc(32)]),
    ],
    ['nothing', () => Buffer.alloc(0)],
  ])('%s', (_name, key) => expect(passkeyAlgorithmOf(key())).toBeUndefined());
});
