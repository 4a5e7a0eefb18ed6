/**
 * The messages between the main thread and the signing threads. Every value is plain data that structured cloning
 * carries. Secrets travel sealed only, except the exchange key, which is moved out once.
 */
import type { LoneStatement } from './lone-statement.js';
import type { CallerKey } from '@countersign/core/caller-key.js';
import type { KeyType, SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { RoundOnePackages, RoundTwoPackage } from './dkg-packages.js';
import type {
  OwnDeal,
  ResharingContext,
  ResharingFault,
  ResharingFinishInput,
  ResharingRevealInput,
  ResharingTakeInput,
  TakenResult,
} from './resharing-tasks.js';
import type { SealedShare } from './sealed-share.js';

/** Given to each thread at its start. The secrets in the files are read inside the thread. */
export interface ThreadData {
  readonly party: PartyNumber;
  readonly kekFile: string;
  /** An Ed25519 seed (RFC 8032, section 5.1.5), sealed under the KEK. */
  readonly identityFile: string;
  /** An X25519 private key (RFC 7748), sealed under the KEK. */
  readonly exchangeFile: string;
  readonly nonceMemory: SharedArrayBuffer;
  /** Whether this thread is of the pool that RSA signatures go to. */
  readonly signsRsa: boolean;
}

/** The caller's own signature over the request: a thread signs nothing that no caller asked for. */
export interface CallerEvidence {
  /** 32-byte transcript digest, the message of the assertion. */
  readonly digest: Uint8Array;
  /** Its form depends on the caller's kind of key. */
  readonly assertion: Uint8Array;
  readonly callerKey: CallerKey;
}

/** A key as this party stores it. */
export interface StoredKey extends SealedShare {
  readonly keyId: string;
  readonly version: number;
  readonly type: KeyType;
  /**
   * As the ledger has it: Ed25519, 32 bytes; RSA, SubjectPublicKeyInfo (DER); empty for an HMAC secret.
   * A thread refuses the key when its sealed share says otherwise.
   */
  readonly publicKey: Uint8Array;
}

export interface MathsInput {
  readonly key: StoredKey;
  readonly message: Uint8Array;
  readonly scheme: SignatureScheme;
}

export interface PartnerMathsInput extends MathsInput {
  readonly leadParty: number;
  /** Ed25519: D ‖ E, 64 bytes. Empty for the other types. */
  readonly leadCommitment: Uint8Array;
}

export interface LeadMathsInput extends MathsInput {
  readonly partnerParty: number;
  /** The output of the partner's maths. */
  readonly contribution: Uint8Array;
  /** Ed25519: own nonces in the pool, which the task uses up even if the item fails. Ignored for the other types. */
  readonly slot: number;
  readonly serial: number;
  /** How the venue wants the passphrase that was imported with an HMAC secret, if it wants one. */
  readonly passphrase?: 'plain' | 'hmac_sha256';
}

export interface PartnerItem extends PartnerMathsInput {
  readonly evidence: CallerEvidence;
  /** What the party says of it if it contributes; absent unless it is the only item of its batch. */
  readonly statement?: Uint8Array;
}

export interface LeadItem extends LeadMathsInput {
  readonly evidence: CallerEvidence;
  /** What the party says of it if it is signed; absent unless it is the only item of its batch. */
  readonly statement?: LoneStatement;
}

/**
 * Why an item was not signed:
 *
 * - `assertion`: the caller's signature does not verify;
 * - `commitment`: the other party's number or nonce commitment is not valid;
 * - `share`: this party's own share does not open or is not of this key;
 * - `nonce-gone`: the nonces were taken before, or never made by this process;
 * - `partner-share`: the partner's contribution is wrong;
 * - `fault`: none of these; something in the item is malformed or the thread has a defect.
 */
export type RefusalReason =
  | 'assertion'
  | 'commitment'
  | 'share'
  | 'nonce-gone'
  | 'partner-share'
  | 'fault';

/** A partner has fresh nonces and sees nobody's contribution. */
export type PartnerRefusal = Exclude<RefusalReason, 'nonce-gone' | 'partner-share'>;

export type PartnerResult =
  /** `said`: the identity key's signature of the item's statement, 64 bytes. */
  | { readonly ok: true; readonly contribution: Uint8Array; readonly said?: Uint8Array }
  | { readonly ok: false; readonly reason: PartnerRefusal };

export interface CombinedSignature {
  /** Raw bytes of the scheme, verified under the public key where there is one. */
  readonly signature: Uint8Array;
  /** As the venue wants it sent; empty for none. */
  readonly passphrase: string;
}

export type LeadResult =
  /** `said`: the identity key's signature of the item's statement, 64 bytes. */
  | (CombinedSignature & { readonly ok: true; readonly said?: Uint8Array })
  | { readonly ok: false; readonly reason: 'partner-share'; readonly culprit: number }
  | { readonly ok: false; readonly reason: Exclude<RefusalReason, 'partner-share'> };

/** A trial is a signature that no caller asked for, over a message that the thread makes itself. */
export interface TrialSubject {
  readonly keyId: string;
  readonly session: string;
}

export type TrialPartnerInput = Omit<PartnerMathsInput, 'message'> & {
  readonly trial: TrialSubject;
};
export type TrialLeadInput = Omit<LeadMathsInput, 'message'> & { readonly trial: TrialSubject };

/** An HPKE key pair for imports, as this party stores it. */
export interface SealedRecipient extends SealedShare {
  readonly recipientId: string;
}

export interface NewRecipient extends SealedRecipient {
  /** X25519, 32 bytes. */
  readonly publicKey: Uint8Array;
}

export interface OpenImportInput {
  readonly recipient: SealedRecipient;
  /** {@link importInfo}. */
  readonly info: Uint8Array;
  /** Encapsulated key (32 bytes) ‖ ciphertext. */
  readonly sealedPart: Uint8Array;
  readonly keyId: string;
  readonly version: number;
  readonly type: KeyType;
  /** As the importer stated it; see {@link StoredKey.publicKey}. */
  readonly publicKey: Uint8Array;
}

/** A key's share as a ceremony or an import leaves it at this party. */
export interface CompletedShare extends SealedShare {
  readonly scheme: string;
  /** See {@link StoredKey.publicKey}. */
  readonly publicKey: Uint8Array;
  /** Hash over everything public that all parties must agree on, 32 bytes. */
  readonly transcriptHash: Uint8Array;
}

/** An RSA share, to be bound to another key id. */
export interface ResealInput {
  readonly from: SealedShare & { readonly keyId: string; readonly version: number };
  readonly to: { readonly keyId: string; readonly version: number };
  /** The size that the other key asks for. */
  readonly modulusBits: number;
}

export type OpenImportResult =
  | ({ readonly ok: true } & CompletedShare)
  /** `reason`: public text. */
  | { readonly ok: false; readonly reason: string };

export interface BeginResharingInput {
  readonly context: ResharingContext;
  /** A dealer's share. What the third party may still have is of no use to it. */
  readonly old: StoredKey | undefined;
}

export type ResharedResult = ({ readonly ok: true } & CompletedShare) | ResharingFault;

export interface NonceSlot {
  readonly slot: number;
  readonly serial: number;
}

/** What a thread says of itself once its files are read and its self-test has passed. */
export interface ThreadIdentity {
  readonly party: PartyNumber;
  /** 32 bytes. */
  readonly identityPublicKey: Uint8Array;
  readonly kekId: string;
}

/** Whether the party's KEK opens now. `isFinal`: asking again does not help before somebody has changed a setting. */
export type KekCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly isFinal: boolean };

export type DkgRound1Input = { readonly sessionId: string };
export type DkgRound2Input = {
  readonly sessionId: string;
  readonly roundOnePackages: RoundOnePackages;
};
export type DkgRound3Input = DkgRound2Input & {
  /** The two packages sent to this party, in any order. */
  readonly roundTwoPackages: readonly Uint8Array[];
  readonly keyId: string;
  readonly version: number;
};

export type ThreadTask =
  | { readonly kind: 'identify' }
  | { readonly kind: 'commit'; readonly slots: readonly NonceSlot[] }
  | { readonly kind: 'partner'; readonly items: readonly PartnerItem[] }
  | { readonly kind: 'lead'; readonly items: readonly LeadItem[] }
  /** `into`: 32 bytes. A result would be copied, and stay in the thread until it is garbage-collected. */
  | { readonly kind: 'open-exchange-key'; readonly into: SharedArrayBuffer }
  | { readonly kind: 'check-kek' }
  | { readonly kind: 'sign-identity'; readonly messages: readonly Uint8Array[] }
  | ({ readonly kind: 'trial-partner' } & TrialPartnerInput)
  | ({ readonly kind: 'trial-lead' } & TrialLeadInput)
  | { readonly kind: 'make-recipient'; readonly recipientId: string }
  | ({ readonly kind: 'open-import' } & OpenImportInput)
  | ({ readonly kind: 'reseal' } & ResealInput)
  | ({ readonly kind: 'dkg-round1' } & DkgRound1Input)
  | ({ readonly kind: 'dkg-round2' } & DkgRound2Input)
  | ({ readonly kind: 'dkg-round3' } & DkgRound3Input)
  | ({ readonly kind: 'begin-resharing' } & BeginResharingInput)
  | ({ readonly kind: 'reveal-deal' } & ResharingRevealInput)
  | ({ readonly kind: 'take-new-share' } & ResharingTakeInput)
  | ({ readonly kind: 'finish-resharing' } & ResharingFinishInput);

/** The answer to each kind of task. */
export interface ThreadTaskResults {
  /** `unfit`: public text. A setting is wrong, and trying again does not help. */
  identify: ThreadIdentity | { readonly unfit: string };
  /** Commitments D ‖ E in the order of the slots, 64 bytes each. */
  commit: Uint8Array;
  partner: PartnerResult[];
  lead: LeadResult[];
  'open-exchange-key': undefined;
  'check-kek': KekCheck;
  /** 64 bytes each. */
  'sign-identity': Uint8Array[];
  'trial-partner': Uint8Array | undefined;
  'trial-lead': boolean;
  'make-recipient': NewRecipient;
  'open-import': OpenImportResult;
  /** Rejects when the share does not open, is of another size or damaged. */
  reseal: CompletedShare;
  /** The package to broadcast. */
  'dkg-round1': Uint8Array;
  'dkg-round2': RoundTwoPackage[];
  'dkg-round3': CompletedShare;
  'begin-resharing': Uint8Array | undefined;
  'reveal-deal': OwnDeal | undefined;
  'take-new-share': TakenResult;
  'finish-resharing': ResharedResult;
}
