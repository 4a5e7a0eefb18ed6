/** Makes the answer to an accepted change of governance from its entry and the state. */
import type { ApiOperation } from '@countersign/api/operation.js';
import { API_OPERATIONS } from '@countersign/api/operations/api-operations.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { answerOf } from '@countersign/vault/operations/answers.js';
import { findKeyFailure } from '@countersign/vault/operations/key-work.js';
import type { LedgerOperation } from '@countersign/vault/operations/ledger-operation.js';
import type { VaultState } from '@countersign/vault/state/state.js';

const SECRET_FIELDS = ['api_key', 'enrollment_code'];

/**
 * The answer to an accepted entry whose effect is complete; a refusal when what it made has since been removed. Without
 * `withSecret` no secret is derived, and its field is left out.
 */
export function answerOfLedgerOutcome(
  state: VaultState,
  outcome: EntryOutcome,
  evidenceKeys: EvidenceKeys,
  { withSecret }: { readonly withSecret: boolean },
): unknown {
  const { operation, subject, sealedCredential, hash } = outcome;
  if (operation === undefined || subject === undefined || sealedCredential === undefined) {
    throw new Error(`entry ${outcome.seq} has no answer`);
  }
  const failure = findKeyFailure(state, operation, subject);
  if (failure !== undefined) return failure;
  const secret = withSecret
    ? (label: string) => evidenceKeys.derive(sealedCredential, label, hash)
    : () => Buffer.alloc(32);
  const answer = answerOf(operation, state, subject, { secret, catalogues: CATALOGUES });
  return withSecret || !showsSecret(operation) ? answer : withoutSecrets(answer);
}

const DESCRIBED: Readonly<Record<string, ApiOperation>> = API_OPERATIONS;

/** Whether its answer holds a secret that may be shown once. */
export function showsSecret({ id }: Pick<LedgerOperation, 'id'>): boolean {
  return DESCRIBED[id]?.hasSecret === true;
}

function withoutSecrets(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).filter(([name]) => !SECRET_FIELDS.includes(name)),
  );
}
