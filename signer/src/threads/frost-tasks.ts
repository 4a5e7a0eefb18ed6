/**
 * What travels between the main thread and the signing threads. Every value is plain data that
 * structured cloning carries; secrets never travel, save sealed.
 */
import type { SignatureScheme } from '@countersign/shared/operations/signing-operation.js';
import type { RoundOnePackages, RoundTwoPackage } from '../frost/dkg.js';
import type { Identifier, VerifyingShares } from '../frost/frost-ed25519.js';
import type { SealedShare } from './share-seal.js';

/** Given to each thread at its start. The secrets in the files are read inside the thread. */
export interface FrostThreadData {
  readonly party: Identifier;
  readonly kekFile: string;
  /** 32 raw bytes, an Ed25519 seed (RFC 8032, section 5.1.5), in a file of mode 0600. */
  readonly identitySeedFile: string;
  readonly nonceMemory: SharedArrayBuffer;
}

/** The caller's own signature over the request: a thread signs nothing that no caller asked for. */
export interface CallerEvidence {
  /** 32-byte transcript digest, the message of the assertion. */
  readonly digest: Uint8Array;
  /** 64-byte Ed25519 signature. */
  readonly assertion: Uint8Array;
  /** 32 bytes. */
  readonly callerPublicKey: Uint8Array;
}

/** A FROST key as this party stores it. */
export interface StoredFrostKey extends SealedShare {
  readonly keyId: string;
  readonly version: number;
  /** 32 bytes, as the row says. A thread refuses the key when its sealed share says otherwise. */
  readonly groupPublicKey: Uint8Array;
}

interface SigningItem {
  readonly evidence: CallerEvidence;
  readonly key: StoredFrostKey;
  readonly message: Uint8Array;
  /** `ed25519` when absent. */
  readonly scheme?: SignatureScheme;
}

export interface PartnerItem extends SigningItem {
  readonly leadParty: number;
  /** D ‖ E, 64 bytes. */
  readonly leadCommitment: Uint8Array;
  /** To be signed with the party's identity key when, and only when, the item yields a share. */
  readonly receiptBytes?: Uint8Array;
}

export interface LeadItem extends SigningItem {
  readonly partnerParty: number;
  /** D ‖ E, 64 bytes. */
  readonly partnerCommitment: Uint8Array;
  /** 32-byte scalar. */
  readonly partnerShare: Uint8Array;
  /** Own nonces in the pool. They are used up by the task, whatever comes of the item. */
  readonly slot: number;
  readonly serial: number;
  /** The receipt both parties sign; this party's signature is given when the item yields a signature. */
  readonly receiptBytes: Uint8Array;
  /** The partner's signature over `receiptBytes`, 64 bytes: checked before anything is computed. */
  readonly partnerReceiptSignature: Uint8Array;
  /** The partner's identity key as the genesis has it, 32 bytes. */
  readonly partnerIdentityKey: Uint8Array;
}

/**
 * Why an item was not signed:
 *
 * - `assertion`: the caller's signature does not verify;
 * - `commitment`: the other party's number or nonce commitment is not valid;
 * - `share`: this party's own share does not open or is not of this key;
 * - `nonce-gone`: the nonces were taken before, or never made by this process;
 * - `partner-share`: the partner's signature share is wrong;
 * - `partner-receipt`: the partner's signature over the receipt is wrong;
 * - `fault`: none of these; something in the item is malformed or the thread has a defect.
 */
export type RefusalReason =
  | 'assertion'
  | 'commitment'
  | 'share'
  | 'nonce-gone'
  | 'partner-share'
  | 'partner-receipt'
  | 'fault';

/** A partner has fresh nonces and sees nobody's signature share or receipt. */
export type PartnerRefusal = Exclude<
  RefusalReason,
  'nonce-gone' | 'partner-share' | 'partner-receipt'
>;

export type PartnerResult =
  | {
      readonly ok: true;
      /** D ‖ E, 64 bytes, made for this item alone. */
      readonly ownCommitment: Uint8Array;
      /** 32-byte scalar. */
      readonly signatureShare: Uint8Array;
      /** 64 bytes, present when the item had `receiptBytes`. */
      readonly receiptSignature?: Uint8Array;
    }
  | {
      readonly ok: false;
      readonly reason: PartnerRefusal;
    };

export type LeadResult =
  | {
      readonly ok: true;
      /** 64 bytes, verified under the group public key. */
      readonly signature: Uint8Array;
      /** 64 bytes, over `receiptBytes`. */
      readonly receiptSignature: Uint8Array;
    }
  | { readonly ok: false; readonly reason: 'partner-share'; readonly culprit: number }
  | { readonly ok: false; readonly reason: Exclude<RefusalReason, 'partner-share'> };

export interface NonceSlot {
  readonly slot: number;
  readonly serial: number;
}

/** A generated key as this party stores it: the share sealed, the rest public. */
export interface GeneratedFrostKey extends SealedShare {
  readonly groupPublicKey: Uint8Array;
  readonly verifyingShares: VerifyingShares;
  /** See `DkgResult`. */
  readonly transcriptHash: Uint8Array;
}

/** What a thread says of itself once its files are read and its self-test has passed. */
export interface ThreadIdentity {
  readonly party: Identifier;
  /** 32 bytes. */
  readonly identityPublicKey: Uint8Array;
  readonly kekId: string;
}

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

export type FrostTask =
  | { readonly kind: 'identify' }
  | { readonly kind: 'commit'; readonly slots: readonly NonceSlot[] }
  | { readonly kind: 'partner'; readonly items: readonly PartnerItem[] }
  | { readonly kind: 'lead'; readonly items: readonly LeadItem[] }
  | { readonly kind: 'sign-identity'; readonly messages: readonly Uint8Array[] }
  | ({ readonly kind: 'dkg-round1' } & DkgRound1Input)
  | ({ readonly kind: 'dkg-round2' } & DkgRound2Input)
  | ({ readonly kind: 'dkg-round3' } & DkgRound3Input);

/** The answer to each kind of task. */
export interface FrostTaskResults {
  identify: ThreadIdentity;
  /** Commitments D ‖ E in the order of the slots, 64 bytes each. */
  commit: Uint8Array;
  partner: PartnerResult[];
  lead: LeadResult[];
  /** 64 bytes each. */
  'sign-identity': Uint8Array[];
  /** The package to broadcast. */
  'dkg-round1': Uint8Array;
  'dkg-round2': RoundTwoPackage[];
  'dkg-round3': GeneratedFrostKey;
}
