/** The outcome of a request that was accepted and had to wait: its entry changed nothing but what waits. */
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { PendingRequest, VaultState } from '@countersign/vault/state/state.js';

/** Whether this entry's own request was made to wait. What is said to a request that waits is about another one. */
function isOwnHeld({ subject, requestId }: Pick<EntryOutcome, 'subject' | 'requestId'>): boolean {
  return (
    subject?.resourceType === 'request' &&
    requestId !== undefined &&
    subject.resourceIds.includes(requestId)
  );
}

/** The outcome as it is now: of what had waited and was done, what its entry came to in the end. */
export function withWhatCameOfIt(
  { pendingRequests }: Pick<VaultState, 'pendingRequests'>,
  outcome: EntryOutcome,
): { readonly outcome: EntryOutcome; readonly held: PendingRequest | undefined } {
  const held = isOwnHeld(outcome) ? pendingRequests.rows.get(outcome.requestId ?? '') : undefined;
  const subject = held?.subject;
  return { held, outcome: subject == null ? outcome : { ...outcome, subject } };
}
