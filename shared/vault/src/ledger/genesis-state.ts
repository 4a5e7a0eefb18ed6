import { toHex } from '@countersign/core/bytes.js';
import type { Genesis } from './entry.js';
import type { AdminPolicy, MachineUser, Stamps, VaultState } from '../state/state.js';
import { PARTY_NUMBERS, type PartyIdentity } from '@countersign/core/parties.js';
import { insertRow } from '../state/table.js';

/** The author of all rows that the genesis makes. */
export const GENESIS_AUTHOR = 'genesis';

/**
 * The state that the first entry makes: the parties, and the first users with their rights. `hash` is the entry's;
 * `at` is in ms.
 */
export function genesisState(
  empty: VaultState,
  genesis: Genesis,
  hash: Uint8Array,
  at: number,
): VaultState {
  const stamps = {
    createdAt: at,
    createdBy: GENESIS_AUTHOR,
    lastUpdatedAt: at,
    lastUpdatedBy: GENESIS_AUTHOR,
  };
  return {
    ...empty,
    vaultId: genesis.vault_id,
    genesisHash: toHex(hash),
    parties: partiesOf(genesis),
    ...relyingPartyOf(genesis),
    evidenceKeys: genesis.evidence_key_ids.map((id) => ({ id, heldBy: PARTY_NUMBERS })),
    users: firstUsers(genesis, stamps).reduce<VaultState['users']>(insertRow, empty.users),
    adminPolicies: firstPolicies(genesis, stamps).reduce<VaultState['adminPolicies']>(
      insertRow,
      empty.adminPolicies,
    ),
  };
}

export function partiesOf({ parties }: Genesis): PartyIdentity[] {
  return parties.map((party) => ({
    party: party.party,
    identityPublicKey: party.identity_public_key,
    exchangePublicKey: party.exchange_public_key,
  }));
}

/** Absent if the genesis has none: recorded states have no such field. */
function relyingPartyOf({ passkeys }: Genesis): Pick<VaultState, 'relyingParty'> {
  return passkeys === undefined
    ? {}
    : { relyingParty: { rpId: passkeys.rp_id, origins: passkeys.origins } };
}

function firstUsers({ users }: Genesis, stamps: Stamps): MachineUser[] {
  return users.map((user) => ({
    id: user.id,
    type: 'machine',
    displayName: user.display_name,
    description: null,
    userGroupIds: [],
    frozen: null,
    publicKey: user.public_key,
    publicKeySince: stamps.createdAt,
    apiKeySha256: user.api_key_sha256,
    expiresAt: null,
    ...stamps,
  }));
}

function firstPolicies({ admin_policies: policies }: Genesis, stamps: Stamps): AdminPolicy[] {
  return policies.map((policy) => ({
    id: policy.id,
    displayName: policy.display_name,
    action: policy.action,
    effect: 'allow',
    subjects: { userIds: policy.user_ids, userGroupIds: [] },
    scopeVaultIds: null,
    version: 1,
    ...stamps,
  }));
}
