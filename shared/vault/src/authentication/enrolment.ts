/**
 * Registers the first passkey of a person. All that is known of them is that somebody who may manage users made them
 * and gave them a code. The request is signed by the very passkey that it registers, so nobody registers one that they
 * do not have. The code stays with the person, and the request proves it for this one key alone: whoever reads it in
 * the ledger, or holds it back, can register nothing with it.
 */
import { timingSafeEqual } from 'node:crypto';
import {
  registerPasskeyRequest,
  type PasskeyRegistration,
} from '@countersign/api/requests/passkeys.js';
import { parseBase64 } from '@countersign/core/bytes.js';
import type { CallerKey } from '@countersign/core/caller-key.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { enrollmentMessage, enrollmentProofUnder } from '@countersign/core/enrolment-proof.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { parseStrictJson } from '@countersign/core/strict-json.js';
import type { HumanUser, User, VaultState } from '../state/state.js';
import { readNewPasskey } from './new-passkey.js';
import { passkeysOf, verifierOf } from '../state/passkey-owner.js';
import { INVALID_CREDENTIALS } from './refused-credential.js';
import { identityOfToken, type TokenIdentity } from './token-identity.js';

export const INVALID_ENROLMENT = refuse('unauthorized', INVALID_CREDENTIALS);

/** A user, with the key that checks their assertions. */
export interface Signer {
  readonly user: User;
  readonly key: CallerKey;
}

/** Whether a request of this target may be by somebody whose token names no user yet. */
export function isRegistration({ method, path }: Pick<Evidence, 'method' | 'path'>): boolean {
  return method === registerPasskeyRequest.method && path === registerPasskeyRequest.path;
}

/**
 * The user who enrols, with the identity that their token names, and the key that they enrol. Undefined if the request
 * is no enrolment. Every fault in code or token gives the same refusal. `now`: ms.
 */
export function findEnrolling(
  state: VaultState,
  evidence: Evidence,
  now: number,
): Signer | Refusal | undefined {
  if (evidence.scheme !== 'Bearer' || !isRegistration(evidence)) return undefined;
  const { relyingParty } = state;
  const body = readBody(evidence);
  if (body?.enrollment === undefined || relyingParty === undefined) return undefined;
  const userId = body.enrollment.user_id;
  const user = state.users.rows.get(userId);
  const identity = identityOfToken(evidence.credential);
  if (user?.type !== 'human' || identity === undefined) return INVALID_ENROLMENT;
  if (!canEnrol(user, now) || passkeysOf(user).length > 0) return INVALID_ENROLMENT;
  if (!mayBind(state, user, identity) || !isProof(user, body)) return INVALID_ENROLMENT;
  const passkey = readNewPasskey(state, body);
  if (isRefusal(passkey)) return passkey;
  return {
    user: { ...user, identity: identity.identity },
    key: { kind: 'passkeys', verifier: verifierOf(state, userId, [passkey]) },
  };
}

/** Somebody who has enrolled has no code. */
export function canEnrol({ frozen, enrollmentUntil = 0 }: HumanUser, now: number): boolean {
  return frozen === null && now < enrollmentUntil;
}

function readBody({ body }: Evidence): PasskeyRegistration | undefined {
  const json = parseStrictJson(body);
  const parsed = isRefusal(json) ? undefined : registerPasskeyRequest.body.read(json.value);
  return parsed !== undefined && 'value' in parsed ? parsed.value : undefined;
}

/**
 * The token is believed: nobody can check it again later. An identity that an administrator named is that user's alone.
 * Any other belongs to whoever enrols with it first. It stays theirs for good, also when their passkeys are taken away.
 */
export function mayBind({ users }: VaultState, user: HumanUser, token: TokenIdentity): boolean {
  const owner = users.indexes.byIdentity.get(token.identity);
  if (owner !== undefined && owner !== user.id) return false;
  if (user.identity !== undefined && user.identity !== token.identity) return false;
  return token.provider === user.cloudProvider;
}

function isProof(
  { enrollmentCodeSha256: known, enrollmentKey }: HumanUser,
  { credential_id: credentialId, public_key: publicKey, enrollment }: PasskeyRegistration,
): boolean {
  if (known === null || enrollment === undefined) return false;
  const given = Buffer.from(enrollment.proof, 'hex');
  const registered = { credentialId, publicKey };
  if (enrollmentKey !== undefined) {
    return verifyEd25519(parseBase64(enrollmentKey)!, enrollmentMessage(registered), given);
  }
  const due = Buffer.from(enrollmentProofUnder(known, registered), 'hex');
  return given.length === due.length && timingSafeEqual(due, given);
}
