/**
 * Carries signing requests to the parties in batches and brings their outcomes back.
 *
 * Batching has no timer: a batch leaves as soon as fewer than a few are in flight. So an idle gateway sends one request
 * at once and a busy one sends many. RSA signatures have a lane of their own. Every batch has a deadline. What it did
 * not answer by then, or when one of its parties is gone, is sent to another pair until the request's time to live is
 * over. A retry is safe: the parties give one outcome per request id. But it is work done twice, so batches become
 * smaller if parties fall behind, and late answers still count.
 *
 * Whoever holds the evidence key can send a reply. So each outcome is checked before it counts. One that does not hold
 * leaves its request open: a true one may come after it.
 */
import { randomBytes } from 'node:crypto';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { RecordedOutcome, SignReply } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { isOverloaded, itemsOf, noteBundle, type Asks, type Load } from './admission-control.js';
import { createBatchCarrier, type BatchCarrier, type CarrierDeps } from './batch-carrier.js';
import {
  RETRY_PAUSE_MS,
  acceptReply,
  createDispatchState,
  enqueue,
  figuresOf,
  findGone,
  findSteady,
  forgetFlights,
  giveUp,
  isBatchDue,
  launch,
  mayBeTried,
  takeBatch,
  takeExpired,
  type AcceptedReply,
  type CheckOutcome,
  type DispatchFigures,
  type DispatchState,
  type Ended,
} from './dispatch-state.js';
import type { Visit } from '../admission/load-shedder.js';
import type { AskedRequest, Lane } from '../requests/asked-request.js';
import type { Pair, Steady } from './choose-pair.js';
import type { Presence } from './presence.js';
import type { ReplyChecks } from './reply-checks.js';

export interface Submitted {
  readonly item: SignItem;
  readonly asked: AskedRequest;
}

export interface Dispatcher {
  /** The outcome, which has been checked; undefined when the request's time to live ran out first. */
  submit(item: SignItem, asked: AskedRequest): Promise<RecordedOutcome | undefined>;
  /** Does so for several, in order: those of one lane leave together where they can. */
  submitAll(submitted: readonly Submitted[]): Promise<RecordedOutcome | undefined>[];
  /** Takes a reply that is already opened: whoever holds the evidence key may have sent it. */
  receive(reply: SignReply): void;
  /** To be called when parties come or go: gives up batches of parties that are gone, and sends what waits. */
  pump(): void;
  /** Requests that have not ended. */
  readonly pending: number;
  /** Figures of all lanes together. */
  readonly figures: DispatchFigures;
  has(submission: string): boolean;
  /** Whether a request that was submitted here has not ended, under whatever submission. */
  isUnderWay(requestId: string): boolean;
  /**
   * Whether one more request with this credential would wait for too long; without `credential`, whether some
   * credential's would.
   */
  isOverloaded(lane: Lane, asks: Asks, credential?: string): boolean;
  /** Counts a request as if it waited in the lane, until it does or is refused for something else. */
  enter(lane: Lane, asks: Asks, credential: string): Visit;
  stop(): void;
}

export interface DispatcherDeps extends Omit<CarrierDeps, 'versionOf'> {
  readonly presence: () => Presence;
  readonly checks: ReplyChecks;
  readonly alarms: Alarms;
  readonly logger: Logger;
  readonly now: () => number;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
}

/** How long a request may still wait, ms, whatever a clock that was set since says of when it came. */
function leftMs({ receivedAt }: Submitted['item'], now: number): number {
  const age = Math.max(0, now - receivedAt);
  return Math.max(0, SIGN_TIME_TO_LIVE_MS - age);
}

/** Runs the steps of each lane's state: gives it the time, carries its batches, tells callers and presence. */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const lanes = { quick: openLane(deps, 'quick'), rsa: openLane(deps, 'rsa') };
  const all = Object.values(lanes);
  const requests = new Set<string>();
  const add = ({ item, asked }: Submitted) =>
    new Promise<RecordedOutcome | undefined>((resolve) => {
      const { requestId, lane } = asked;
      requests.add(requestId);
      const end = (outcome: RecordedOutcome | undefined) => {
        requests.delete(requestId);
        resolve(outcome);
      };
      const expiresAt = deps.elapsed() + leftMs(item, deps.now());
      enqueue(lanes[lane].state, { item, asked, resolve: end }, expiresAt);
    });
  const submitAll = (submitted: readonly Submitted[]) => {
    const ends = submitted.map(add);
    noteItems(lanes, submitted);
    for (const lane of new Set(submitted.map(({ asked }) => asked.lane))) lanes[lane].pump();
    return ends;
  };
  return {
    get pending() {
      return all.reduce((sum, { state }) => sum + state.open.size, 0);
    },
    get figures() {
      return figuresOf(all.map(({ state }) => state));
    },
    has: (submission) => all.some(({ state }) => state.open.has(submission)),
    isOverloaded: (lane, asks, credential) =>
      isOverloaded(lanes[lane].state.load, asks, credential),
    enter: (lane, asks, credential) => openVisit(lanes[lane].state.load, asks, credential),
    isUnderWay: (requestId) => requests.has(requestId),
    submit: (item, asked) => submitAll([{ item, asked }])[0]!,
    submitAll,
    receive(reply) {
      for (const lane of all) if (takeReply(lane.running, reply)) lane.pump();
    },
    pump: () => all.forEach(pumpAnew),
    stop: () => all.forEach((lane) => lane.stop()),
  };
}

function pumpAnew({ running, pump }: OpenLane): void {
  giveUpGone(running);
  pump();
}

function openVisit(load: Load, asks: Asks, credential: string): Visit {
  const items = itemsOf(load, asks);
  load.ahead.add(credential, items);
  return { leave: () => load.ahead.remove(credential, items) };
}

/** A sweep submits items of several requests: those of the first are counted. */
function noteItems(
  lanes: Readonly<Record<Lane, OpenLane>>,
  [first, ...others]: readonly Submitted[],
): void {
  if (first?.item.index === undefined) return;
  const { evidence } = first.item;
  const items = 1 + others.filter(({ item }) => item.evidence === evidence).length;
  noteBundle(lanes[first.asked.lane].state.load, items);
}

interface OpenLane {
  readonly state: DispatchState;
  readonly running: Running;
  pump(): void;
  stop(): void;
}

function openLane(deps: DispatcherDeps, lane: Lane): OpenLane {
  const state = createDispatchState(lane);
  const versionOf = (pair: Pair) => deps.presence().versionOf(pair);
  const carrier = createBatchCarrier({ ...deps, versionOf }, (batchId, reason) => {
    if (loseBatch(running, batchId, reason)) pump();
  });
  const running: Running = { deps, state, carrier };
  let pumpAt: NodeJS.Timeout | undefined;

  function pump(): void {
    sendDueBatches(running);
    if (state.waiting.length > 0) pumpAt ??= setTimeout(pumpLater, RETRY_PAUSE_MS);
  }

  function pumpLater(): void {
    pumpAt = undefined;
    if (deps.presence().choosePair(undefined, false) === undefined)
      tellCallers(takeExpired(state, deps.elapsed()));
    pump();
  }

  return {
    state,
    running,
    pump,
    stop() {
      clearTimeout(pumpAt);
      carrier.stop();
      forgetFlights(state);
    },
  };
}

interface Running {
  readonly deps: DispatcherDeps;
  readonly state: DispatchState;
  readonly carrier: BatchCarrier;
}

/** Sends batches as long as one is due and there is a pair for it. */
function sendDueBatches({ deps, state, carrier }: Running): void {
  for (;;) {
    const now = deps.elapsed();
    if (!isBatchDue(state)) return;
    const presence = deps.presence();
    const pair = presence.choosePair(findSteady(state, now), mayBeTried(state, now));
    if (pair === undefined) return;
    const isPairOf = (steady: Steady) => presence.isPairOf(pair, steady);
    const { batch, ended } = takeBatch(state, { trial: pair.trial, isPairOf }, now);
    tellCallers(ended);
    if (batch.length === 0) return;
    const batchId = randomBytes(16).toString('hex');
    const items = batch.map(({ item, nonce }) => ({ ...item, nonce }));
    const attemptMs = launch(state, batchId, batch, pair, now);
    for (const stages of new Set(batch.map(({ asked }) => asked.stages))) stages?.end('queue');
    carrier.send(batchId, items, pair, attemptMs);
  }
}

/** Whether the reply had any effect. */
function takeReply({ deps, state, carrier }: Running, reply: SignReply): boolean {
  const accepted = acceptReply(state, reply, deps.elapsed(), (lead) => checkOf(deps, reply, lead));
  if (accepted === undefined) return false;
  tellCallers(accepted.ended);
  raiseForged(deps, accepted);
  if (accepted.isComplete) carrier.close(reply.batchId);
  if (accepted.note !== undefined) deps.presence().note(accepted.pair, accepted.note);
  return accepted.isAnswer;
}

/** A decided outcome proves itself. A retry is the lead's word, which is checked once for a reply. */
function checkOf({ checks }: DispatcherDeps, reply: SignReply, lead: Replica): CheckOutcome {
  const hasRetry = reply.outcomes.some(({ outcome }) => outcome.outcome === 'retry');
  const retryFault = hasRetry ? checks.findRetryFault(reply, lead.party) : undefined;
  return ({ asked }, outcome) =>
    outcome.outcome === 'retry' ? retryFault : checks.findFault(asked, outcome);
}

function raiseForged({ alarms }: DispatcherDeps, { forged }: AcceptedReply): void {
  const [first] = forged;
  if (first === undefined) return;
  const { reason, accused: party } = first.fault;
  const { requestId } = first.task.asked;
  alarms.raise({ kind: 'forged_result', party, requestId, reason });
}

/** Gives up batches of parties that are gone, without waiting for their deadline. */
function giveUpGone(running: Running): void {
  const { deps, state } = running;
  for (const batchId of findGone(state, (party) => deps.presence().isAlive(party))) {
    loseBatch(running, batchId, 'one of its parties is gone');
  }
}

/** Whether the batch was in flight until now. */
function loseBatch({ deps, state, carrier }: Running, batchId: string, reason: string): boolean {
  const lost = giveUp(state, batchId, deps.elapsed());
  if (lost === undefined) return false;
  carrier.close(batchId);
  deps.logger.warn(
    { event: 'sign_batch_abandoned', batch_id: batchId, count: lost.unanswered, reason },
    'signing batch abandoned',
  );
  deps.presence().note(lost.pair, lost.note);
  return true;
}

function tellCallers(ended: readonly Ended[]): void {
  for (const { task, outcome } of ended) task.resolve(outcome);
}
