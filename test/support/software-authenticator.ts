/**
 * An authenticator in software, with a passkey of each kind that the vault takes. It is a test's: it keeps its keys in
 * memory and verifies nobody. `lie` has it say something else than an honest one would.
 */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { sha256 } from '@countersign/core/hash.js';
import type { PasskeyAlgorithm } from '@countersign/core/passkey-key.js';
import { userHandleOf } from '@countersign/vault/state/passkey-owner.js';
import { testSecret } from './ledger-builder.ts';

export const TEST_RP_ID = 'vault.example.com';
export const TEST_ORIGIN = 'https://vault.example.com';

export interface AuthenticatorLies {
  readonly rpId?: string;
  readonly origin?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly challenge?: string;
  /** Of the authenticator data: bits of section 6.1. */
  readonly flags?: number;
  readonly counter?: number;
  readonly credentialId?: string;
  readonly userHandle?: string | null;
  /** More authenticator data than the flags announce. */
  readonly trailing?: Buffer;
  readonly change?: (response: Record<string, unknown>) => unknown;
}

export interface SoftwarePasskey {
  readonly credentialId: string;
  /** SubjectPublicKeyInfo (DER). */
  readonly publicKey: Buffer;
  /** Body of `POST /v1/passkeys`, but for `enrollment`. */
  registration(lie?: AuthenticatorLies): Record<string, unknown>;
  /** Decoded `x-request-assertion` over a transcript's digest. */
  assert(digest: Uint8Array, userId: string, lie?: AuthenticatorLies): Buffer;
}

export const UP = 0x01;
export const UV = 0x04;
export const BE = 0x08;
export const BS = 0x10;

const MAKERS: Record<PasskeyAlgorithm, () => { publicKey: KeyObject; privateKey: KeyObject }> = {
  es256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  eddsa: () => generateKeyPairSync('ed25519'),
  rs256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
};

/** `flags`: what it says of each of its uses; `keys`: its own, by default new ones. */
export function createSoftwarePasskey(
  algorithm: PasskeyAlgorithm,
  name: string,
  flags = UP | UV | BE | BS,
  keys = MAKERS[algorithm](),
): SoftwarePasskey {
  const { publicKey, privateKey } = keys;
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const credentialId = testSecret(`passkey ${name}`).toString('base64url');
  const dataOf = (lie: AuthenticatorLies): Buffer => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lie.counter ?? 0);
    return Buffer.concat([
      sha256(lie.rpId ?? TEST_RP_ID),
      Buffer.from([lie.flags ?? flags]),
      counter,
      lie.trailing ?? Buffer.alloc(0),
    ]);
  };
  return {
    credentialId,
    publicKey: spki,
    registration: (lie = {}) => ({
      credential_id: credentialId,
      public_key: spki.toString('base64url'),
      authenticator_data: dataOf(lie).toString('base64url'),
    }),
    assert(digest, userId, lie = {}) {
      const clientData = {
        type: lie.type ?? 'webauthn.get',
        challenge: lie.challenge ?? Buffer.from(digest).toString('base64url'),
        origin: lie.origin ?? TEST_ORIGIN,
        crossOrigin: lie.crossOrigin ?? false,
        ...(lie.topOrigin !== undefined && { topOrigin: lie.topOrigin }),
      };
      const clientDataJson = Buffer.from(JSON.stringify(clientData));
      const authenticatorData = dataOf(lie);
      const message = Buffer.concat([authenticatorData, sha256(clientDataJson)]);
      const signature = sign(algorithm === 'eddsa' ? null : 'sha256', message, privateKey);
      const id = lie.credentialId ?? credentialId;
      const response = {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          authenticatorData: authenticatorData.toString('base64url'),
          clientDataJSON: clientDataJson.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: lie.userHandle === undefined ? userHandleOf(userId) : lie.userHandle,
        },
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
      };
      return Buffer.from(JSON.stringify(lie.change?.(response) ?? response));
    },
  };
}
