/** Handles a write to the vault's governance: this node's fold may deny it at once, then the ledger decides. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Catalogues } from '@countersign/vault/catalogues/catalogues.js';
import type { EntryFacts, EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { rehearseRequest } from '@countersign/vault/ledger/rehearse.js';
import { checkRequest } from '@countersign/vault/operations/check-request.js';
import { isUsableEvidenceKey } from '@countersign/vault/state/state.js';
import { isKeyPending } from '@countersign/vault/operations/key-work.js';
import type { LedgerOperation } from '@countersign/vault/operations/ledger-operation.js';
import type pg from 'pg';
import { refuseCaller } from '../requests/refuse-caller.js';
import type { RefusalRecorder } from '../requests/refusal-recorder.js';
import { sayingUndecided } from '../requests/undecided.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import type { Journal } from './journal.js';
import type { LedgerWriter } from './ledger-writer.js';
import type { OwnEntries, OwnEntry } from '../admission/own-entries.js';
import { isObeyed, SILENT_AFTER_MS } from '../requests/obeyed-freeze.js';
import { parseIdempotencyKey, type IdempotencyStore } from '../requests/idempotency.js';
import { withWhatCameOfIt } from '../requests/pending-outcome.js';
import { answerOfLedgerOutcome, showsSecret } from '../requests/ledger-answer.js';
import { preferredWaitMs } from '../http/prefer.js';
import { queryStore } from '../stores/ask-store.js';
import { ApiError } from '../http/public-error.js';

const DEFAULT_WAIT_MS = 10_000;
/** A request that is not in the ledger after this long is taken to have died before it was appended. */
const ABANDONED_AFTER_MS = 15_000;

export interface WriteDeps {
  readonly follower: Pick<LedgerFollower, 'state' | 'view' | 'waitUntil'>;
  readonly journal: Pick<Journal, 'findByRequestId'>;
  readonly ledger: LedgerWriter;
  /** Uses the ledger's own connections: a freeze waits for none that signing holds. */
  readonly ledgerIdempotency: IdempotencyStore;
  readonly refusals: RefusalRecorder;
  readonly ownEntries: OwnEntries;
  readonly evidenceKeys: EvidenceKeys;
  readonly catalogues: Catalogues;
  /** Called for each entry of this gateway as soon as the ledger has it. */
  readonly onAppended: (operationId: string, seq: number) => void;
  /** Notes that a secret has been shown. */
  readonly pool: pg.Pool;
  readonly now: () => number;
}

/**
 * Resolves to 200 with the operation's answer, to 202 when it takes longer than the caller waits, or to a
 * refusal, which is on record by then. Throws 504 when a store cannot be reached.
 */
export async function handleLedgerOperation(
  deps: WriteDeps,
  operation: LedgerOperation,
  exchange: SignedExchange,
): Promise<Answer> {
  const key = parseIdempotencyKey(exchange.request);
  if (isRefusal(key)) return refuseCaller(deps, operation.id, exchange, key);
  const earlier = await findEarlier(deps, operation.id, exchange, key, 'find');
  if (isRefusal(earlier)) return refuseCaller(deps, operation.id, exchange, earlier);
  if (earlier !== undefined) return earlier;
  const no = rehearse(deps, operation, exchange);
  if (no !== undefined) return refuseCaller(deps, operation.id, exchange, no);
  // only now: a request that was refused has not used its key
  const winner = await findEarlier(deps, operation.id, exchange, key, 'claim');
  if (isRefusal(winner)) return refuseCaller(deps, operation.id, exchange, winner);
  if (winner !== undefined) return winner;
  return sayingUndecided(() => append(deps, operation.id, exchange));
}

/** Appends the request. From here on the ledger may have it, and says how it ends. */
async function append(
  deps: WriteDeps,
  operationId: string,
  exchange: SignedExchange,
): Promise<Answer> {
  const until = deps.now() + preferredWaitMs(exchange.request, DEFAULT_WAIT_MS);
  const { requestId } = exchange;
  const seq = await deps.ledger.append(exchange.evidence);
  deps.onAppended(operationId, seq);
  const outcome = await deps.ledger.judged({ seq, requestId }, until - deps.now());
  if (outcome === undefined) return { status: 202, requestId };
  // another entry may have come between rehearsal and append: the parties' verdict counts
  if (outcome.refusal !== undefined) return outcome.refusal;
  return answerWhenDone(deps, outcome, until);
}

/** The answer that the fold and this release's catalogues would give now; nothing is written. */
function rehearse(
  deps: WriteDeps,
  operation: LedgerOperation,
  exchange: SignedExchange,
): Refusal | undefined {
  const { evidence } = exchange;
  const { state } = deps.follower;
  if (state.seq > 0 && !isUsableEvidenceKey(state, deps.evidenceKeys.ids[0])) {
    throw new ApiError('gateway_timeout', 'the ledger cannot be written', {
      cause: new Error(
        `evidence key ${deps.evidenceKeys.ids[0]} is not declared in the ledger, or withdrawn`,
      ),
    });
  }
  const foretold = rehearseRequest(deps.follower.view, evidence, deps.evidenceKeys, deps.now());
  return (
    foretold.refusal ??
    checkRequest(state, evidence, deps.catalogues) ??
    refuseOwn(deps, ownEntryOf(operation, foretold), exchange)
  );
}

/** Limits for each caller the entries that need no administrative policy. */
function refuseOwn(
  { ownEntries }: WriteDeps,
  kind: OwnEntry | undefined,
  { caller, evidence }: SignedExchange,
): Refusal | undefined {
  return kind === undefined ? undefined : ownEntries.refuse(kind, caller.id, evidence);
}

/** Undefined for a change that takes effect at once. */
function ownEntryOf({ action }: LedgerOperation, { subject }: EntryFacts): OwnEntry | undefined {
  if (action === 'self') return 'own';
  return subject?.resourceType === 'request' ? 'change' : undefined;
}

/** With an idempotency key: the answer of an earlier request that has it, if any. */
async function findEarlier(
  deps: WriteDeps,
  operationId: string,
  exchange: SignedExchange,
  key: string | undefined,
  step: 'find' | 'claim',
): Promise<Answer | undefined> {
  if (key === undefined) return undefined;
  const { caller, evidence, requestId } = exchange;
  const claim = await deps.ledgerIdempotency[step](key, caller.id, evidence, requestId);
  if (isRefusal(claim)) return claim;
  if (claim.kind === 'first') return undefined;
  const outcome = deps.journal.findByRequestId(claim.requestId);
  if (outcome !== undefined && outcome.refusal === undefined) {
    const until = deps.now() + preferredWaitMs(exchange.request, DEFAULT_WAIT_MS);
    return answerWhenDone(deps, outcome, until);
  }
  const mayTakeOver = outcome !== undefined || claim.ageMs > ABANDONED_AFTER_MS;
  if (mayTakeOver && step === 'find') return undefined;
  const mine =
    mayTakeOver &&
    (await deps.ledgerIdempotency.takeOver(key, caller.id, claim.requestId, requestId));
  if (mine) return undefined;
  await deps.ledgerIdempotency.promise(claim, operationId, caller.id);
  return { status: 202, requestId: claim.requestId };
}

async function answerWhenDone(
  deps: WriteDeps,
  judged: EntryOutcome,
  until: number,
): Promise<Answer> {
  const { outcome, held } = withWhatCameOfIt(deps.follower.state, judged);
  const { operation, subject, requestId } = outcome;
  if (operation === undefined || subject === undefined || requestId === undefined) {
    throw new Error(`entry ${outcome.seq} has no operation`);
  }
  // it waits for people, who take longer than any caller waits
  if (held !== undefined && held.status !== 'applied') return { status: 202, requestId };
  const isDone = await deps.follower.waitUntil(
    (state) => !isKeyPending(state, operation, subject),
    until - deps.now(),
  );
  if (!isDone || !(await isObeyedInTime(deps, outcome, until))) return { status: 202, requestId };
  if (showsSecret(operation)) await markRevealed(deps, requestId);
  const body = answerOfLedgerOutcome(deps.follower.state, outcome, deps.evidenceKeys, {
    withSecret: true,
  });
  return isRefusal(body) ? body : { status: 200, body, requestId };
}

/** Answers a freeze once it is obeyed: from then on nothing in its scope leaves a party. */
async function isObeyedInTime(
  { follower, now }: WriteDeps,
  { operation, seq }: EntryOutcome,
  until: number,
): Promise<boolean> {
  if (operation?.action !== 'freeze') return true;
  const since = now();
  const waitFor = (ageMs: number, timeoutMs: number) =>
    follower.waitUntil((_state, view) => isObeyed(view, seq, ageMs), Math.max(0, timeoutMs));
  const soon = Math.min(SILENT_AFTER_MS, until - since);
  return (await waitFor(0, soon)) || waitFor(now() - since, until - now());
}

async function markRevealed({ pool }: WriteDeps, requestId: string): Promise<void> {
  await queryStore(
    pool,
    'INSERT INTO secret_reveal (request_id, revealed_at) VALUES ($1, now()) ON CONFLICT DO NOTHING',
    [requestId],
  );
}
