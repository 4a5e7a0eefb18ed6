/** A person at a vault: tokens that name them, and requests that their passkey signs. */
import { randomBytes, sign } from 'node:crypto';
import { digestOf, type Evidence } from '@countersign/core/evidence.js';
import { enrollmentMessage, enrollmentProof } from '@countersign/core/enrolment-proof.js';
import { enrollmentCodeOf } from '@countersign/vault/authentication/user-secrets.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import {
  privateKeyOfSeed,
  rawPublicKey,
  type LedgerBuilder,
  type LedgerUser,
} from './ledger-builder.ts';
import {
  createSoftwarePasskey,
  TEST_ORIGIN,
  TEST_RP_ID,
  type AuthenticatorLies,
  type SoftwarePasskey,
} from './software-authenticator.ts';

export const TEST_PASSKEYS = { rp_id: TEST_RP_ID, origins: [TEST_ORIGIN] };

/** As a provider writes it, but that nobody signed it: for who checks no signature of tokens. */
export function unsignedToken(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', kid: 'test' })}.${part(claims)}.AAAA`;
}

export const googleToken = (sub: string, more: Record<string, unknown> = {}) =>
  unsignedToken({ iss: 'https://accounts.google.com', sub, ...more });

export interface PersonRequest {
  readonly token: string;
  readonly userId: string;
  readonly passkey: SoftwarePasskey;
  readonly lie?: AuthenticatorLies;
  readonly timestampMs: number;
  readonly nonce?: Buffer;
}

/** A request that the passkey signs. */
export function evidenceOfPerson(
  by: PersonRequest,
  method: string,
  target: string,
  body?: unknown,
): Evidence {
  const [path = '', ...rest] = target.split('?');
  const unsigned = {
    method,
    path,
    query: rest.join('?'),
    body: body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)),
    scheme: 'Bearer' as const,
    credential: by.token,
    timestampMs: by.timestampMs,
    nonce: by.nonce ?? randomBytes(8),
    assertion: Buffer.alloc(0),
  };
  return { ...unsigned, assertion: by.passkey.assert(digestOf(unsigned), by.userId, by.lie) };
}

/** The body of a first registration. */
export function enrolmentBody(
  code: string,
  userId: string,
  passkey: SoftwarePasskey,
  lie?: AuthenticatorLies,
): Record<string, unknown> {
  const publicKey = passkey.publicKey.toString('base64url');
  const proof = enrollmentProof(code, { credentialId: passkey.credentialId, publicKey });
  return { ...passkey.registration(lie), enrollment: { user_id: userId, proof } };
}

/** A code that an administrator made: the vault is told its public key (base64url) alone. */
export function ownEnrollmentCode(seed: Uint8Array) {
  const privateKey = privateKeyOfSeed(seed);
  return {
    publicKey: rawPublicKey(privateKey).toString('base64url'),
    /** The body of a first registration with it. */
    bodyOf(userId: string, passkey: SoftwarePasskey): Record<string, unknown> {
      const publicKey = passkey.publicKey.toString('base64url');
      const message = enrollmentMessage({ credentialId: passkey.credentialId, publicKey });
      const proof = sign(null, message, privateKey).toString('hex');
      return { ...passkey.registration(), enrollment: { user_id: userId, proof } };
    },
  };
}

export interface LedgerPerson {
  readonly id: string;
  readonly token: string;
  readonly code: string;
  readonly passkey: SoftwarePasskey;
  /** What an entry comes to that this person signs; `by`: what is not as it should be. */
  send(method: string, target: string, body?: unknown, by?: Partial<PersonRequest>): EntryOutcome;
  enrol(by?: Partial<PersonRequest>, body?: Record<string, unknown>): EntryOutcome;
}

/** A person whom the administrator made, not enrolled yet. */
export function addPerson(
  ledger: LedgerBuilder,
  admin: LedgerUser,
  name: string,
  more: object = {},
): LedgerPerson {
  const outcome = ledger.send(admin, 'POST', '/v1/users', {
    cloud_provider: 'gcp',
    ...more,
    type: 'human',
    display_name: name,
    email: `${name}@example.com`,
  });
  const id = outcome.subject?.resourceIds[0];
  if (id === undefined) throw new Error(`no person ${name}: ${outcome.refusal?.message}`);
  const token = googleToken(`subject of ${name}`);
  const passkey = createSoftwarePasskey('eddsa', name);
  const code = codeOf(ledger, outcome);
  const send: LedgerPerson['send'] = (method, target, body, by = {}) => {
    const request = { token, userId: id, passkey, timestampMs: ledger.now, ...by };
    return ledger.appendEvidence(evidenceOfPerson(request, method, target, body));
  };
  return {
    ...{ id, token, code, passkey, send },
    enrol: (by, body = enrolmentBody(code, id, passkey)) => send('POST', '/v1/passkeys', body, by),
  };
}

/** The enrolment code that the entry made: what its caller was answered. */
export function codeOf({ keys }: LedgerBuilder, { hash, sealedCredential }: EntryOutcome): string {
  if (sealedCredential === undefined) throw new Error('the entry made no code');
  return enrollmentCodeOf({ secret: (label) => keys.derive(sealedCredential, label, hash) });
}
