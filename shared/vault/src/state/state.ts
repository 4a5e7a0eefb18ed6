/**
 * The vault state: everything that governs what may be signed, as folded from the ledger. Immutable: who holds a state
 * holds a consistent picture, whatever is folded after it.
 */
import { asciiLowerCase } from '@countersign/core/ascii-case.js';
import { Map, Set } from 'immutable';
import type { RelyingParty } from '@countersign/core/passkey-assertion.js';
import { PARTY_NUMBERS, type FormerParty, type PartyIdentity } from '@countersign/core/parties.js';
import { emptyTable, indexedTable, type Table } from './table.js';
import { newPublicKeyMarksOf, newSealedPrintsOf } from './key-marks.js';
import { publicKeyOwners } from './public-key-owners.js';
import { selectorMarks } from './label-marks.js';
import { hasTestnetRule, hasUsdRule, isOnTestnet } from './setting-dependents.js';
import { firstForGood, listed, naming, unique, versions, where } from './table-indexes.js';
import type {
  AddressList,
  AdminPolicy,
  EvidenceKeyRow,
  Freeze,
  ImportRecipient,
  Key,
  Labels,
  PendingRequest,
  RefreshedShare,
  SealedPart,
  SecurityGroup,
  ShareRefresh,
  SigningPolicy,
  Successor,
  SystemSettings,
  User,
  UserGroup,
  Vault,
  Wallet,
  Webhook,
} from './rows.js';

export type { RuleConditions } from '@countersign/api/conditions/condition-forms.js';
export type * from './rows.js';

/** Shared by all that have none, which are most keys. */
export const NO_LABELS: Labels = {};
export const NO_SEALED_PARTS: readonly SealedPart[] = [];

/** Two are needed, so that one party alone cannot stop all changes. */
const WITHDRAWALS_NEEDED = 2;

const byName = unique((row: { readonly id: string; readonly displayName: string }) =>
  asciiLowerCase(row.displayName),
);

/** Rows with a freeze of their own. */
const frozen = where(
  (row: { readonly id: string; readonly frozen: Freeze | null }) => row.frozen !== null,
);

const NO_USERS = indexedTable<User>()({
  frozen,
  byApiKey: unique((user) => (user.type === 'machine' ? user.apiKeySha256 : undefined)),
  /** Emails with ASCII letters in lower case. */
  byEmail: unique((user) => (user.type === 'human' ? asciiLowerCase(user.email) : undefined)),
  byEnrollmentCode: unique((user) =>
    user.type === 'human' ? (user.enrollmentCodeSha256 ?? undefined) : undefined,
  ),
  byIdentity: unique((user) => (user.type === 'human' ? user.identity : undefined)),
  /** Keyed by the authenticator's name for it. */
  byPasskey: naming((user) =>
    user.type === 'human' ? (user.passkeys ?? []).map(({ credentialId: id }) => ({ id })) : [],
  ),
});

const NO_USER_GROUPS = indexedTable<UserGroup>()({ byName });

const NO_VAULTS = indexedTable<Vault>()({ byName, frozen });

const NO_WALLETS = indexedTable<Wallet>()({
  /** Keyed by {@link walletAddressKey}. */
  byAddress: unique(({ vaultId, address }) =>
    address === '' ? undefined : walletAddressKey(vaultId, address),
  ),
  byVault: listed((wallet) => wallet.vaultId),
  frozen,
  onTestnet: where(isOnTestnet),
});

const NO_KEYS = indexedTable<Key>()({
  frozen,
  /** Keys that the parties still have to complete. */
  pending: where(({ status }) => status === 'generating' || status === 'importing'),
  /** The owner of each public key for good. */
  byPublicKey: publicKeyOwners<Key>(newPublicKeyMarksOf),
  /** The owner of each sealed part of an import for good, by its print. */
  bySealedPart: firstForGood<Key>(newSealedPrintsOf),
});

const NO_SECURITY_GROUPS = indexedTable<SecurityGroup>()({
  byName,
  byMember: naming((group) => group.members),
  /** Keyed by one of the labels that a group selects by, as {@link labelMark} writes it. */
  bySelector: naming(selectorMarks),
});

/** Receipts and audit log entries name a version of a policy, so none is forgotten, not even with the policy. */
const NO_ADMIN_POLICIES = indexedTable<AdminPolicy>()({ byVersion: versions() });

const NO_SIGNING_POLICIES = indexedTable<SigningPolicy>()({
  byVersion: versions(),
  onTestnet: where(hasTestnetRule),
  onUsdValue: where(hasUsdRule),
});

const NO_HELD_REQUESTS = indexedTable<PendingRequest>()({
  /** Undecided requests, and signatures whose time is not known to be over. */
  open: where(
    ({ status, call }) =>
      status === 'waiting' || status === 'delayed' || (status === 'released' && call !== null),
  ),
  /** Signatures that may be given, or could have been until lately. */
  released: where(({ status, call }) => status === 'released' && call !== null),
});

export interface VaultState {
  /** Sequence number of the last entry folded; 0 before genesis. */
  readonly seq: number;
  /** Its hash, hex. */
  readonly headHash: string;
  /** Time of the last accepted genesis or request. */
  readonly time: number;
  readonly vaultId: string;
  readonly genesisHash: string;
  readonly parties: readonly PartyIdentity[];
  /** Keys that parties had before they were replaced, the oldest first. Absent while no party was. */
  readonly formerParties?: readonly FormerParty[];
  /** Absent while no replacement is asked for. */
  readonly successor?: Successor;
  /** The newest refresh, also when it is done. Absent while there was none. */
  readonly refresh?: ShareRefresh;
  /** Keys whose shares of the newest refresh are not complete. Keys that have gone meanwhile may be among them. */
  readonly keysToRefresh?: Set<string>;
  /** By key: which parties hold new shares, while not all three do. */
  readonly refreshedBy?: Map<string, readonly RefreshedShare[]>;
  /** The relying party of the vault's passkeys. Absent if the genesis has none: people cannot enrol. */
  readonly relyingParty?: RelyingParty;
  readonly evidenceKeys: readonly EvidenceKeyRow[];
  /** Recipients that an import may still name: at most two of each party, the newest last. */
  readonly importRecipients: readonly ImportRecipient[];
  readonly users: typeof NO_USERS;
  readonly userGroups: typeof NO_USER_GROUPS;
  readonly adminPolicies: typeof NO_ADMIN_POLICIES;
  readonly vaults: typeof NO_VAULTS;
  readonly wallets: typeof NO_WALLETS;
  readonly keys: typeof NO_KEYS;
  readonly securityGroups: typeof NO_SECURITY_GROUPS;
  readonly signingPolicies: typeof NO_SIGNING_POLICIES;
  /** Absent in a vault that never had one; read by {@link webhooksOf}. */
  readonly webhooks?: Table<Webhook>;
  /** Absent in a vault that never had one; read by {@link addressListsOf}. */
  readonly addressLists?: Table<AddressList>;
  readonly settings: SystemSettings;
  readonly frozenVenues: Map<string, Freeze>;
  readonly systemFreeze: Freeze | null;
  /** Nonces of accepted requests, hex: remembered for good. */
  readonly nonces: Set<string>;
  readonly pendingRequests: typeof NO_HELD_REQUESTS;
}

export const EMPTY_STATE: VaultState = {
  seq: 0,
  headHash: '00'.repeat(32),
  time: 0,
  vaultId: '',
  genesisHash: '',
  parties: [],
  evidenceKeys: [],
  importRecipients: [],
  users: NO_USERS,
  userGroups: NO_USER_GROUPS,
  adminPolicies: NO_ADMIN_POLICIES,
  vaults: NO_VAULTS,
  wallets: NO_WALLETS,
  keys: NO_KEYS,
  securityGroups: NO_SECURITY_GROUPS,
  signingPolicies: NO_SIGNING_POLICIES,
  settings: { version: 1, testnetsEnabled: false, usdValueConditionsEnabled: false },
  frozenVenues: Map(),
  systemFreeze: null,
  nonces: Set(),
  pendingRequests: NO_HELD_REQUESTS,
};

const NO_ADDRESS_LISTS = emptyTable<AddressList>();

export function addressListsOf({
  addressLists = NO_ADDRESS_LISTS,
}: Pick<VaultState, 'addressLists'>): Table<AddressList> {
  return addressLists;
}

const NO_WEBHOOKS = emptyTable<Webhook>();

export function webhooksOf({ webhooks = NO_WEBHOOKS }: VaultState): Table<Webhook> {
  return webhooks;
}

/** Whether every node may be expected to hold this evidence key. */
export function isDeclaredEvidenceKey(state: VaultState, keyId: string): boolean {
  const row = state.evidenceKeys.find(({ id }) => id === keyId);
  return row !== undefined && row.heldBy.length === PARTY_NUMBERS.length;
}

/** Whether two parties have said that they no longer trust this evidence key. */
export function isWithdrawnEvidenceKey(state: VaultState, keyId: string): boolean {
  const row = state.evidenceKeys.find(({ id }) => id === keyId);
  return row !== undefined && (row.withdrawnBy ?? []).length >= WITHDRAWALS_NEEDED;
}

/** Whether something new may be sealed under this evidence key. */
export function isUsableEvidenceKey(state: VaultState, keyId: string): boolean {
  return isDeclaredEvidenceKey(state, keyId) && !isWithdrawnEvidenceKey(state, keyId);
}

/** A wallet's address is unique within its vault. */
export function walletAddressKey(vaultId: string, address: string): string {
  return `${vaultId}/${address}`;
}
