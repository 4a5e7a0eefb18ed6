/** A request that the parties have: they alone say how it ends, whatever its caller is told. */
import { isRefusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { evaluateSigning } from '@countersign/vault/operations/signing-operation.js';
import type {
  Asking,
  MatchedSigning,
  ReadySigning,
} from '@countersign/vault/operations/signing-operation.js';
import { NOT_HELD } from '@countersign/vault/policy/released-approvals.js';
import type { AskingRule } from '@countersign/vault/policy/signing-rights.js';
import type { Answer, SignedExchange } from '../admission/exchange.js';
import { preferredWaitMs } from '../http/prefer.js';
import { holdBodyFor } from '../http/read-body.js';
import type { AskedRequest } from '../requests/asked-request.js';
import {
  answerOfSignResult,
  refusalOfDenied,
  refuseWhileFrozen,
  USED_BEFORE,
} from '../requests/sign-answer.js';
import type { Dispatcher } from './dispatcher.js';
import { holdSigning, refuseHold, type HoldDeps } from './hold-signing.js';
import type { SigningLog } from './signing-log.js';
import type { SigningRequests } from './signing-requests.js';

export const DEFAULT_WAIT_MS = 2_000;

export type AwaitDeps = HoldDeps & {
  readonly dispatcher: Pick<Dispatcher, 'submit' | 'submitAll'>;
  readonly signingRequests: Pick<SigningRequests, 'accept' | 'acceptLater'>;
  readonly signingLog: Pick<SigningLog, 'note'>;
  /** Counts how a request ended when its answer did not say so. */
  readonly tally: { end(operationId: string, result: Result): void };
};

type Result = 'succeeded' | 'denied' | 'failed';

export interface Signing {
  readonly ready: ReadySigning;
  readonly asked: AskedRequest;
  readonly item: SignItem;
  readonly once: AskedOnce;
}

interface AskedOnce {
  readonly matched: MatchedSigning;
  readonly evidence: Evidence;
  readonly asking: Asking;
}

/**
 * The answer, or 202 after the caller's wait. The request is counted once: by its answer if that says how it ended, or
 * else when it ends.
 */
export async function awaitSignature(
  deps: AwaitDeps,
  exchange: SignedExchange,
  signing: Signing,
): Promise<Answer> {
  const { asked, item } = signing;
  exchange.stages.end('policy');
  const outcome = deps.dispatcher.submit(item, asked);
  holdBodyFor(exchange.response, outcome);
  let isTold = false;
  try {
    const waitMs = waitFor(exchange, signing.ready) - waitedMs(deps, exchange);
    const answered = await withinMs(outcome, waitMs);
    exchange.stages.end('sign');
    const answer =
      answered === undefined
        ? await accept(deps, exchange, signing)
        : await answerOf(deps, exchange, signing, answered);
    isTold = answered !== undefined;
    return answer;
  } finally {
    if (!isTold) {
      void outcome.then((ended) => deps.tally.end(asked.operation.id, resultOf(ended)));
    }
  }
}

async function answerOf(
  deps: AwaitDeps,
  exchange: SignedExchange,
  { asked, item, once }: Signing,
  outcome: RecordedOutcome,
): Promise<Answer> {
  // two parties had decided about it before this submission
  if (outcome.submission !== item.submission) return USED_BEFORE;
  if (outcome.outcome === 'denied') {
    const beyond = outcome.reason === NOT_HELD.message ? findAskedBeyondLimit(deps, once) : [];
    if (beyond.length === 0) return refusalOfDenied(outcome);
    return refuseHold(deps, exchange) ?? holdSigning(deps, exchange, beyond);
  }
  // a signature that was given before a freeze and arrives after it is not handed out
  const frozen = refuseWhileFrozen(deps.follower.view.optimistic, outcome, exchange.caller.id);
  if (frozen !== undefined) {
    const { requestId, params, arrivedAt: since } = exchange;
    const { operation } = asked;
    deps.signingLog.note({ requestId, outcome: 'withheld', operation, params, since });
    return frozen;
  }
  return { status: 200, body: answerOfSignResult(asked, outcome, deps.evidenceKeys) };
}

/** The rules that ask for approvals of what the parties found to exceed a limit. */
function findAskedBeyondLimit(
  { follower }: AwaitDeps,
  { matched, evidence, asking }: AskedOnce,
): readonly AskingRule[] {
  const again = evaluateSigning(follower.state, matched, evidence, { ...asking, waited: true });
  return isRefusal(again) ? [] : again.asked;
}

/**
 * Answers 202. If it cannot be put on record now, it is put there later: whoever asks for it then learns how it ended.
 */
async function accept(
  { signingRequests }: AwaitDeps,
  { caller, requestId }: SignedExchange,
  { asked, item }: Signing,
): Promise<Answer> {
  const request = { requestId, operation: asked.operation.id, createdBy: caller.id, item };
  try {
    await signingRequests.accept(request);
  } catch (error) {
    signingRequests.acceptLater(request);
    throw error;
  }
  return { status: 202, requestId };
}

function resultOf(outcome: RecordedOutcome | undefined): Result {
  if (outcome === undefined) return 'failed';
  return outcome.outcome === 'denied' ? 'denied' : 'succeeded';
}

/**
 * How long the caller is kept, ms. If a limit precedes a rule that asks for approvals, the parties' answer is always
 * awaited: only they know whether the request is to be put into the ledger.
 */
function waitFor({ request }: SignedExchange, { claim, couldWait }: ReadySigning): number {
  const preferred = preferredWaitMs(request, DEFAULT_WAIT_MS);
  return claim !== undefined && couldWait ? Math.max(preferred, DEFAULT_WAIT_MS) : preferred;
}

/** How long ago the request's head was read: that counts towards its caller's wait. */
export function waitedMs({ now }: Pick<AwaitDeps, 'now'>, { arrivedAt }: SignedExchange): number {
  return Math.max(0, now() - arrivedAt);
}

/** The value if it comes in time; undefined when it does not, or when it is undefined. */
export async function withinMs<Value>(
  promise: Promise<Value>,
  ms: number,
): Promise<Value | undefined> {
  if (ms <= 0) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
