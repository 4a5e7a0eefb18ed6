/**
 * Checks whether a user who was let in to look at the system may go on looking. It is called again and again meanwhile.
 */
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { refuseElsewhere } from '../admission/allowed-addresses.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { INVALID_CREDENTIALS } from '@countersign/vault/authentication/refused-credential.js';
import { authorizeAdmin } from '@countersign/vault/policy/admin-policy.js';
import type { User, VaultState } from '@countersign/vault/state/state.js';

/** The user who was let in, and their credential. */
export interface Viewer {
  readonly userId: string;
  /** Changes when the user's credential is taken away. */
  readonly credential: string;
}

export interface LookDeps {
  readonly follower: { readonly view: Pick<LedgerFollower['view'], 'state' | 'optimistic'> };
  readonly now: () => number;
}

export function viewerOf(user: User): Viewer {
  const credential = user.type === 'machine' ? user.apiKeySha256 : String(user.identity);
  return { userId: user.id, credential };
}

/** Where and when somebody looks. */
interface Look {
  readonly address: string | undefined;
  /** ms */
  readonly now: number;
}

/** Undefined for a user who still has that credential, is active and is allowed, also from `address`. */
export function refuseLook(
  { follower, now }: LookDeps,
  viewer: Viewer,
  address: string | undefined,
): Refusal | undefined {
  const { state, optimistic } = follower.view;
  const look = { address, now: now() };
  return refuseIn(state, viewer, look) ?? refuseIn(optimistic, viewer, look);
}

function refuseIn(state: VaultState, viewer: Viewer, { address, now }: Look): Refusal | undefined {
  const user = state.users.rows.get(viewer.userId);
  if (user === undefined || user.frozen !== null) return NOBODY;
  if (viewerOf(user).credential !== viewer.credential) return NOBODY;
  if (user.type === 'machine' && user.expiresAt !== null && user.expiresAt <= now) return NOBODY;
  const permission = authorizeAdmin(state, user, 'view_system_resources', []);
  return isRefusal(permission) ? permission : refuseElsewhere(user, address);
}

const NOBODY = refuse('unauthorized', INVALID_CREDENTIALS);

/** When a verified token ends, ms; undefined for an API key. */
export function tokenEnd(authorization: string | undefined): number | undefined {
  const payload = /^Bearer [^.]+\.([^.]+)\./.exec(authorization ?? '')?.[1];
  if (payload === undefined) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as {
    exp?: unknown;
  };
  return typeof claims.exp === 'number' ? claims.exp * 1_000 : undefined;
}
