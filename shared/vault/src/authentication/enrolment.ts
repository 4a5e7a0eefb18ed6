/**
 * The first passkey of a person. Nothing of theirs is known by then but that somebody who may manage users made them,
 * and gave them a code. Their request is signed by the very passkey that it registers, so that nobody registers one
 * that they do not have; the code stays with the person, and the request proves it for this one key alone: who reads
 * it in the ledger, or holds it back, can register nothing with it.
 */
import { timingSafeEqual } from 'node:crypto';
import {
  registerPasskeyRequest,
  type PasskeyRegistration,
} from '@countersign/api/requests/passkeys.js';
import { parseBase64 } from '@countersign/core/bytes.js';
import type { CallerKey } from '@countersign/core/caller-key.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import {
  enrollmentCodeSha256,
  enrollmentMessage,
  enrollmentProofUnder,
} from '@countersign/core/enrolment-proof.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { parseStrictJson } from '@countersign/core/strict-json.js';
import type { HumanUser, User, VaultState } from '../state/state.js';
import { readNewPasskey } from './new-passkey.js';
import { passkeysOf, verifierOf } from '../state/passkey-owner.js';
import { INVALID_CREDENTIALS } from './refused-credential.js';
import { identityOfToken, type TokenIdentity } from './token-identity.js';

const INVALID = refuse('unauthorized', INVALID_CREDENTIALS);

/** A user with what their assertions are checked with. */
export interface Signer {
  readonly user: User;
  readonly key: CallerKey;
}

/** Whether a request of this target may be by somebody whose token names no user yet. */
export function isRegistration({ method, path }: Pick<Evidence, 'method' | 'path'>): boolean {
  return method === registerPasskeyRequest.method && path === registerPasskeyRequest.path;
}

/**
 * Whoever enrols, as they are with the identity that their token names, and the key that they enrol; undefined where
 * the request is no enrolment. One refusal for all that can be wrong with code and token. `now`: ms.
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
  if (user?.type !== 'human' || identity === undefined) return INVALID;
  if (!canEnrol(user, now) || passkeysOf(user).length > 0) return INVALID;
  if (!mayBind(state, user, identity) || !isProof(user, body)) return INVALID;
  const passkey = readNewPasskey(state, body);
  if (isRefusal(passkey)) return passkey;
  return {
    user: { ...user, identity: identity.identity },
    key: { kind: 'passkeys', verifier: verifierOf(state, userId, [passkey]) },
  };
}

/**
 * The person who was given this code, or one for this key (base64), where the token may be theirs; one refusal for all
 * that can be wrong. `now`: ms.
 */
export function findByEnrollmentCode(
  state: VaultState,
  token: string,
  codeOrKey: string,
  now: number,
): HumanUser | Refusal {
  const { users } = state;
  const sha256 = enrollmentCodeSha256(codeOrKey);
  const user = users.rows.get(users.indexes.byEnrollmentCode.get(sha256) ?? '');
  const identity = identityOfToken(token);
  if (user?.type !== 'human' || !canEnrol(user, now) || identity === undefined) return INVALID;
  return mayBind(state, user, identity) ? user : INVALID;
}

/** Of somebody who has enrolled there is no code. */
function canEnrol({ frozen, enrollmentUntil = 0 }: HumanUser, now: number): boolean {
  return frozen === null && now < enrollmentUntil;
}

function readBody({ body }: Evidence): PasskeyRegistration | undefined {
  const json = parseStrictJson(body);
  const parsed = isRefusal(json) ? undefined : registerPasskeyRequest.body.read(json.value);
  return parsed !== undefined && 'value' in parsed ? parsed.value : undefined;
}

/** One identity is one user's, for good: also when their passkeys are taken from them, they come back with it. */
function mayBind({ users }: VaultState, user: HumanUser, token: TokenIdentity): boolean {
  const owner = users.indexes.byIdentity.get(token.identity);
  if (owner !== undefined && owner !== user.id) return false;
  if (user.identity !== undefined && user.identity !== token.identity) return false;
  return token.provider === undefined || token.provider === user.cloudProvider;
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
