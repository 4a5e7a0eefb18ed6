/** Secrets as an importing client splits and seals them, written apart from the client's own code. */
import { createHash, randomBytes, type KeyObject } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { ed25519 } from '@noble/curves/ed25519.js';
import {
  encodeHmacPayload,
  encodeImportPackage,
  importInfo,
  partCommitment,
  type ImportPackage,
} from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';

const PARTIES: readonly PartyNumber[] = [1, 2, 3];

/** One package for each party. */
export type SplitSecret = readonly ImportPackage[];

export function splitHmac(secret: Uint8Array, passphrase = ''): SplitSecret {
  return splitHmacPayload(encodeHmacPayload({ secret, passphrase }));
}

export function splitHmacPayload(payload: Uint8Array): SplitSecret {
  const [first, second] = [randomBytes(payload.length), randomBytes(payload.length)];
  const third = Buffer.from(payload.map((byte, at) => byte ^ first[at]! ^ second[at]!));
  return replicated([first, second, third], (partCommitments) => ({
    type: 'hmac',
    partCommitments,
  }));
}

/** d_1 + d_2 + d_3 = d + 2^132·φ(N), each about a third of it. */
export function splitRsa(privateKey: KeyObject): SplitSecret {
  const jwk = privateKey.export({ format: 'jwk' });
  const value = (text: string | undefined) =>
    BigInt(`0x${Buffer.from(text ?? '', 'base64url').toString('hex')}`);
  const modulus = Buffer.from(jwk.n ?? '', 'base64url');
  const sum = value(jwk.d) + 2n ** 132n * (value(jwk.p) - 1n) * (value(jwk.q) - 1n);
  const draw = () =>
    (2n ** 132n * value(jwk.n)) / 3n -
    BigInt(`0x${randomBytes(modulus.length + 15).toString('hex')}`);
  const [first, second] = [draw(), draw()];
  const parts = [first, second, sum - first - second].map((part) =>
    Buffer.from(part.toString(16).padStart(2 * (modulus.length + 17), '0'), 'hex'),
  );
  return replicated(parts, (partCommitments) => ({
    type: 'rsa',
    modulus,
    publicExponent: Number(value(jwk.e)),
    partCommitments,
  }));
}

/** s_i = s + a·i mod L, s being the clamped scalar of the seed (RFC 8032, section 5.1.5). */
export function splitEd25519(seed: Uint8Array): SplitSecret {
  const { Point } = ed25519;
  const order = Point.Fn.ORDER;
  const { scalar } = ed25519.utils.getExtendedPublicKey(seed);
  const slope = hashToScalar(randomBytes(64), order);
  const commitments = [scalar % order, slope].map((x) =>
    Buffer.from(Point.BASE.multiply(x).toBytes()),
  );
  return PARTIES.map((party) => ({
    party,
    common: { type: 'ed25519', commitments: [commitments[0]!, commitments[1]!] },
    part: {
      type: 'ed25519',
      signingShare: Buffer.from(Point.Fn.toBytes((scalar + slope * BigInt(party)) % order)),
    },
  }));
}

function hashToScalar(bytes: Uint8Array, order: bigint): bigint {
  const hex = createHash('sha512').update(bytes).digest('hex');
  return (BigInt(`0x${hex}`) % (order - 1n)) + 1n;
}

type Commitments = readonly [Buffer, Buffer, Buffer];

function replicated(
  parts: readonly Buffer[],
  commonOf: (commitments: Commitments) => Exclude<ImportPackage['common'], { type: 'ed25519' }>,
): SplitSecret {
  const [first, second, third] = parts.map((part, at) => partCommitment(PARTIES[at]!, part));
  const common = commonOf([first!, second!, third!]);
  return PARTIES.map((party) => ({
    party,
    common,
    part: { type: common.type, parts: [parts[party - 1]!, parts[party % 3]!] },
  }));
}

export interface SealContext {
  /** Hex. */
  readonly genesisHash: string;
  readonly party: PartyNumber;
  readonly userId: string;
  readonly type: KeyType;
}

/** HPKE (RFC 9180), base mode; enc ‖ ciphertext. */
export async function sealPlaintext(
  plaintext: Uint8Array,
  publicKey: Uint8Array,
  context: SealContext,
): Promise<Uint8Array> {
  const suite = new CipherSuite({
    kem: new DhkemX25519HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });
  const recipientPublicKey = await suite.kem.deserializePublicKey(Uint8Array.from(publicKey));
  const info = Uint8Array.from(importInfo(context));
  const sender = await suite.createSenderContext({ recipientPublicKey, info });
  const ciphertext = await sender.seal(Uint8Array.from(plaintext));
  return Buffer.concat([Buffer.from(sender.enc), Buffer.from(ciphertext)]);
}

export function sealPackage(
  content: ImportPackage,
  publicKey: Uint8Array,
  context: SealContext,
): Promise<Uint8Array> {
  return sealPlaintext(encodeImportPackage(content), publicKey, context);
}
