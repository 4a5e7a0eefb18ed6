import { updateUserRequest } from '@countersign/api/requests/users.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { replaceRow } from '../state/table.js';
import type { HumanUser, MachineUser, User } from '../state/state.js';
import { findRow, requireKnown, updatedStamps } from './lookups.js';
import { ledgerOperation, type ApplyContext } from './ledger-operation.js';
import type * as s from '@countersign/core/shapes.js';
import { refuseTakenEnrollment } from './create-user.js';
import { needsForUser, refuseEscalation } from './user-rights.js';
import { apiKeyOf, apiKeySha256, newEnrollment } from '../authentication/user-secrets.js';

type Body = s.OutputOf<typeof updateUserRequest.body>;

/**
 * Changes a user. A new public key or API key replaces the old one at once. 403 when the user would get rights that
 * the caller lacks; 409 when no administrator would be left.
 */
export const updateUser = ledgerOperation({
  ...updateUserRequest,
  affectsAdministrators: true,
  alsoNeeds: (state, { params, body }) =>
    needsForUser(state, state.users.rows.get(params['user_id'] ?? ''), body),
  apply(state, { params, body }, context) {
    const before = findRow(state.users, params['user_id']);
    if (isRefusal(before)) return before;
    const unknown = requireKnown(state.userGroups, body.user_group_ids ?? [], 'user group');
    if (unknown !== undefined) return unknown;
    const after = changedUser(before, body, context);
    if (isRefusal(after)) return after;
    const clash =
      after.type === 'human' ? refuseTakenEnrollment(state, after.id, after) : undefined;
    if (clash !== undefined) return clash;
    const escalation = refuseEscalation(state, context.actor, before, after);
    if (escalation !== undefined) return escalation;
    return {
      state: { ...state, users: replaceRow(state.users, after) },
      subject: {
        resourceType: resourceTypeOf(body),
        resourceIds: [after.id],
        userIds: [after.id],
      },
    };
  },
});

/** The subject names these, so that the answer shows what the entry made. */
export const ROTATED = 'user_api_key';
export const RESET = 'user_enrollment';

function resourceTypeOf(body: Body): string {
  if (body.reset_passkeys === true) return RESET;
  return body.rotate_api_key === true ? ROTATED : 'user';
}

function changedUser(before: User, body: Body, context: ApplyContext): User | Refusal {
  const common = {
    displayName: body.display_name ?? before.displayName,
    description: body.description === undefined ? before.description : body.description,
    userGroupIds: body.user_group_ids ?? before.userGroupIds,
    ...updatedStamps(context),
  };
  if (before.type === 'machine') return changedMachine({ ...before, ...common }, body, context);
  const machineOnly = [body.public_key, body.expires_at, body.rotate_api_key];
  if (machineOnly.some((value) => value !== undefined)) {
    return refuse('invalid_inputs', 'a human user has no public key, API key or expiry');
  }
  if (body.allowed_addresses !== undefined) {
    return refuse('invalid_inputs', 'allowed_addresses: a human user has no API key');
  }
  const after = { ...before, ...common };
  const { enrollment_public_key: key } = body;
  if (body.reset_passkeys === true) return withoutPasskeys(after, key, context);
  return key === undefined
    ? after
    : refuse('invalid_inputs', 'enrollment_public_key: only with reset_passkeys');
}

/** The identity stays: whoever comes back with the new code must be the same person to the provider. */
function withoutPasskeys(
  user: HumanUser,
  enrollmentKey: string | undefined,
  context: ApplyContext,
): HumanUser {
  const { passkeys: _taken, enrollmentKey: _earlier, ...rest } = user;
  return {
    ...rest,
    ...newEnrollment(context, enrollmentKey),
    credentialEpoch: context.newId('credential epoch'),
  };
}

function changedMachine(
  user: MachineUser,
  body: Body,
  context: ApplyContext,
): MachineUser | Refusal {
  if (body.reset_passkeys === true || body.enrollment_public_key !== undefined) {
    return refuse('invalid_inputs', 'a machine user has no passkeys');
  }
  const expiresAt = body.expires_at === undefined ? user.expiresAt : body.expires_at;
  if (body.expires_at != null && body.expires_at <= context.at) {
    return refuse('invalid_inputs', 'expires_at: must lie in the future');
  }
  return {
    ...withAddresses(user, body.allowed_addresses),
    expiresAt,
    publicKey: body.public_key ?? user.publicKey,
    publicKeySince: body.public_key === undefined ? user.publicKeySince : context.at,
    apiKeySha256:
      body.rotate_api_key === true ? apiKeySha256(apiKeyOf(context)) : user.apiKeySha256,
  };
}

function withAddresses(user: MachineUser, addresses: Body['allowed_addresses']): MachineUser {
  if (addresses === undefined) return user;
  const { allowedAddresses: _earlier, ...rest } = user;
  return addresses === null ? rest : { ...rest, allowedAddresses: addresses };
}
