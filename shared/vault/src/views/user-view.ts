import type * as s from '@countersign/core/shapes.js';
import { timeView } from '@countersign/api/common-schema.js';
import type { createdUser, userFullInformation, userGroup } from '@countersign/api/user-schema.js';
import type { passkey } from '@countersign/api/passkey-schema.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { freezesOfUser } from '../state/freezes.js';
import type { HumanUser, User, UserGroup, VaultState } from '../state/state.js';
import { isEnrolled, passkeysOf } from '../state/passkey-owner.js';
import { effectiveState } from './freeze-view.js';
import { stampsView } from './stamps-view.js';

/** Secrets made by the entry that created or rotated a credential. */
export interface UserSecrets {
  readonly apiKey?: string | undefined;
  readonly enrollmentCode?: string | undefined;
}

export function userGroupView(group: UserGroup): s.InputOf<typeof userGroup> {
  return {
    id: group.id,
    display_name: group.displayName,
    description: group.description,
    ...stampsView(group),
  };
}

export function createdUserView(
  state: VaultState,
  user: User,
  secrets: UserSecrets,
): s.InputOf<typeof createdUser> {
  const common = commonView(state, user);
  if (user.type === 'human') {
    const enrollmentCode = user.enrollmentKey === undefined ? secrets.enrollmentCode : undefined;
    return {
      ...common,
      ...humanView(user),
      ...(enrollmentCode !== undefined && { enrollment_code: enrollmentCode }),
    };
  }
  const { apiKey } = secrets;
  return { ...common, type: 'machine', ...(apiKey !== undefined && { api_key: apiKey }) };
}

/** `now` (ms) tells whether the user has expired. */
export function userFullView(
  state: VaultState,
  user: User,
  now: number,
): s.InputOf<typeof userFullInformation> {
  const common = {
    ...commonView(state, user),
    ...effectiveState(freezesOfUser(state, user), userStatus(user, now)),
    ...(user.frozen !== null && { frozen_at: timeView(user.frozen.at) }),
  };
  if (user.type === 'human') {
    return {
      ...common,
      ...humanView(user),
      credentials: passkeysOf(user).map((one) => ({
        id: one.id,
        type: 'passkey',
        created_at: timeView(one.createdAt),
        display_name: one.displayName,
        backup_eligible: one.backupEligible,
        backed_up: one.backedUp,
      })),
    };
  }
  return {
    ...common,
    type: 'machine',
    credentials: [
      {
        id: uuidFromHash(sha256('countersign credential id v1', user.id, user.publicKey)),
        type: 'ed25519',
        created_at: timeView(user.publicKeySince),
      },
    ],
    ...(user.expiresAt !== null && { expires_at: timeView(user.expiresAt) }),
    ...(user.allowedAddresses !== undefined && { allowed_addresses: [...user.allowedAddresses] }),
  };
}

/** A passkey by the id of its credential, for the answer to whoever registered it. */
export function passkeyView(user: User, id: string): s.InputOf<typeof passkey> | Refusal {
  const found = user.type === 'human' ? passkeysOf(user).find((one) => one.id === id) : undefined;
  if (found === undefined) return refuse('resource_not_found', 'the passkey is registered no more');
  return {
    id,
    user_id: user.id,
    display_name: found.displayName,
    credential_id: found.credentialId,
    created_at: timeView(found.createdAt),
    backup_eligible: found.backupEligible,
    backed_up: found.backedUp,
  };
}

function humanView(user: HumanUser) {
  const { email, cloudProvider: cloud_provider, enrollmentUntil } = user;
  const isPending = enrollmentUntil !== undefined && !isEnrolled(user);
  const expiry = isPending && { enrollment_expires_at: timeView(enrollmentUntil) };
  return { type: 'human', email, cloud_provider, ...expiry } as const;
}

function userStatus(user: User, now: number): 'active' | 'expired' | 'pending_enrollment' {
  if (user.type === 'human') return isEnrolled(user) ? 'active' : 'pending_enrollment';
  return user.expiresAt !== null && user.expiresAt <= now ? 'expired' : 'active';
}

function commonView(state: VaultState, user: User) {
  return {
    id: user.id,
    display_name: user.displayName,
    description: user.description,
    user_groups: user.userGroupIds.flatMap((groupId) => {
      const group = state.userGroups.rows.get(groupId);
      return group === undefined
        ? []
        : [{ id: group.id, display_name: group.displayName, description: group.description }];
    }),
    ...stampsView(user),
  };
}
