import type { z } from 'zod';
import { timeView } from '@countersign/api/common-schema.js';
import type { createdUser, userFullInformation, userGroup } from '@countersign/api/user-schema.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { freezesOfUser } from '../state/freezes.js';
import type { User, UserGroup, VaultState } from '../state/state.js';
import { effectiveState } from './freeze-view.js';
import { stampsView } from './stamps-view.js';

export function userGroupView(group: UserGroup): z.input<typeof userGroup> {
  return {
    id: group.id,
    display_name: group.displayName,
    description: group.description,
    ...stampsView(group),
  };
}

/** Secrets made by the entry that created or rotated a credential. */
export interface UserSecrets {
  readonly apiKey?: string | undefined;
  readonly enrollmentCode?: string | undefined;
}

export function createdUserView(
  state: VaultState,
  user: User,
  secrets: UserSecrets,
): z.input<typeof createdUser> {
  const common = commonView(state, user);
  if (user.type === 'human') {
    const { enrollmentCode } = secrets;
    return {
      ...common,
      type: 'human',
      email: user.email,
      cloud_provider: user.cloudProvider,
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
): z.input<typeof userFullInformation> {
  const common = {
    ...commonView(state, user),
    ...effectiveState(freezesOfUser(state, user), userStatus(user, now)),
    ...(user.frozen !== null && { frozen_at: timeView(user.frozen.at) }),
  };
  if (user.type === 'human') {
    return {
      ...common,
      type: 'human',
      email: user.email,
      cloud_provider: user.cloudProvider,
      credentials: [],
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
  };
}

function userStatus(user: User, now: number): 'active' | 'expired' | 'pending_enrollment' {
  if (user.type === 'human') return 'pending_enrollment';
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
