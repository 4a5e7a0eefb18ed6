/**
 * What a dispatcher knows: which requests wait, which are under way in which batch, and how many may be. There
 * is no clock, timer or connection in here: each step is told the time, changes the state that it is given
 * and returns what is to be done about it.
 */
import { MAX_BATCH, SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type {
  RecordedOutcome,
  RetryOutcome,
  SignOutcome,
  SignReply,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { AskedRequest } from '../results/asked-request.js';
import type { ResultFault } from '../results/result-fault.js';
import type { Choice, Steady } from './choose-pair.js';
import type { BatchNote } from './pair-standings.js';

const MAX_IN_FLIGHT = 4;
/** As many as there are pairs of parties: a further batch leaves only full. */
const MAX_UNFILLED = 3;
/** A batch without an answer for so long holds back no others, ms. */
const LATE_MS = 1_000;
const MAX_UNDER_WAY = MAX_IN_FLIGHT * MAX_BATCH;
const MIN_UNDER_WAY = 8;
/** How long a request waits before it is sent again, ms: twice as long each time that a party asks for it. */
export const RETRY_PAUSE_MS = 25;
/** A batch of which more is to be tried again counts as wasted work. */
const RETRIED_OF_BATCH = 1 / 4;
const LONGEST_PAUSE_MS = 800;

/** So many outcomes that do not hold, and the rest of a reply is not looked at: checking is work, too. */
const MAX_FORGED = 4;

export interface Task {
  readonly item: SignItem;
  readonly asked: AskedRequest;
  readonly expiresAt: number;
  /** Not before this time: a pause after a party asked for a retry. */
  notBefore: number;
  /** The next one that a party asks for, ms. */
  pauseMs: number;
  /** The venue's number with which a party knows it; 0 for none. */
  nonce: bigint;
  /** How often it came back without an outcome. */
  tries: number;
  /** Tells the caller; left to whoever runs the steps. */
  readonly resolve: (outcome: RecordedOutcome | undefined) => void;
}

/** A request at its end: with its outcome, or with undefined when its time to live ran out first. */
export interface Ended {
  readonly task: Task;
  readonly outcome: RecordedOutcome | undefined;
}

interface Flight {
  /** In the order of the batch; undefined once answered. */
  readonly tasks: (Task | undefined)[];
  /** Of which the batch has requests; at most one. */
  readonly risingKeyId: string | undefined;
  readonly pair: Choice;
  /** ms */
  readonly launchedAt: number;
  /** Places that were to be tried again. */
  retried: number;
  isPartnerAtFault: boolean;
}

/** An outcome that does not hold. */
export interface Forged {
  readonly task: Task;
  readonly fault: ResultFault;
}

/** What a reply comes to. */
export interface AcceptedReply {
  readonly pair: Choice;
  readonly ended: readonly Ended[];
  readonly forged: readonly Forged[];
  /** Whether anything of it held. */
  readonly isAnswer: boolean;
  /** The whole batch is answered, and over. */
  readonly isComplete: boolean;
  /** Its lead says that its partner's part was wrong. */
  readonly isPartnerAtFault: boolean;
  /** What the batch came to, once it is over. */
  readonly note: BatchNote | undefined;
}

/** Why an outcome is not what became of the request; undefined when it holds. */
export type CheckOutcome = (task: Task, outcome: SignOutcome) => ResultFault | undefined;

export interface DispatchState {
  readonly waiting: Task[];
  /** By batch id. */
  readonly flights: Map<string, Flight>;
  /** Keys whose venue wants rising numbers, with requests in flight. */
  readonly risingKeys: Set<string>;
  /** Submissions that have not come to an end. */
  readonly open: Set<string>;
  /** Requests in flight, those of an open batch that are answered already included. */
  underWay: number;
  /** How many requests may be under way: halved by a batch without an answer, one more by each answer. */
  window: number;
}

/** Nothing waits, nothing is in flight, and the window is as wide as it gets. */
export function createDispatchState(): DispatchState {
  return {
    waiting: [],
    flights: new Map(),
    risingKeys: new Set(),
    open: new Set(),
    underWay: 0,
    window: MAX_UNDER_WAY,
  };
}

export interface DispatchFigures {
  /** Requests that wait for a batch. */
  readonly waiting: number;
  /** Requests in batches that parties have. */
  readonly underWay: number;
  readonly batches: number;
  readonly window: number;
  /** When the oldest that waits was received, ms; undefined for none. */
  readonly oldestAt: number | undefined;
}

export function figuresOf({ waiting, flights, underWay, window }: DispatchState): DispatchFigures {
  let oldestAt: number | undefined;
  for (const { item } of waiting) {
    if (oldestAt === undefined || item.receivedAt < oldestAt) oldestAt = item.receivedAt;
  }
  return { waiting: waiting.length, underWay, batches: flights.size, window, oldestAt };
}

/** A new request, at the end of those that wait. */
export function enqueue(
  state: DispatchState,
  { item, asked, resolve }: Pick<Task, 'item' | 'asked' | 'resolve'>,
): void {
  state.open.add(item.submission);
  const expiresAt = item.receivedAt + SIGN_TIME_TO_LIVE_MS;
  state.waiting.push({
    item,
    asked,
    expiresAt,
    notBefore: 0,
    pauseMs: RETRY_PAUSE_MS,
    nonce: item.nonce,
    tries: 0,
    resolve,
  });
}

/** Whether another batch should leave now, if there is somebody to send it to. */
export function isBatchDue(state: DispatchState, now: number): boolean {
  const { flights, underWay, window } = state;
  return isWorthABatch(state, now) && flights.size < MAX_IN_FLIGHT && underWay < window;
}

/**
 * A batch costs the parties about as much as several requests in it. So while some are in flight the
 * next one is at least as large as they are on average: callers who ask again after an answer come together
 * again, a lone request waits for nobody, and nobody waits for a batch that does not come back.
 */
function isWorthABatch({ waiting, flights }: DispatchState, now: number): boolean {
  if (waiting.length === 0) return false;
  if (flights.size >= MAX_UNFILLED) return waiting.length >= MAX_BATCH;
  const expected = [...flights.values()].filter(({ launchedAt }) => now - launchedAt < LATE_MS);
  const size = expected.reduce((sum, { tasks }) => sum + tasks.length, 0);
  return waiting.length * expected.length >= size;
}

/**
 * Whom the next batch wants, if it begins with a request whose venue wants rising numbers. Numbers rise where one
 * partner gives all those of a key and one lead takes them, one batch after the other: a request that was given one, and
 * is overtaken at its lead by a higher one, cannot be signed by that pair any more.
 */
export function findSteady(state: DispatchState, now: number): Steady | undefined {
  const first = state.waiting.find((task) => task.expiresAt > now && isFree(state, task, now));
  return first === undefined ? undefined : steadyOf(first);
}

function steadyOf({ asked, tries }: Task): Steady | undefined {
  return asked.risingKeyId === undefined ? undefined : { keyId: asked.risingKeyId, tries };
}

/** Whether it may leave now. */
function isFree({ risingKeys }: DispatchState, { notBefore, asked }: Task, now: number): boolean {
  return (
    notBefore <= now && (asked.risingKeyId === undefined || !risingKeys.has(asked.risingKeyId))
  );
}

/** Of the requests that want a steady pair, a batch takes only those that want this one. */
function isOfBatch(task: Task, wanted: Steady | undefined): boolean {
  const steady = steadyOf(task);
  return steady === undefined || (steady.keyId === wanted?.keyId && steady.tries === wanted.tries);
}

/** Takes the next batch for a pair out of those that wait; on the way there, those whose time is over. */
export function takeBatch(
  state: DispatchState,
  { trial }: Pick<Choice, 'trial'>,
  now: number,
): { batch: Task[]; ended: Ended[] } {
  const steady = findSteady(state, now);
  const { waiting } = state;
  const batch: Task[] = [];
  const ended: Ended[] = [];
  const room = Math.min(MAX_BATCH, state.window - state.underWay);
  const most = trial === undefined ? room : Math.min(1, room);
  for (let index = 0; index < waiting.length && batch.length < most;) {
    const task = waiting[index]!;
    if (task.expiresAt <= now) {
      waiting.splice(index, 1);
      ended.push(end(state, task, undefined));
    } else if (isFree(state, task, now) && isOfBatch(task, steady)) {
      waiting.splice(index, 1);
      batch.push(task);
    } else index++;
  }
  return { batch, ended };
}

/** Takes out those that wait and whose time is over. */
export function takeExpired(state: DispatchState, now: number): Ended[] {
  const { waiting } = state;
  const ended: Ended[] = [];
  for (let index = waiting.length - 1; index >= 0; index--) {
    const task = waiting[index]!;
    if (task.expiresAt > now) continue;
    waiting.splice(index, 1);
    ended.push(end(state, task, undefined));
  }
  return ended;
}

/** A batch has left for its pair. */
export function launch(
  state: DispatchState,
  batchId: string,
  tasks: Task[],
  pair: Choice,
  now: number,
): void {
  const rising = tasks.find(({ asked }) => asked.risingKeyId !== undefined);
  const risingKeyId = rising?.asked.risingKeyId;
  if (risingKeyId !== undefined) state.risingKeys.add(risingKeyId);
  state.flights.set(batchId, {
    tasks: [...tasks],
    risingKeyId,
    pair,
    launchedAt: now,
    retried: 0,
    isPartnerAtFault: false,
  });
  state.underWay += tasks.length;
}

/**
 * What a reply comes to; undefined when its batch is not in flight. Each place counts once, and a place that was to be
 * tried again waits. An outcome that does not hold counts for nothing: its place is as open as before.
 */
export function acceptReply(
  state: DispatchState,
  { batchId, outcomes }: SignReply,
  now: number,
  checkOf: (lead: Replica) => CheckOutcome,
): AcceptedReply | undefined {
  const flight = state.flights.get(batchId);
  if (flight === undefined) return undefined;
  const check = checkOf(flight.pair.lead);
  const ended: Ended[] = [];
  const forged: Forged[] = [];
  let [isAnswer, isPartnerAtFault] = [false, false];
  for (const { index, outcome } of outcomes) {
    const task = flight.tasks[index];
    if (task === undefined) continue;
    const fault = check(task, outcome);
    if (fault !== undefined) {
      forged.push({ task, fault });
      if (forged.length === MAX_FORGED) break;
      continue;
    }
    isAnswer = true;
    flight.tasks[index] = undefined;
    state.window = Math.min(MAX_UNDER_WAY, state.window + 1);
    if (outcome.outcome === 'retry') {
      flight.retried += 1;
      isPartnerAtFault ||= outcome.isPartnerAtFault;
      retry(state, task, outcome, now);
    } else ended.push(end(state, task, outcome));
  }
  flight.isPartnerAtFault ||= isPartnerAtFault;
  const isComplete = flight.tasks.every((task) => task === undefined);
  if (isComplete) close(state, batchId, flight);
  const note = isComplete ? noteOf(flight) : undefined;
  return { pair: flight.pair, ended, forged, isAnswer, isComplete, isPartnerAtFault, note };
}

function noteOf({ tasks, retried, launchedAt, isPartnerAtFault }: Flight): BatchNote {
  const isWasted = isPartnerAtFault || retried > tasks.length * RETRIED_OF_BATCH;
  return { launchedAt, end: isWasted ? 'retried' : 'answered', isPartnerAtFault };
}

/** Gives up on a batch: what it has not answered waits for another pair. Undefined when it is over. */
export function giveUp(
  state: DispatchState,
  batchId: string,
  now: number,
): { pair: Choice; unanswered: number; note: BatchNote } | undefined {
  const flight = state.flights.get(batchId);
  if (flight === undefined) return undefined;
  const unanswered = flight.tasks.filter((task) => task !== undefined);
  close(state, batchId, flight);
  const { pair, launchedAt } = flight;
  // that a trial fails says nothing of how much the others can do
  if (pair.trial === undefined) {
    state.window = Math.max(MIN_UNDER_WAY, Math.floor(state.window / 2));
  }
  for (const task of unanswered) wait(state, task, now + RETRY_PAUSE_MS);
  return {
    pair,
    unanswered: unanswered.length,
    note: { launchedAt, end: 'lost', isPartnerAtFault: false },
  };
}

/** Forgets what is in flight: replies to it are ignored from now on. */
export function forgetFlights(state: DispatchState): void {
  for (const [batchId, flight] of state.flights) close(state, batchId, flight);
}

function end(state: DispatchState, task: Task, outcome: RecordedOutcome | undefined): Ended {
  state.open.delete(task.item.submission);
  return { task, outcome };
}

function retry(state: DispatchState, task: Task, { nonce }: RetryOutcome, now: number): void {
  if (nonce !== 0n) task.nonce = nonce;
  wait(state, task, now + task.pauseMs);
  task.pauseMs = Math.min(2 * task.pauseMs, LONGEST_PAUSE_MS);
}

function wait({ waiting }: DispatchState, task: Task, until: number): void {
  task.notBefore = until;
  task.tries += 1;
  waiting.push(task);
}

function close(state: DispatchState, batchId: string, flight: Flight): void {
  state.flights.delete(batchId);
  if (flight.risingKeyId !== undefined) state.risingKeys.delete(flight.risingKeyId);
  state.underWay -= flight.tasks.length;
}
