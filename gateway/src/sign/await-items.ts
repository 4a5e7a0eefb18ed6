/** The items of a batch that the parties have: they alone say how each ends. */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import { preferredWaitMs } from '../http/prefer.js';
import { holdBodyFor } from '../http/read-body.js';
import { itemView, type ItemEnd } from '../requests/batch-record.js';
import { USED_BEFORE } from '../requests/sign-answer.js';
import { DEFAULT_WAIT_MS, waitedMs, withinMs, type AwaitDeps } from './await-signature.js';
import type { Submitted } from './dispatcher.js';
import type { AcceptedRequest } from './signing-requests.js';

/** An item with what this gateway decided: it is refused, or ready to be sent. */
export interface DecidedItem {
  readonly itemId: string;
  readonly index: number;
  readonly decision: Refusal | Submitted;
}

/** 200 once all have ended, or 202 after the caller's wait. `operationId`: of the batch. */
export async function awaitItems(
  deps: AwaitDeps,
  exchange: SignedExchange,
  operationId: string,
  items: readonly DecidedItem[],
): Promise<Answer> {
  const sent = items.flatMap(({ decision }) => (isRefusal(decision) ? [] : [decision]));
  const ended = new Map<string, RecordedOutcome | undefined>();
  exchange.stages.end('policy');
  const all = Promise.all(
    deps.dispatcher.submitAll(sent).map(async (outcome, at) => {
      ended.set(sent[at]!.item.submission, await outcome);
      return true;
    }),
  );
  holdBodyFor(exchange.response, all);
  const waitMs = preferredWaitMs(exchange.request, DEFAULT_WAIT_MS) - waitedMs(deps, exchange);
  await withinMs(all, waitMs);
  exchange.stages.end('sign');
  const open = items.filter(
    ({ decision }) => !isRefusal(decision) && ended.get(decision.item.submission) === undefined,
  );
  if (open.length === 0) return answerOf(deps, exchange, items, ended);
  void all.then(() => deps.tally.end(operationId, resultOf(ended)));
  return accept(deps, exchange, open);
}

function answerOf(
  { follower, evidenceKeys }: AwaitDeps,
  { requestId, caller }: SignedExchange,
  items: readonly DecidedItem[],
  ended: ReadonlyMap<string, RecordedOutcome | undefined>,
): Answer {
  const by = { optimistic: follower.view.optimistic, evidenceKeys };
  const results: unknown[] = [];
  for (const { itemId, index, decision } of items) {
    const end = endOf(decision, ended);
    // two parties had decided about it before this submission
    if (end === undefined) return USED_BEFORE;
    results.push(itemView({ itemId, index }, end, caller.id, by));
  }
  return { status: 200, body: { request_id: requestId, results } };
}

/** Undefined for an outcome of another submission. */
function endOf(
  decision: Refusal | Submitted,
  ended: ReadonlyMap<string, RecordedOutcome | undefined>,
): ItemEnd {
  if (isRefusal(decision)) return { refusal: decision };
  const { item, asked } = decision;
  const outcome = ended.get(item.submission);
  return outcome?.submission === item.submission ? { outcome, asked } : undefined;
}

/** Answers 202. What cannot be put on record now is put there later. */
async function accept(
  { signingRequests }: AwaitDeps,
  { caller, requestId: batchId }: SignedExchange,
  open: readonly DecidedItem[],
): Promise<Answer> {
  const accepted = open.flatMap(({ itemId: requestId, decision }): AcceptedRequest[] => {
    if (isRefusal(decision)) return [];
    const { item, asked } = decision;
    return [{ requestId, batchId, operation: asked.operation.id, createdBy: caller.id, item }];
  });
  try {
    await Promise.all(accepted.map((request) => signingRequests.accept(request)));
  } catch (error) {
    for (const request of accepted) signingRequests.acceptLater(request);
    throw error;
  }
  return { status: 202, requestId: batchId };
}

/** How a batch counts that was answered before it ended. */
function resultOf(ended: ReadonlyMap<string, RecordedOutcome | undefined>) {
  const outcomes = [...ended.values()];
  if (outcomes.some((outcome) => outcome?.outcome === 'signed')) return 'succeeded';
  return outcomes.some((outcome) => outcome === undefined) ? 'failed' : 'denied';
}
