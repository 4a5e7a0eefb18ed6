/**
 * The messages between a process and the thread of one RSA key generation. They are plain data that structured cloning
 * carries. No secret leaves the thread unless it is sealed.
 */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { PartCommitments, RsaPublicValues } from './rsa-public-values.js';
import type { SealPurpose } from './seal-domains.js';
import type { SealedShare } from './sealed-share.js';
import type { RsaGenerationErrorCode } from './generation-error.js';

export type GeneratedSharePurpose = Extract<SealPurpose, 'key share' | 'stock share'>;

/** Given to the thread at its start. */
export interface GenerationThreadData {
  readonly party: PartyNumber;
  /** 2048, 3072 or 4096; 512 and 1024 in tests. */
  readonly modulusBits: number;
  /** The same at all parties; names the run. */
  readonly runId: string;
  /** 32 bytes each, shared with the party before this one (`own`) and with the one after it (`next`). */
  readonly pairKeys: { readonly own: Uint8Array; readonly next: Uint8Array };
  /** The key-encryption key, read inside the thread (`openKek`). */
  readonly kekFile: string;
  /** What the share is made for: a key of the ledger, or stock. */
  readonly sealedAs: GeneratedSharePurpose;
  /** What the sealed share is bound to, with the party and `RSA_SHARE_SCHEME`. */
  readonly keyId: string;
  readonly version: number;
  /** Candidates after which to give up; 16 times the expected number when absent. */
  readonly candidateLimit?: number;
}

export interface GeneratedRsaKey extends SealedShare, RsaPublicValues {
  /** 32 bytes, to be attested by all three parties. */
  readonly transcriptHash: Uint8Array;
  readonly partCommitments: PartCommitments;
}

export interface GenerationProgress {
  /** Candidates so far. Their number is geometrically distributed, so this gives no percentage. */
  readonly tried: number;
  /** Candidates needed on average. */
  readonly expected: number;
}

export interface ToGenerationThread {
  readonly kind: 'message';
  readonly from: PartyNumber;
  readonly tag: string;
  readonly bytes: Uint8Array;
}

export type FromGenerationThread =
  | {
      readonly kind: 'send';
      readonly to: PartyNumber;
      readonly tag: string;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'progress'; readonly tried: number; readonly expected: number }
  | { readonly kind: 'done'; readonly key: GeneratedRsaKey }
  | {
      readonly kind: 'failed';
      /** `fault`: this party's own defect, such as a KEK file that cannot be read. */
      readonly code: RsaGenerationErrorCode | 'fault';
      readonly party: PartyNumber | undefined;
      /** For the log; carries no secret. */
      readonly detail: string;
    };
