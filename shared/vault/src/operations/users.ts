/** Users: machines, which sign with a key of their own, and people, who sign with passkeys. */
import * as requests from '@countersign/api/requests/users.js';
import { asciiLowerCase } from '@countersign/core/ascii-case.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type * as s from '@countersign/core/shapes.js';
import { identityNamed } from '../authentication/token-identity.js';
import {
  apiKeyOf,
  apiKeySha256,
  newEnrollment,
  type Enrollment,
} from '../authentication/user-secrets.js';
import type { HumanUser, MachineUser, User, VaultState } from '../state/state.js';
import { deleteRow, insertRow, replaceRow } from '../state/table.js';
import { ledgerOperation, type Applied, type ApplyContext } from './ledger-operation.js';
import { findRow, findRows, newStamps, requireKnown, updatedStamps } from './lookups.js';
import { needsForUser, refuseEscalation } from './user-rights.js';

type NewUser = s.OutputOf<typeof requests.createUserRequest.body>;
type NewPerson = Extract<NewUser, { type: 'human' }>;
type Change = s.OutputOf<typeof requests.updateUserRequest.body>;

/**
 * Adds a user. Their API key (machine) or enrolment code (human) is derived from the entry and the evidence key. The
 * state holds its SHA-256 alone, and the answer shows it once. 403 when the user would have rights that the caller
 * lacks; 409 for a taken email or identity.
 */
export const createUser = ledgerOperation({
  ...requests.createUserRequest,
  alsoNeeds: (state, { body }) => needsForUser(state, undefined, body),
  apply(state, { body }, context) {
    const user = newUser(state, body, context);
    return isRefusal(user) ? user : written(state, undefined, user, context);
  },
});

/**
 * Changes a user. A new public key or API key replaces the old one at once. 403 when the user would get rights that
 * the caller lacks; 409 when no administrator would be left.
 */
export const updateUser = ledgerOperation({
  ...requests.updateUserRequest,
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
    return clash ?? written(state, before, after, context, resourceTypeOf(body));
  },
});

/** The subject names these, so that the answer shows what the entry made. */
export const ROTATED = 'user_api_key';
export const RESET = 'user_enrollment';

function resourceTypeOf(body: Change): string {
  if (body.reset_passkeys === true) return RESET;
  return body.rotate_api_key === true ? ROTATED : 'user';
}

/**
 * Removes users; their ids stay in the ledger and in the audit log. 409 for the caller, and for the last
 * administrator.
 */
export const deleteUsers = ledgerOperation({
  ...requests.deleteUsersRequest,
  affectsAdministrators: true,
  onlyTakesAway: true,
  apply(state, { query }, { actor }) {
    const users = findRows(state.users, query.user_ids);
    if (isRefusal(users)) return users;
    if (users.some((user) => user.id === actor.id)) {
      return refuse('resource_conflict', 'you cannot delete yourself');
    }
    const ids = users.map((user) => user.id);
    return {
      state: { ...state, users: ids.reduce((table, id) => deleteRow(table, id), state.users) },
      subject: { resourceType: 'user', resourceIds: ids, userIds: ids },
    };
  },
});

/** 403 for a user who would have rights that the caller lacks. */
function written(
  state: VaultState,
  before: User | undefined,
  after: User,
  { actor }: ApplyContext,
  resourceType = 'user',
): Applied | Refusal {
  const escalation = refuseEscalation(state, actor, before, after);
  if (escalation !== undefined) return escalation;
  const write = before === undefined ? insertRow : replaceRow;
  return {
    state: { ...state, users: write(state.users, after) },
    subject: { resourceType, resourceIds: [after.id], userIds: [after.id] },
  };
}

/** 409 when another user has this enrolment key: a code belongs to one person. */
function refuseTakenEnrollment(
  { users }: VaultState,
  userId: string,
  { enrollmentCodeSha256: sha256 }: Enrollment,
): Refusal | undefined {
  const owner = users.indexes.byEnrollmentCode.get(sha256 ?? '');
  return owner === undefined || owner === userId
    ? undefined
    : refuse('resource_conflict', 'enrollment_public_key: is the key of another user');
}

/** 409 for an identity that another user has, who may have enrolled with a token that no provider signed. */
function namedIdentity(
  { users }: VaultState,
  { identity: named, cloud_provider: cloudProvider }: NewPerson,
): Pick<HumanUser, 'identity'> | Refusal {
  if (named === undefined) return {};
  const found = identityNamed(named);
  if (found === undefined || found.provider !== cloudProvider) {
    return refuse('invalid_inputs', 'identity: is of another provider than cloud_provider');
  }
  const owner = users.indexes.byIdentity.get(found.identity);
  return owner === undefined
    ? { identity: found.identity }
    : refuse('resource_conflict', `identity: is that of user ${owner}`);
}

function newUser(state: VaultState, body: NewUser, context: ApplyContext): User | Refusal {
  const unknown = requireKnown(state.userGroups, body.user_group_ids ?? [], 'user group');
  if (unknown !== undefined) return unknown;
  const id = context.newId('user');
  const common = {
    displayName: body.display_name,
    description: body.description ?? null,
    userGroupIds: body.user_group_ids ?? [],
    frozen: null,
    ...newStamps(context),
  };
  if (body.type === 'human') {
    if (state.users.indexes.byEmail.has(asciiLowerCase(body.email))) {
      return refuse('resource_conflict', 'the email is taken');
    }
    const enrollment = newEnrollment(context, body.enrollment_public_key);
    const clash = refuseTakenEnrollment(state, id, enrollment);
    if (clash !== undefined) return clash;
    const identity = namedIdentity(state, body);
    if (isRefusal(identity)) return identity;
    return {
      id,
      ...common,
      type: 'human',
      email: body.email,
      cloudProvider: body.cloud_provider,
      ...enrollment,
      ...identity,
    };
  }
  const expiresAt = body.expires_at ?? null;
  if (isOver(expiresAt, context)) return EXPIRED;
  return {
    id,
    ...common,
    type: 'machine',
    publicKey: body.public_key,
    publicKeySince: context.at,
    apiKeySha256: apiKeySha256(apiKeyOf(context)),
    expiresAt,
    ...(body.allowed_addresses !== undefined && { allowedAddresses: body.allowed_addresses }),
  };
}

function changedUser(before: User, body: Change, context: ApplyContext): User | Refusal {
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
  body: Change,
  context: ApplyContext,
): MachineUser | Refusal {
  if (body.reset_passkeys === true || body.enrollment_public_key !== undefined) {
    return refuse('invalid_inputs', 'a machine user has no passkeys');
  }
  const expiresAt = body.expires_at === undefined ? user.expiresAt : body.expires_at;
  if (isOver(body.expires_at, context)) return EXPIRED;
  return {
    ...withAddresses(user, body.allowed_addresses),
    expiresAt,
    publicKey: body.public_key ?? user.publicKey,
    publicKeySince: body.public_key === undefined ? user.publicKeySince : context.at,
    apiKeySha256:
      body.rotate_api_key === true ? apiKeySha256(apiKeyOf(context)) : user.apiKeySha256,
  };
}

function withAddresses(user: MachineUser, addresses: Change['allowed_addresses']): MachineUser {
  if (addresses === undefined) return user;
  const { allowedAddresses: _earlier, ...rest } = user;
  return addresses === null ? rest : { ...rest, allowedAddresses: addresses };
}

const EXPIRED = refuse('invalid_inputs', 'expires_at: must lie in the future');

function isOver(expiresAt: number | null | undefined, { at }: ApplyContext): boolean {
  return expiresAt != null && expiresAt <= at;
}
