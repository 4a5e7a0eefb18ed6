import * as requests from '@countersign/api/requests/passkeys.js';
import { deny } from '@countersign/core/fold-denials.js';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import { readNewPasskey } from '../authentication/new-passkey.js';
import { passkeysOf } from '../state/passkey-owner.js';
import type { HumanUser, VaultState } from '../state/state.js';
import { replaceRow } from '../state/table.js';
import { ledgerOperation, type Applied, type ApplyContext } from './ledger-operation.js';
import { noSuchResource, updatedStamps } from './lookups.js';

const MAX_PASSKEYS = 10;

/**
 * Adds a passkey to the caller, whom `authenticate` has checked. They used a passkey of theirs or, for the first, the
 * enrolment code and the new passkey itself. In that case the token's identity is theirs from now on.
 */
export const registerPasskey = ledgerOperation({
  ...requests.registerPasskeyRequest,
  apply(state, { body }, context) {
    const { actor: user } = context;
    if (user.type !== 'human') return deny('passkey_of_machine');
    const read = readNewPasskey(state, body);
    if (isRefusal(read)) return read;
    const earlier = passkeysOf(user);
    if (state.users.indexes.byPasskey.has(read.credentialId)) {
      return refuse('resource_conflict', 'the passkey is registered already');
    }
    if (earlier.length >= MAX_PASSKEYS) {
      return refuse('resource_conflict', `a person has at most ${MAX_PASSKEYS} passkeys`);
    }
    const passkey = { id: context.newId('passkey'), createdAt: context.at, ...read };
    const after: HumanUser = {
      ...(earlier.length === 0 ? enrolled(user, context) : user),
      passkeys: [...earlier, passkey],
      ...updatedStamps(context),
    };
    return changed(state, after, passkey.id);
  },
});

/** Removes a passkey of the caller, but never the last one, without which they could not come back by themselves. */
export const deletePasskey = ledgerOperation({
  ...requests.deletePasskeyRequest,
  apply(state, { params }, context) {
    const { actor: user } = context;
    const id = params['credential_id'] ?? '';
    const earlier = user.type === 'human' ? passkeysOf(user) : [];
    const passkeys = earlier.filter((passkey) => passkey.id !== id);
    if (user.type !== 'human' || passkeys.length === earlier.length) return noSuchResource(id);
    if (passkeys.length === 0) {
      return refuse('resource_conflict', 'your last passkey: register another one first');
    }
    const credentialEpoch = context.newId('credential epoch');
    const after = { ...user, passkeys, credentialEpoch, ...updatedStamps(context) };
    return changed(state, after, id);
  },
});

/** Uses up the code. */
function enrolled(
  { enrollmentUntil: _until, enrollmentKey: _key, ...user }: HumanUser,
  context: ApplyContext,
): HumanUser {
  const credentialEpoch = context.newId('credential epoch');
  return { ...user, enrollmentCodeSha256: null, credentialEpoch };
}

function changed(state: VaultState, user: HumanUser, passkeyId: string): Applied {
  return {
    state: { ...state, users: replaceRow(state.users, user) },
    subject: { resourceType: 'passkey', resourceIds: [passkeyId], userIds: [user.id] },
  };
}
