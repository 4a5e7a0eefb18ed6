/**
 * The rows of the vault state, as types alone. Times are milliseconds since the Unix epoch (UTC); ids are UUIDs
 * derived from ledger entry hashes.
 */
import type {
  MemberType,
  NetworkFamily,
  SigningOperationName,
} from '@countersign/core/vocabulary.js';
import type { KeyType, SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { RuleConditions } from '@countersign/api/conditions/condition-forms.js';
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import type { ErrType } from '@countersign/core/errors.js';
import type { CredentialScheme } from '@countersign/core/evidence.js';
import type { CloudProvider } from '@countersign/api/requests/users.js';
import type { EventType } from '@countersign/api/requests/webhooks.js';
import type { PasskeyKey } from '@countersign/core/passkey-assertion.js';
import type { PartyIdentity, PartyNumber } from '@countersign/core/parties.js';

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
  /** Ranges of addresses that gateways let the API key be used from. Absent: from anywhere. */
  readonly allowedAddresses?: readonly string[];
}

export interface HumanUser extends UserCommon {
  readonly type: 'human';
  readonly email: string;
  readonly cloudProvider: CloudProvider;
  /** SHA-256 of the enrolment code, hex, or of the key that stands for one; null once it is used. */
  readonly enrollmentCodeSha256: string | null;
  /** When the code expires, ms. Absent: it was used. */
  readonly enrollmentUntil?: number;
  /**
   * Checks proofs of a code that the vault never had: Ed25519, 32 bytes, base64. Absent: the code was derived here, or
   * was used.
   */
  readonly enrollmentKey?: string;
  /**
   * The identity that tokens must name (`identityOfToken`): named when the user was made, or else bound for good with
   * the first passkey. Absent until then.
   */
  readonly identity?: string;
  /** Ordered by registration. Absent until the first. */
  readonly passkeys?: readonly Passkey[];
  /** Replaced with each removal of a passkey and each enrolment: see `credentialMark`. Absent until the first. */
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
  /** Approvals that what it allows waits for. Absent: none. */
  readonly approvals?: AskedApprovals;
  /** How long what it allows waits once it is approved, ms. Absent: no delay. */
  readonly delayMs?: number;
}

/** Approvals by this many of these users, each counted once and the requester never. */
export interface AskedApprovals {
  readonly quorum: number;
  readonly approvers: Subjects;
  /** How long a request waits for them, from its own time, ms. */
  readonly expiresInMs: number;
}

/**
 * An accepted request that waits for approvals, or for its time. Once it has ended, the row keeps the result. Its
 * effect is that of its own entry: ids and secrets are derived from that as if it had taken effect at once.
 */
export interface PendingRequest {
  /** The request's id. */
  readonly id: string;
  /** Id of the operation. */
  readonly operation: string;
  /**
   * The rights that the requester needs, and the vaults they must cover: none for an act that is not confined to
   * vaults.
   */
  readonly actions: readonly AdminPolicyType[];
  readonly vaultIds: readonly string[];
  /** What approvers sign for: `approvalDigest`, hex. */
  readonly digest: string;
  /** What is needed to carry it out later. null once it has ended: the ledger has it. */
  readonly call: HeldCall | null;
  readonly createdAt: number;
  readonly createdBy: string;
  /** The mark of the credential that made it, see `credentialMark`. */
  readonly credential: string;
  /** The policies that asked for approvals, as they were when the request was made. */
  readonly askedBy: readonly AskedBy[];
  readonly given: readonly GivenApproval[];
  readonly expiresAt: number;
  /** The subject of an unfreezing: a freeze of it ends the request. Absent for other requests. */
  readonly unfreezes?: PendingSubject;
  /** When it takes effect; null until it is approved, and if nothing delays it. */
  readonly dueAt: number | null;
  readonly status:
    | 'waiting'
    | 'delayed'
    /** Signatures only: approved, and the parties may sign for a short while, see `releasedAt`. */
    | 'released'
    | 'applied'
    | 'failed'
    | 'rejected'
    | 'cancelled'
    | 'expired';
  /** When it was decided, and by which user's id; null for the vault itself. */
  readonly endedAt: number | null;
  readonly endedBy: string | null;
  /** Why it was rejected or cancelled, or failed, for people. */
  readonly reason: string | null;
  /** The type of the error that it failed with. */
  readonly failure: ErrType | null;
  /** What it was about, once it has taken effect. */
  readonly subject: PendingSubject | null;
  /** The signature asked for; absent for a change of the vault. */
  readonly signing?: PendingSigning;
  /** When its approvals were complete, ms: set once, for good. Absent until then, and for a change of the vault. */
  readonly releasedAt?: number;
}

/** What is known of a request for a signature without reading it, and the rest of its evidence. */
export interface PendingSigning {
  readonly operation: SigningOperationName;
  readonly keyId: string;
  /** null for a key that stands by itself. */
  readonly walletId: string | null;
  readonly scheme: CredentialScheme;
  /** By the caller's clock, ms. */
  readonly timestampMs: number;
  /** Since when, at the latest, rules ask for approvals of somebody's signatures there, by the ledger's times; ms. */
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
  /** Names its evidence: the transcript's digest, hex. */
  readonly transcript: string;
  /** Hash of the entry that made it, hex: ids are derived from it. */
  readonly entryHash: string;
  /** Secrets are derived from it: base64. */
  readonly sealedCredential: string;
}

export interface AskedBy {
  readonly policyId: string;
  readonly version: number;
  /** The rule of a signing policy. Absent for an administrative one, which has none. */
  readonly ruleId?: string;
  /** 0 if it only delays. */
  readonly quorum: number;
}

export interface GivenApproval {
  readonly userId: string;
  readonly at: number;
  /** The mark of the credential that gave it: it counts as long as that is the user's. */
  readonly credential: string;
  /** Hash of the entry that gave it, hex: receipts name it. */
  readonly entryHash: string;
  /** Signatures only: the rules under which it is approved. Absent: any that ask. */
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

/** A key under which evidence may be sealed. */
export interface EvidenceKeyRow {
  /** 8 bytes, hex. */
  readonly id: string;
  /** Parties that said they hold it, in order: it counts when all three have. */
  readonly heldBy: readonly PartyNumber[];
  /** Parties that said they no longer trust it, in order: two withdraw it. Absent for none. */
  readonly withdrawnBy?: readonly PartyNumber[];
}

/** Other keys for a party, as officers asked for them. They count once the two other parties have confirmed them. */
export interface Successor extends PartyIdentity {
  /** Hash of the entry that asked for it, hex. */
  readonly requestHash: string;
  /** In order; at most one, since the second confirmation makes the change. */
  readonly confirmedBy: readonly PartyNumber[];
}

/** All keys get new shares: the public keys stay, and the shares that were are of no use with the new ones. */
export interface ShareRefresh {
  /** Counted from 1. */
  readonly number: number;
  /** The parties from whose shares the new ones are made; the third may hold none. */
  readonly dealers: readonly [PartyNumber, PartyNumber];
  /** The party that was replaced, and holds no share before it gets new ones; null when none was. */
  readonly successor: PartyNumber | null;
}

/** What a party says of its new share of a key. */
export interface RefreshedShare {
  readonly party: PartyNumber;
  readonly session: string;
  /** Hex: `ceremonyHashOf`. */
  readonly ceremonyHash: string;
}

export interface Attestation {
  readonly party: PartyNumber;
  /** Ed25519, 64 bytes, base64. */
  readonly signature: string;
  /** The run of the key ceremony that this is about, hex: `ceremonyHashOf`. */
  readonly ceremonyHash: string;
  /** Base64; see {@link Key.publicKey}. */
  readonly publicKey: string;
  /** The run of the ceremony that this is about. */
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
   * The scheme when a request names none. null: the one that its venue wants, or else the first of its type; read by
   * `schemeOfKey`.
   */
  readonly scheme: SignatureScheme | null;
  readonly custody: 'mpc' | 'mpc_imported' | 'split';
  /** RSA alone has one. */
  readonly modulusBits: number | null;
  /** How an imported secret was written, e.g. `base64`; null for generated keys. */
  readonly encoding: string | null;
  readonly venueId: string | null;
  readonly venueApiKey: string | null;
  readonly labels: Labels;
  /**
   * `generating` and `importing` until all three parties attest the same public key; `failed` when a party attests
   * that they never will.
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
  /** The parts of an import under way; empty otherwise. */
  readonly sealedParts: readonly SealedPart[];
  /** The wallet this key belongs to. */
  readonly walletId: string | null;
}

export type Labels = Readonly<Record<string, string>>;

export type KeyStatus = 'generating' | 'importing' | 'active' | 'disabled' | 'destroyed' | 'failed';

export interface Wallet extends Stamps {
  readonly id: string;
  readonly vaultId: string;
  readonly networkFamily: NetworkFamily;
  /** The wallet's networks, including those switched off. */
  readonly networks: readonly string[];
  readonly displayName: string;
  readonly keyId: string;
  /** Empty while the key is being generated. */
  readonly address: string;
  /** Fixed when it was made. Absent: none. */
  readonly labels?: Labels;
  readonly frozen: Freeze | null;
}

export interface SecurityGroup extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly vaultIds: readonly string[] | null;
  /** Named members; what {@link selector} selects is a member too. */
  readonly members: readonly { readonly id: string; readonly type: MemberType }[];
  /** Absent: none. */
  readonly selector?: LabelSelector;
  /** Ordered for evaluation. */
  readonly signingPolicyIds: readonly string[];
}

/** Keys and wallets that have every one of the labels, of these types. */
export interface LabelSelector {
  readonly labels: Labels;
  readonly types: readonly MemberType[];
}

export interface Rule {
  readonly id: string;
  readonly displayName: string;
  readonly enabled: boolean;
  readonly when: RuleConditions;
  readonly then: 'allow' | 'deny' | RequiredApprovals;
}

/** What the rule would allow waits for these approvals. */
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

/** A part of the address book. Rules name it by its id. */
export interface AddressList extends Stamps {
  readonly id: string;
  readonly displayName: string;
  readonly description: string | null;
  /** At least one; no address twice. */
  readonly entries: readonly ListedAddress[];
  readonly version: number;
}

export interface ListedAddress {
  readonly address: string;
  readonly displayName: string;
}

/** An address to which the notifier sends events. */
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
