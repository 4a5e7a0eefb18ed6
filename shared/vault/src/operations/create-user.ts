import { asciiLowerCase } from '@countersign/core/ascii-case.js';
import { createUserRequest } from '@countersign/api/requests/users.js';
import type * as s from '@countersign/core/shapes.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { insertRow } from '../state/table.js';
import type { HumanUser, User, VaultState } from '../state/state.js';
import { requireKnown, newStamps } from './lookups.js';
import { ledgerOperation, type ApplyContext } from './ledger-operation.js';
import { needsForUser, refuseEscalation } from './user-rights.js';
import { identityNamed } from '../authentication/token-identity.js';
import {
  apiKeyOf,
  apiKeySha256,
  newEnrollment,
  type Enrollment,
} from '../authentication/user-secrets.js';

/**
 * Adds a user. Their API key (machine) or enrolment code (human) is derived from the entry and the evidence key. The
 * state holds its SHA-256 alone, and the answer shows it once. 403 when the user would have rights that the caller
 * lacks; 409 for a taken email or identity.
 */
export const createUser = ledgerOperation({
  ...createUserRequest,
  alsoNeeds: (state, { body }) => needsForUser(state, undefined, body),
  apply(state, { body }, context) {
    const user = newUser(state, body, context);
    if (isRefusal(user)) return user;
    const escalation = refuseEscalation(state, context.actor, undefined, user);
    if (escalation !== undefined) return escalation;
    return {
      state: { ...state, users: insertRow(state.users, user) },
      subject: { resourceType: 'user', resourceIds: [user.id], userIds: [user.id] },
    };
  },
});

/** 409 when another user has this enrolment key: a code belongs to one person. */
export function refuseTakenEnrollment(
  { users }: VaultState,
  userId: string,
  { enrollmentCodeSha256: sha256 }: Enrollment,
): Refusal | undefined {
  const owner = users.indexes.byEnrollmentCode.get(sha256 ?? '');
  return owner === undefined || owner === userId
    ? undefined
    : refuse('resource_conflict', 'enrollment_public_key: is the key of another user');
}

type NewPerson = Extract<s.OutputOf<typeof createUserRequest.body>, { type: 'human' }>;

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

function newUser(
  state: VaultState,
  body: s.OutputOf<typeof createUserRequest.body>,
  context: ApplyContext,
): User | Refusal {
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
  if (expiresAt !== null && expiresAt <= context.at) {
    return refuse('invalid_inputs', 'expires_at: must lie in the future');
  }
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
