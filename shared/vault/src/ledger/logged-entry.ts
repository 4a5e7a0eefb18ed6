/** A row of the ledger, decoded once, however often it is judged. */
import type { Bytes } from '@countersign/core/bytes.js';
import { openEvidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { openRequest, type OpenedRequest } from '../authentication/opened-request.js';
import { findLedgerOperation } from '../operations/ledger-operations.js';
import { decodeEntryBody, type EntryContent, type EntryRow } from './entry.js';
import type { LoggedEntry, LoggedRequest } from './entry-types.js';
import { endsNode } from './refuse-thrown.js';

/** Undefined for a row that cannot be read. */
export function readEntry(row: EntryRow, keys: EvidenceKeys): LoggedEntry | undefined {
  try {
    const { appendedAt, content } = decodeEntryBody(row.body);
    const { seq, prevHash, hash } = row;
    const request = content.kind === 'evidence' ? requestOf(content, hash, keys) : undefined;
    return { seq, prevHash, hash, size: row.body.length, appendedAt, content, request };
  } catch (error) {
    if (endsNode(error)) throw error;
    return undefined;
  }
}

/** Whether the entry asks for a freeze, which is obeyed from the moment it is seen. */
export function isFreeze({ content }: LoggedEntry): boolean {
  if (content.kind !== 'evidence') return false;
  const { method, path } = content.evidence;
  return findLedgerOperation(method, path)?.operation.action === 'freeze';
}

function requestOf(
  { evidence: sealed }: Extract<EntryContent, { kind: 'evidence' }>,
  entryHash: Bytes,
  keys: EvidenceKeys,
): LoggedRequest {
  let opened: OpenedRequest | undefined;
  return {
    sealedCredential: sealed.sealedCredential,
    signedAt: sealed.timestampMs,
    open: () => (opened ??= openRequest(openEvidence(sealed, keys))),
    secret: (label) => keys.derive(sealed.sealedCredential, label, entryHash),
    derive: (sealedCredential, label, hash) => keys.derive(sealedCredential, label, hash),
  };
}
