/**
 * The vault state: everything that governs what may be signed, as folded from the ledger. Immutable:
 * a reader that holds a state holds a consistent picture, whatever is folded after it.
 *
 * Times are milliseconds since the Unix epoch (UTC); ids are UUIDs derived from ledger entry hashes.
 */
import { Map, Set } from 'immutable';
import type {
  MemberType,
  NetworkFamily,
  SigningOperationName,
  VelocityScope,
  VelocityUnit,
} from '@countersign/core/vocabulary.js';
import type { KeyType, SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { OperationClass } from '@countersign/venues/engine/venue.js';
import type { AdminPolicyType } from '@countersign/api/admin-policy-types.js';
import { PARTY_NUMBERS, type PartyIdentity, type PartyNumber } from '@countersign/core/parties.js';
import { emptyTable, indexedTable, type Table } from './table.js';
import { haveSameMarks, marksOf } from './key-marks.js';
import { firstForGood, listed, naming, unique, uniqueForGood, where } from './table-indexes.js';

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
  /** SHA-256 of the enrolment code, hex. */
  readonly enrollmentCodeSha256: string;
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
  readonly labels: Readonly<Record<string, string>>;
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

export type KeyStatus = 'generating' | 'importing' | 'active' | 'disabled' | 'destroyed' | 'failed';

export interface Wallet extends Stamps {
  readonly id: string;
  readonly vaultId: string;
  readonly networkFamily: NetworkFamily;
  /** null: those of its family that are enabled; read by `networksOfWallet`. */
  readonly networks: readonly string[] | null;
  readonly displayName: string;
  readonly keyId: string;
  /** Empty while the key is being generated. */
  readonly address: string;
  readonly frozen: Freeze | null;
}

export interface SecurityGroup extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly vaultIds: readonly string[] | null;
  readonly members: readonly { readonly id: string; readonly type: MemberType }[];
  /** In order of evaluation. */
  readonly signingPolicyIds: readonly string[];
}

export interface RuleConditions {
  readonly operations?: readonly SigningOperationName[] | undefined;
  readonly initiators?: Subjects | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly venueIds?: readonly string[] | undefined;
  readonly operationClasses?: readonly OperationClass[] | undefined;
  /** `METHOD /path/template` as in the venue's table. */
  readonly endpoints?: readonly string[] | undefined;
  readonly symbols?: readonly string[] | undefined;
  readonly sides?: readonly ('buy' | 'sell')[] | undefined;
  readonly amount?: AmountBounds | undefined;
  readonly quoteAmount?: AmountBounds | undefined;
  /** Only beside `symbols`: in every market they count something else. */
  readonly contracts?: AmountBounds | undefined;
  readonly velocity?: VelocityLimit | undefined;
}

/** How much a rule may allow in any span of `windowS` seconds. */
export interface VelocityLimit {
  /** Decimal string, inclusive. */
  readonly limit: string;
  readonly unit: VelocityUnit;
  readonly windowS: number;
  /** Whose requests are counted together. */
  readonly per: VelocityScope;
}

/** Decimal strings, both bounds inclusive. */
export interface AmountBounds {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

export interface Rule {
  readonly id: string;
  readonly displayName: string;
  readonly enabled: boolean;
  readonly when: RuleConditions;
  readonly then: 'allow' | 'deny';
}

export interface SigningPolicy extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly securityGroupId: string;
  readonly version: number;
  readonly rules: readonly Rule[];
}

export interface SystemSettings {
  readonly version: number;
  readonly testnetsEnabled: boolean;
  readonly usdValueConditionsEnabled: boolean;
}

const byName = unique((row: { readonly id: string; readonly displayName: string }) =>
  row.displayName.toLowerCase(),
);

/** Those with a freeze of their own. */
const frozen = where(
  (row: { readonly id: string; readonly frozen: Freeze | null }) => row.frozen !== null,
);

const NO_USERS = indexedTable<User>()({
  frozen,
  byApiKey: unique((user) => (user.type === 'machine' ? user.apiKeySha256 : undefined)),
  /** In lower case. */
  byEmail: unique((user) => (user.type === 'human' ? user.email.toLowerCase() : undefined)),
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
});

const NO_KEYS = indexedTable<Key>()({
  frozen,
  /** Those that the parties have still to complete. */
  pending: where(({ status }) => status === 'generating' || status === 'importing'),
  /** Of the keys that the parties made together: each public key belongs to one key for good. */
  byGeneratedPublicKey: uniqueForGood(({ custody, publicKey }) =>
    custody === 'mpc' && publicKey !== '' ? publicKey : undefined,
  ),
  /** Whose a mark is for good, see {@link marksOf}: the first key's that had it. */
  byMark: firstForGood<Key>(marksOf, haveSameMarks),
});

const NO_SECURITY_GROUPS = indexedTable<SecurityGroup>()({
  byName,
  byMember: naming((group) => group.members),
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
  readonly evidenceKeys: readonly EvidenceKeyRow[];
  /** Those that an import may still name: at most two of each party, the newest last. */
  readonly importRecipients: readonly ImportRecipient[];
  readonly users: typeof NO_USERS;
  readonly userGroups: typeof NO_USER_GROUPS;
  readonly adminPolicies: Table<AdminPolicy>;
  readonly vaults: typeof NO_VAULTS;
  readonly wallets: typeof NO_WALLETS;
  readonly keys: typeof NO_KEYS;
  readonly securityGroups: typeof NO_SECURITY_GROUPS;
  readonly signingPolicies: Table<SigningPolicy>;
  readonly settings: SystemSettings;
  readonly frozenVenues: Map<string, Freeze>;
  readonly systemFreeze: Freeze | null;
  /** Nonces of accepted requests, hex: remembered for good. */
  readonly nonces: Set<string>;
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
  adminPolicies: emptyTable(),
  vaults: NO_VAULTS,
  wallets: NO_WALLETS,
  keys: NO_KEYS,
  securityGroups: NO_SECURITY_GROUPS,
  signingPolicies: emptyTable(),
  settings: { version: 1, testnetsEnabled: false, usdValueConditionsEnabled: false },
  frozenVenues: Map(),
  systemFreeze: null,
  nonces: Set(),
};

/** Whether two states differ in nothing but how far the ledger has come. */
export function isSameVault(a: VaultState, b: VaultState): boolean {
  if (a === b) return true;
  return (Object.keys(a) as (keyof VaultState)[]).every(
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
