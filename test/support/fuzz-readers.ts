/** What a gateway and an audit make of an entry: none of it may throw either, whatever the entry was. */
import { answerOf } from '@countersign/vault/operations/answers.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import { readEntry } from '@countersign/vault/ledger/logged-entry.js';
import { rehearseRequest } from '@countersign/vault/ledger/rehearse.js';
import { checkRequest } from '@countersign/vault/operations/check-request.js';
import { findKeyFailure, isKeyPending } from '@countersign/vault/operations/key-work.js';
import { isDeclaredEvidenceKey } from '@countersign/vault/state/state.js';
import { evidenceKeyIdOf } from '@countersign/core/evidence-seal.js';

/** As the gateway does before it appends a request. */
export function askBefore(view: LedgerView, row: EntryRow, keys: EvidenceKeys): void {
  const request = readEntry(row, keys)?.request;
  const sealed = request?.sealedCredential;
  if (request === undefined || sealed === undefined || sealed.length < 8) return;
  if (!isDeclaredEvidenceKey(view.state, evidenceKeyIdOf(sealed))) return;
  const { evidence } = request.open();
  checkRequest(view.state, evidence, CATALOGUES);
  rehearseRequest(view, evidence, keys, evidence.timestampMs);
}

/** As the audit log and the caller are told it. */
export function tellAfter({ state }: LedgerView, outcome: EntryOutcome, keys: EvidenceKeys): void {
  JSON.stringify(ledgerEntryView(outcome));
  const { operation, subject, sealedCredential, refusal, hash } = outcome;
  if (operation === undefined || subject === undefined || refusal !== undefined) return;
  if (subject.resourceType === 'request' && operation.action !== 'self') return;
  if (isKeyPending(state, operation, subject)) return;
  if (findKeyFailure(state, operation, subject) !== undefined) return;
  const secret = (label: string) => keys.derive(sealedCredential!, label, hash);
  JSON.stringify(answerOf(operation, state, subject, { catalogues: CATALOGUES, secret }));
}
