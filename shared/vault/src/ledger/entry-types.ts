/** Types of ledger entries once they are read. */
import type { Bytes } from '@countersign/core/bytes.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { OpenedRequest } from '../authentication/opened-request.js';
import type { EntryContent, EntryRow } from './entry.js';

export interface LoggedEntry extends Pick<EntryRow, 'seq' | 'prevHash' | 'hash'> {
  /** Size of the body, bytes. */
  readonly size: number;
  /** Time (ms) by the appender's clock. It counts for the genesis alone, whose hash was pinned with it. */
  readonly appendedAt: number;
  readonly content: EntryContent;
  /** Present in entries of kind `evidence` alone. */
  readonly request: LoggedRequest | undefined;
}

/** A caller's request in the ledger. Costly work is done at the first call. */
export interface LoggedRequest {
  readonly sealedCredential: Bytes;
  /** When the caller signed it, by the caller's clock, ms. */
  readonly signedAt: number;
  /** Throws EvidenceSealError or UnknownEvidenceKeyError. */
  open(): OpenedRequest;
  /** A secret for each label: the same on every node that holds the evidence key. */
  secret(label: string): Buffer;
  /** The secret of another entry. */
  readonly derive: EvidenceKeys['derive'];
}
