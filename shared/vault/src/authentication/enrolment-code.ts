/** Finds who is about to enrol, before there is a passkey that could sign for them. */
import { enrollmentCodeSha256 } from '@countersign/core/enrolment-proof.js';
import type { Refusal } from '@countersign/core/errors.js';
import type { HumanUser, VaultState } from '../state/state.js';
import { canEnrol, INVALID_ENROLMENT, mayBind } from './enrolment.js';
import { identityOfToken } from './token-identity.js';

/**
 * The person who was given this code, or the code for this key (base64), if the token may be theirs. Every fault gives
 * the same refusal. `now`: ms.
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
  if (user?.type !== 'human' || !canEnrol(user, now) || identity === undefined)
    return INVALID_ENROLMENT;
  return mayBind(state, user, identity) ? user : INVALID_ENROLMENT;
}
