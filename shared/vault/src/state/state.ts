/**
 * The vault state: everything that governs what may be signed, as folded from the ledger. Immutable:
 * a reader that holds a state holds a consistent picture, whatever is folded after it.
 *
 * Times are milliseconds since the Unix epoch (UTC); ids are UUIDs derived from ledger entry hashes.
 */
import { asciiLowerCase } from '@countersign/core/ascii-case.js';
import { Map, Set } from 'immutable';
import type {
  MemberType,
  NetworkFamily,
  SigningOperationName,
} from '@countersign/core/vocabulary.js';
import type { KeyType, SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { RuleConditions } from '@countersign/api/conditions/conditions.js';
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import type { ErrType } from '@countersign/core/errors.js';
import type { CredentialScheme } from '@countersign/core/evidence.js';
import type { EventType } from '@countersign/api/requests/webhooks.js';
import type { PasskeyKey, RelyingParty } from '@countersign/core/passkey-assertion.js';
import { PARTY_NUMBERS, type PartyIdentity, type PartyNumber } from '@countersign/core/parties.js';
import { emptyTable, indexedTable, type Table } from './table.js';
import { newPublicKeyMarksOf, newSealedPrintsOf } from './key-marks.js';
import { publicKeyOwners } from './public-key-owners.js';
import { selectorMarks } from './label-marks.js';
import { hasTestnetRule, hasUsdRule, isOnTestnet } from './setting-dependents.js';
import { firstForGood, listed, naming, unique, versions, where } from './table-indexes.js';

export interface Stamps {
  readonly createdAt: number;
  readonly createdBy: string;
  readonly lastUpdatedAt: number;
  readonly lastUpdatedBy: string;
}

export interface Freeze {
  readonly at: number;
  readonly by: string;
  readonly reason: string | null;
}

interface UserCommon extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly description: string | null;
  readonly userGroupIds: readonly string[];
  readonly frozen: Freeze | null;
}

export interface MachineUser extends UserCommon {
  readonly type: 'machine';
  /** SHA-256 of the API key, hex. */
  readonly apiKeySha256: string;
  /** Ed25519, 32 bytes, base64. */
  readonly publicKey: string;
  readonly publicKeySince: number;
  readonly expiresAt: number | null;
}

export interface HumanUser extends UserCommon {
  readonly type: 'human';
  readonly email: string;
  readonly cloudProvider: 'azure' | 'gcp';
  /** SHA-256 of the enrolment code, hex, or of the key that stands for one; null once it was used. */
  readonly enrollmentCodeSha256: string | null;
  /** From when on the code is good for nothing, ms. Absent: it was used. */
  readonly enrollmentUntil?: number;
  /**
   * What proofs of a code are checked with that the vault never had: Ed25519, 32 bytes, base64. Absent: the code was derived
   * here, or was used.
   */
  readonly enrollmentKey?: string;
  /** Whom tokens must name (`identityOfToken`): bound with the first passkey, for good. Absent until then. */
  readonly identity?: string;
  /** In the order of registration. Absent until the first. */
  readonly passkeys?: readonly Passkey[];
  /** Another one with each passkey that is taken away, and with each enrolment: see `credentialMark`. Absent until the first. */
  readonly credentialEpoch?: string;
}

export interface Passkey extends PasskeyKey {
  readonly id: string;
  readonly displayName: string | null;
  /** Whether it was copied to other devices when it was registered (flag BS). */
  readonly backedUp: boolean;
  readonly createdAt: number;
}

export type User = MachineUser | HumanUser;

export interface UserGroup extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly description: string | null;
}

export interface Subjects {
  readonly userIds: readonly string[];
  readonly userGroupIds: readonly string[];
}

export interface AdminPolicy extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly action: AdminPolicyType;
  readonly effect: 'allow' | 'deny';
  readonly subjects: Subjects;
  /** null: everywhere. */
  readonly scopeVaultIds: readonly string[] | null;
  readonly version: number;
  /** Whose approvals what it allows waits for. Absent: nobody's. */
  readonly approvals?: AskedApprovals;
  /** How long what it allows waits once it is approved, ms. Absent: it does not. */
  readonly delayMs?: number;
}

/** Approvals by this many of these users, each counted once, the requester never. */
export interface AskedApprovals {
  readonly quorum: number;
  readonly approvers: Subjects;
  /** Until when a request waits for them, from its own time, ms. */
  readonly expiresInMs: number;
}

/**
 * An accepted request that waits for approvals, or for its time; and, once it has ended, what it came to. Its entry's
 * effect is that of an entry of its own: ids and secrets are derived from it as if it had taken effect at once.
 */
export interface PendingRequest {
  /** The request's id. */
  readonly id: string;
  /** Of the operation. */
  readonly operation: string;
  /** What the requester needs, and in which vaults: none for an act that is not confined to vaults. */
  readonly actions: readonly AdminPolicyType[];
  readonly vaultIds: readonly string[];
  /** What approvers sign for: `approvalDigest`, hex. */
  readonly digest: string;
  /** What is needed to do it later. null once it has ended: it stands in the ledger. */
  readonly call: HeldCall | null;
  readonly createdAt: number;
  readonly createdBy: string;
  /** Which credential it was made with, see `credentialMark`. */
  readonly credential: string;
  /** The policies that asked, as they were when it was made. */
  readonly askedBy: readonly AskedBy[];
  readonly given: readonly GivenApproval[];
  readonly expiresAt: number;
  /** What an unfreezing is about: a freeze of it ends the request. Absent where it is no unfreezing. */
  readonly unfreezes?: PendingSubject;
  /** When it takes effect; null until it is approved, and where nothing delays it. */
  readonly dueAt: number | null;
  readonly status:
    | 'waiting'
    | 'delayed'
    /** Of a signature alone: approved, and the parties may sign for a short while, see `releasedAt`. */
    | 'released'
    | 'applied'
    | 'failed'
    | 'rejected'
    | 'cancelled'
    | 'expired';
  /** When it was decided, and by whom: a user's id, null for the vault itself. */
  readonly endedAt: number | null;
  readonly endedBy: string | null;
  /** Why it ended, for people: of a rejection, a cancellation or a failure. */
  readonly reason: string | null;
  /** Of a failure: the type of the error. */
  readonly failure: ErrType | null;
  /** What it was about, once it has taken effect. */
  readonly subject: PendingSubject | null;
  /** What is to sign; absent for a change of the vault. */
  readonly signing?: PendingSigning;
  /** When its approvals were complete, ms: once, for good. Absent until then, and for a change of the vault. */
  readonly releasedAt?: number;
}

/** Of a request for a signature: what is known of it without reading it, and the rest of its evidence. */
export interface PendingSigning {
  readonly operation: SigningOperationName;
  readonly keyId: string;
  /** null for a key that stands by itself. */
  readonly walletId: string | null;
  readonly scheme: CredentialScheme;
  /** By the caller's clock, ms. */
  readonly timestampMs: number;
  /** Since when at the latest rules ask for approvals of somebody's signatures there, as the ledger dates it; ms. */
  readonly askedSince: number;
  /** Hex. */
  readonly nonce: string;
  /** Base64. */
  readonly assertion: string;
}

export interface HeldCall {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Base64. */
  readonly body: string;
  /** What names its evidence: the transcript's digest, hex. */
  readonly transcript: string;
  /** Of the entry that made it, hex: what ids are derived from. */
  readonly entryHash: string;
  /** What secrets are derived from: base64. */
  readonly sealedCredential: string;
}

export interface AskedBy {
  readonly policyId: string;
  readonly version: number;
  /** Of a signing policy: the rule. Absent for an administrative one, which has none. */
  readonly ruleId?: string;
  /** 0 where it only delays. */
  readonly quorum: number;
}

export interface GivenApproval {
  readonly userId: string;
  readonly at: number;
  /** Which credential it was given with: it counts as long as that is the user's. */
  readonly credential: string;
  /** Of the entry that gave it, hex: what receipts name. */
  readonly entryHash: string;
  /** Of a signature: under which rules it is approved. Absent: under whichever ask. */
  readonly ruleIds?: readonly string[];
}

/** What an accepted entry was about. */
export interface PendingSubject {
  readonly resourceType: string;
  readonly resourceIds: readonly string[];
  readonly userIds?: readonly string[] | undefined;
  readonly vaultIds?: readonly string[] | undefined;
  readonly keyIds?: readonly string[] | undefined;
  readonly walletAddresses?: readonly string[] | undefined;
}

export interface Vault extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly description: string | null;
  readonly frozen: Freeze | null;
  readonly walletCount: number;
}

/** An HPKE public key (RFC 9180) of one party, to which importing clients seal its part of a secret. */
export interface ImportRecipient {
  readonly id: string;
  readonly party: PartyNumber;
  /** X25519, 32 bytes, base64. */
  readonly publicKey: string;
  readonly expiresAt: number;
  /** By the party's identity key over {@link recipientMessage}: Ed25519, 64 bytes, base64. */
  readonly signature: string;
}

/** One party alone must not be able to stop all changes. */
const WITHDRAWALS_NEEDED = 2;

/** A key under which evidence may be sealed. */
export interface EvidenceKeyRow {
  /** 8 bytes, hex. */
  readonly id: string;
  /** Who said that they hold it, in order: it counts when all three have. */
  readonly heldBy: readonly PartyNumber[];
  /** Who said that they trust it no longer, in order: it is withdrawn when two have. Absent where nobody has. */
  readonly withdrawnBy?: readonly PartyNumber[];
}

export interface Attestation {
  readonly party: PartyNumber;
  /** Ed25519, 64 bytes, base64. */
  readonly signature: string;
  /** The run of the key ceremony that this speaks of, hex: `ceremonyHashOf`. */
  readonly ceremonyHash: string;
  /** Base64; see {@link Key.publicKey}. */
  readonly publicKey: string;
  /** Which run of the ceremony this speaks of. */
  readonly session: string;
}

/** One party's part of an imported secret, as the client sealed it. */
export interface SealedPart {
  readonly party: PartyNumber;
  readonly recipientId: string;
  /** encapsulated key ‖ ciphertext, base64. */
  readonly sealed: string;
}

export interface Key extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly description: string | null;
  readonly type: KeyType;
  /**
   * What the key signs with when a request names no scheme. null: what its venue wants, or else the first
   * of its type; read by `schemeOfKey`.
   */
  readonly scheme: SignatureScheme | null;
  readonly custody: 'mpc' | 'mpc_imported' | 'split';
  /** RSA alone. */
  readonly modulusBits: number | null;
  /** How an imported secret was written, e.g. `base64`; null for generated keys. */
  readonly encoding: string | null;
  readonly venueId: string | null;
  readonly venueApiKey: string | null;
  readonly labels: Labels;
  /**
   * `generating` and `importing` until all three parties attest the same public key; `failed` when a
   * party attests that it never will be.
   */
  readonly status: KeyStatus;
  /** Why the key failed, public text. */
  readonly failure: string | null;
  readonly frozen: Freeze | null;
  readonly version: number;
  /**
   * Base64; empty until the key is complete, and for HMAC secrets. Ed25519: 32 bytes. RSA:
   * SubjectPublicKeyInfo, DER.
   */
  readonly publicKey: string;
  readonly session: string;
  readonly attestations: readonly Attestation[];
  /** What is being imported; empty otherwise. */
  readonly sealedParts: readonly SealedPart[];
  /** The wallet this key belongs to. */
  readonly walletId: string | null;
}

export type Labels = Readonly<Record<string, string>>;

/** Of all that have none: most keys. */
export const NO_LABELS: Labels = {};
export const NO_SEALED_PARTS: readonly SealedPart[] = [];

export type KeyStatus = 'generating' | 'importing' | 'active' | 'disabled' | 'destroyed' | 'failed';

export interface Wallet extends Stamps {
  readonly id: string;
  readonly vaultId: string;
  readonly networkFamily: NetworkFamily;
  /** Those that it was given, also while they are switched off. */
  readonly networks: readonly string[];
  readonly displayName: string;
  readonly keyId: string;
  /** Empty while the key is being generated. */
  readonly address: string;
  /** As they were made, for good. Absent: none. */
  readonly labels?: Labels;
  readonly frozen: Freeze | null;
}

export interface SecurityGroup extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly vaultIds: readonly string[] | null;
  /** Those that were named; what {@link selector} selects is a member too. */
  readonly members: readonly { readonly id: string; readonly type: MemberType }[];
  /** Absent: none. */
  readonly selector?: LabelSelector;
  /** In order of evaluation. */
  readonly signingPolicyIds: readonly string[];
}

/** Keys and wallets that have every one of the labels, of these types. */
export interface LabelSelector {
  readonly labels: Labels;
  readonly types: readonly MemberType[];
}

export type { RuleConditions };

export interface Rule {
  readonly id: string;
  readonly displayName: string;
  readonly enabled: boolean;
  readonly when: RuleConditions;
  readonly then: 'allow' | 'deny' | RequiredApprovals;
}

/** What the rule would allow waits for them. */
export interface RequiredApprovals {
  readonly requireApprovals: AskedApprovals;
}

export interface SigningPolicy extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly securityGroupId: string;
  readonly version: number;
  readonly rules: readonly Rule[];
}

/** Where the notifier sends events. */
export interface Webhook extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly enabled: boolean;
  readonly version: number;
}

export interface SystemSettings {
  readonly version: number;
  readonly testnetsEnabled: boolean;
  readonly usdValueConditionsEnabled: boolean;
}

const byName = unique((row: { readonly id: string; readonly displayName: string }) =>
  asciiLowerCase(row.displayName),
);

/** Those with a freeze of their own. */
const frozen = where(
  (row: { readonly id: string; readonly frozen: Freeze | null }) => row.frozen !== null,
);

const NO_USERS = indexedTable<User>()({
  frozen,
  byApiKey: unique((user) => (user.type === 'machine' ? user.apiKeySha256 : undefined)),
  /** Letters of ASCII in lower case. */
  byEmail: unique((user) => (user.type === 'human' ? asciiLowerCase(user.email) : undefined)),
  byEnrollmentCode: unique((user) =>
    user.type === 'human' ? (user.enrollmentCodeSha256 ?? undefined) : undefined,
  ),
  byIdentity: unique((user) => (user.type === 'human' ? user.identity : undefined)),
  /** By the authenticator's name for it. */
  byPasskey: naming((user) =>
    user.type === 'human' ? (user.passkeys ?? []).map(({ credentialId: id }) => ({ id })) : [],
  ),
});

const NO_USER_GROUPS = indexedTable<UserGroup>()({ byName });

const NO_VAULTS = indexedTable<Vault>()({ byName, frozen });

const NO_WALLETS = indexedTable<Wallet>()({
  /** By {@link walletAddressKey}. */
  byAddress: unique(({ vaultId, address }) =>
    address === '' ? undefined : walletAddressKey(vaultId, address),
  ),
  byVault: listed((wallet) => wallet.vaultId),
  frozen,
  onTestnet: where(isOnTestnet),
});

const NO_KEYS = indexedTable<Key>()({
  frozen,
  /** Those that the parties have still to complete. */
  pending: where(({ status }) => status === 'generating' || status === 'importing'),
  /** Whose a public key is for good. */
  byPublicKey: publicKeyOwners<Key>(newPublicKeyMarksOf),
  /** Whose the sealed part of an import is for good, by its print. */
  bySealedPart: firstForGood<Key>(newSealedPrintsOf),
});

const NO_SECURITY_GROUPS = indexedTable<SecurityGroup>()({
  byName,
  byMember: naming((group) => group.members),
  /** By one of the labels that a group selects by, as {@link labelMark} writes it. */
  bySelector: naming(selectorMarks),
});

/** Receipts and audit log entries name a version of a policy: none of them is forgotten, not even with the policy. */
const NO_ADMIN_POLICIES = indexedTable<AdminPolicy>()({ byVersion: versions() });

const NO_SIGNING_POLICIES = indexedTable<SigningPolicy>()({
  byVersion: versions(),
  onTestnet: where(hasTestnetRule),
  onUsdValue: where(hasUsdRule),
});

const NO_HELD_REQUESTS = indexedTable<PendingRequest>()({
  /** Those that are not decided yet, and signatures whose time is not known to be over. */
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
  /** Where the vault's passkeys belong. Absent where the genesis does not say: people cannot enrol. */
  readonly relyingParty?: RelyingParty;
  readonly evidenceKeys: readonly EvidenceKeyRow[];
  /** Those that an import may still name: at most two of each party, the newest last. */
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

const NO_WEBHOOKS = emptyTable<Webhook>();

export function webhooksOf({ webhooks = NO_WEBHOOKS }: VaultState): Table<Webhook> {
  return webhooks;
}

/** Whether two states differ in nothing but how far the ledger has come. */
export function isSameVault(a: VaultState, b: VaultState): boolean {
  if (a === b) return true;
  return (Object.keys({ ...a, ...b }) as (keyof VaultState)[]).every(
    (name) => name === 'seq' || name === 'headHash' || name === 'time' || a[name] === b[name],
  );
}

/** Whether every node may be expected to hold this evidence key. */
export function isDeclaredEvidenceKey(state: VaultState, keyId: string): boolean {
  const row = state.evidenceKeys.find(({ id }) => id === keyId);
  return row !== undefined && row.heldBy.length === PARTY_NUMBERS.length;
}

/** Whether two parties have said that they trust this evidence key no longer. */
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
