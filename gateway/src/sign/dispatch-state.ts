/**
 * The state of a dispatcher for one lane: which requests wait, which are under way in which batch, and how many may be.
 * It has no clock, timer or connection. Each step is told the time, changes the state that it is given and returns what
 * is to be done about it.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type {
  RecordedOutcome,
  RetryOutcome,
  SignOutcome,
  SignReply,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { AskedRequest, Lane } from '../requests/asked-request.js';
import type { ResultFault } from '../requests/result-fault.js';
import type { Choice, Steady } from './choose-pair.js';
import {
  MAX_IN_FLIGHT,
  attemptMs,
  createLoad,
  mostOfBundle,
  noteBatch,
  type Load,
} from './admission-control.js';
import { takeTurns } from './caller-turns.js';
import type { BatchNote } from './pair-breakers.js';

/** There are as many pairs of parties: a further batch leaves only full. */
const MAX_UNFILLED = MAX_IN_FLIGHT - 1;
/**
 * With six, every party is the partner of equally many hash buckets, and each of its replicas serves some if it has
 * two.
 */
const LIMIT_BUCKETS = 6;
/** How long a request waits before it is sent again, ms. The pause doubles each time a party asks for a retry. */
export const RETRY_PAUSE_MS = 25;
/** Batches that were given up and may still be answered. */
const MAX_LATE_BATCHES = 32;
/** A batch counts as wasted work if a larger part of it is to be tried again. */
const RETRIED_OF_BATCH = 1 / 4;
const LONGEST_PAUSE_MS = 800;

/** After so many outcomes that do not hold the rest of a reply is ignored: checking costs work. */
const MAX_FORGED = 4;

export interface Task {
  readonly item: SignItem;
  /** The caller in whose turn it leaves. */
  readonly caller: string;
  /** What it shares with the other items of its request; undefined for a request of a single signature. */
  readonly bundle: unknown;
  readonly asked: AskedRequest;
  readonly expiresAt: number;
  /** Earliest time at which it leaves: a pause after a party asked for a retry. */
  notBefore: number;
  /** The pause after the next retry that a party asks for, ms. */
  pauseMs: number;
  /** The venue's number under which a party knows it; 0 for none. */
  nonce: bigint;
  /** How often it came back without an outcome. */
  tries: number;
  /** Whether it was in a trial that had no outcome. */
  isTrialLost: boolean;
  /** It has come to an end, by whichever of its batches. */
  isOver: boolean;
  /** Tells the caller; whoever runs the steps calls it. */
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
  /** The key with rising numbers whose requests this batch has; a batch has at most one. */
  readonly risingKeyId: string | undefined;
  readonly pair: Choice;
  /** ms */
  readonly launchedAt: number;
  /** How many items were to be tried again. */
  retried: number;
  isPartnerAtFault: boolean;
}

/** An outcome that does not hold. */
export interface Forged {
  readonly task: Task;
  readonly fault: ResultFault;
}

/** The effect of a reply. */
export interface AcceptedReply {
  readonly pair: Choice;
  readonly ended: readonly Ended[];
  readonly forged: readonly Forged[];
  /** Whether any of its outcomes held. */
  readonly isAnswer: boolean;
  /** Whether the whole batch is answered, and so over. */
  readonly isComplete: boolean;
  /** Whether its lead says that its partner's part was wrong. */
  readonly isPartnerAtFault: boolean;
  /** How the batch ended, once it is over. */
  readonly note: BatchNote | undefined;
}

/** Why an outcome is not how the request ended; undefined when it holds. */
export type CheckOutcome = (task: Task, outcome: SignOutcome) => ResultFault | undefined;

export interface DispatchState {
  readonly load: Load;
  /** Batches that were given up, by id, oldest first: a late answer to one still counts. */
  readonly late: BoundedMap<string, Flight>;
  readonly waiting: Task[];
  /** By batch id. */
  readonly flights: Map<string, Flight>;
  /** Keys whose venue wants rising numbers, with requests in flight. */
  readonly risingKeys: Set<string>;
  /** Submissions that have not ended. */
  readonly open: Set<string>;
  /** Requests in flight, including answered ones of a batch that is still open. */
  underWay: number;
}

/** An empty state: nothing waits, and nothing is in flight. */
export function createDispatchState(lane: Lane): DispatchState {
  return {
    load: createLoad(lane),
    late: new BoundedMap(MAX_LATE_BATCHES),
    waiting: [],
    flights: new Map(),
    risingKeys: new Set(),
    open: new Set(),
    underWay: 0,
  };
}

export interface DispatchFigures {
  /** Requests that wait for a batch. */
  readonly waiting: number;
  /** Requests in batches that parties have. */
  readonly underWay: number;
  readonly batches: number;
  /** When the oldest that waits was received, ms; undefined for none. */
  readonly oldestAt: number | undefined;
}

/** The figures of all states together. */
export function figuresOf(states: readonly DispatchState[]): DispatchFigures {
  let oldestAt: number | undefined;
  for (const { item } of states.flatMap(({ waiting }) => waiting)) {
    if (oldestAt === undefined || item.receivedAt < oldestAt) oldestAt = item.receivedAt;
  }
  const sum = (count: (state: DispatchState) => number) =>
    states.reduce((total, state) => total + count(state), 0);
  return {
    waiting: sum(({ waiting }) => waiting.length),
    underWay: sum(({ underWay }) => underWay),
    batches: sum(({ flights }) => flights.size),
    oldestAt,
  };
}

/**
 * Puts a new request at the end of the queue. `expiresAt`: by the monotonic clock that every `now` here is of. One that
 * is set back would leave requests waiting for as long.
 */
export function enqueue(
  state: DispatchState,
  { item, asked, resolve }: Pick<Task, 'item' | 'asked' | 'resolve'>,
  expiresAt: number,
): void {
  state.open.add(item.submission);
  push(state, {
    item,
    caller: item.evidence.credential,
    bundle: item.index === undefined ? undefined : item.evidence,
    asked,
    expiresAt,
    notBefore: 0,
    pauseMs: RETRY_PAUSE_MS,
    nonce: item.nonce,
    tries: 0,
    isTrialLost: false,
    isOver: false,
    resolve,
  });
}

/**
 * Whether another batch should leave now, if there is somebody to send it to.
 *
 * A batch costs the parties about as much as several requests in it. So while some are in flight, the next one is at
 * least as large as they are on average. Callers who ask again after an answer then come together again, and a lone
 * request waits for nobody.
 */
export function isBatchDue({ waiting, flights, underWay, load }: DispatchState): boolean {
  if (waiting.length === 0 || flights.size >= MAX_IN_FLIGHT) return false;
  if (flights.size >= MAX_UNFILLED) return waiting.length >= load.most;
  return waiting.length * flights.size >= underWay;
}

/**
 * The steady pair that the next batch wants, if its first request counts against a limit or its venue wants rising
 * numbers.
 *
 * Numbers rise if one partner gives all those of a key and one lead takes them, batch after batch. A request that has a
 * number and is overtaken at its lead by a higher one can no longer be signed by that pair.
 *
 * If different pairs count requests against one limit at the same time, a partner may count a request for which its
 * lead finds no room. The partner then counts it for the whole window. A single pair counts all of them alike.
 */
export function findSteady(state: DispatchState, now: number): Steady | undefined {
  const first = findFirst(state, now);
  return first === undefined ? undefined : steadyOf(first);
}

/**
 * Whether the next batch may be a trial. A request that was lost in one trial is not used for another: that could go on
 * until its time is over.
 */
export function mayBeTried(state: DispatchState, now: number): boolean {
  return findFirst(state, now)?.isTrialLost !== true;
}

function findFirst(state: DispatchState, now: number): Task | undefined {
  return state.waiting.find((task) => task.expiresAt > now && isFree(state, task, now));
}

function steadyOf({ asked: { risingKeyId, limitBucket }, tries }: Task): Steady | undefined {
  if (risingKeyId !== undefined) return { hashBucket: risingKeyId, tries, mayTry: false };
  return limitBucket === undefined
    ? undefined
    : { hashBucket: hashBucketOf(limitBucket), tries, mayTry: true };
}

/** There are few buckets, so that requests under many limits still share batches. */
function hashBucketOf(limitBucket: string): string {
  const hashBucket = Number.parseInt(limitBucket.slice(0, 8), 16) % LIMIT_BUCKETS;
  return hashBucket.toString(16).padStart(8, '0');
}

/** Whether it may leave now. */
function isFree({ risingKeys }: DispatchState, { notBefore, asked }: Task, now: number): boolean {
  return (
    notBefore <= now && (asked.risingKeyId === undefined || !risingKeys.has(asked.risingKeyId))
  );
}

/**
 * The pair chosen for a batch. `isPairOf`: whether requests of another hash bucket want this same pair; without it none
 * do.
 */
export interface Taker extends Pick<Choice, 'trial'> {
  isPairOf?(steady: Steady): boolean;
}

/**
 * Selects the requests for a batch. Of those that want a steady pair it takes only those that want this one. They
 * belong to a single key with rising numbers, or to any of the hash buckets that have this pair.
 */
function ofBatch(wanted: Steady | undefined, { isPairOf }: Taker): (task: Task) => boolean {
  const found = new Map<string, boolean>();
  const isOf = (steady: Steady): boolean => {
    if (steady.hashBucket === wanted?.hashBucket && steady.tries === wanted.tries) return true;
    return steady.mayTry && isPairOf?.(steady) === true;
  };
  return (task) => {
    const steady = steadyOf(task);
    if (steady === undefined) return true;
    const name = `${steady.hashBucket} ${steady.tries}`;
    const isKnown = found.get(name) ?? isOf(steady);
    found.set(name, isKnown);
    return isKnown;
  };
}

/** Takes the next batch for a pair from the queue, and removes requests whose time is over. */
export function takeBatch(
  state: DispatchState,
  taker: Taker,
  now: number,
): { batch: Task[]; ended: Ended[] } {
  const ended = takeExpired(state, now);
  const isOfBatch = ofBatch(findSteady(state, now), taker);
  const { waiting, load } = state;
  const free = waiting.filter((task) => isFree(state, task, now) && isOfBatch(task));
  const batch =
    taker.trial === undefined ? takeTurns(free, load.most, mostOfBundle(load)) : free.slice(0, 1);
  const taken = new Set(batch);
  keepWaiting(state, (task) => !taken.has(task));
  return { batch, ended };
}

function keepWaiting({ waiting, load }: DispatchState, isKept: (task: Task) => boolean): void {
  const kept = waiting.filter((task) => {
    const isIn = isKept(task);
    if (!isIn) load.ahead.remove(task.caller);
    return isIn;
  });
  if (kept.length < waiting.length) waiting.splice(0, waiting.length, ...kept);
}

function push({ waiting, load }: DispatchState, task: Task): void {
  load.ahead.add(task.caller);
  waiting.push(task);
}

/** Removes waiting requests whose time is over. */
export function takeExpired(state: DispatchState, now: number): Ended[] {
  const expired = state.waiting.filter(({ expiresAt }) => expiresAt <= now);
  if (expired.length > 0) keepWaiting(state, ({ expiresAt }) => expiresAt > now);
  return expired.map((task) => end(state, task, undefined));
}

/** Notes that a batch has left for its pair; returns how long to wait for it, ms. */
export function launch(
  state: DispatchState,
  batchId: string,
  tasks: Task[],
  pair: Choice,
  now: number,
): number {
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
  return attemptMs(state.load);
}

/** Batches one of whose parties is gone. */
export function findGone(
  { flights }: DispatchState,
  isAlive: (party: Replica['party']) => boolean,
): string[] {
  return [...flights].flatMap(([batchId, { pair }]) =>
    isAlive(pair.lead.party) && isAlive(pair.partner.party) ? [] : [batchId],
  );
}

/**
 * Takes in a reply; undefined when its batch was never sent or is over. Each item counts once, and one that is to be
 * tried again waits. Answers to a batch that was given up count as well, unless another batch was quicker. An outcome
 * that does not hold changes nothing: its item stays open.
 */
export function acceptReply(
  state: DispatchState,
  { batchId, outcomes }: SignReply,
  now: number,
  checkOf: (lead: Replica) => CheckOutcome,
): AcceptedReply | undefined {
  const flight = state.flights.get(batchId) ?? state.late.get(batchId);
  if (flight === undefined) return undefined;
  const isLate = !state.flights.has(batchId);
  const check = checkOf(flight.pair.lead);
  const ended: Ended[] = [];
  const forged: Forged[] = [];
  let [isAnswer, isPartnerAtFault] = [false, false];
  for (const { index, outcome } of outcomes) {
    const task = flight.tasks[index];
    if (task === undefined) continue;
    if (task.isOver) {
      flight.tasks[index] = undefined;
      continue;
    }
    const fault = check(task, outcome);
    if (fault !== undefined) {
      forged.push({ task, fault });
      if (forged.length === MAX_FORGED) break;
      continue;
    }
    isAnswer = true;
    flight.tasks[index] = undefined;
    if (outcome.outcome === 'retry') {
      flight.retried += 1;
      isPartnerAtFault ||= outcome.isPartnerAtFault;
      if (!isLate) retry(state, task, outcome, now);
    } else ended.push(end(state, task, outcome));
  }
  flight.isPartnerAtFault ||= isPartnerAtFault;
  const isComplete = flight.tasks.every((task) => task === undefined);
  if (isComplete) finish(state, batchId, flight, now);
  const note = isComplete && !isLate ? noteOf(flight) : undefined;
  return { pair: flight.pair, ended, forged, isAnswer, isComplete, isPartnerAtFault, note };
}

function finish(state: DispatchState, batchId: string, flight: Flight, now: number): void {
  if (!state.late.delete(batchId)) close(state, batchId, flight);
  const { tasks, retried, launchedAt } = flight;
  // items to be tried again were not computed, so the time of their batch says nothing
  if (retried === 0) noteBatch(state.load, tasks.length, now - launchedAt);
}

function noteOf({ tasks, retried, launchedAt, isPartnerAtFault }: Flight): BatchNote {
  const isWasted = isPartnerAtFault || retried > tasks.length * RETRIED_OF_BATCH;
  return { launchedAt, end: isWasted ? 'retried' : 'answered', isPartnerAtFault };
}

/** Gives up on a batch: its unanswered requests wait for another pair. Undefined when it is over. */
export function giveUp(
  state: DispatchState,
  batchId: string,
  now: number,
): { pair: Choice; unanswered: number; note: BatchNote } | undefined {
  const flight = state.flights.get(batchId);
  if (flight === undefined) return undefined;
  const unanswered = flight.tasks.filter(
    (task): task is Task => task !== undefined && !task.isOver,
  );
  close(state, batchId, flight);
  // a batch that is given up was most likely slow: its parties' work can still be used
  state.late.put(batchId, flight);
  const { pair, launchedAt } = flight;
  for (const task of unanswered) {
    task.isTrialLost ||= pair.trial !== undefined;
    wait(state, task, now + RETRY_PAUSE_MS);
  }
  return {
    pair,
    unanswered: unanswered.length,
    note: { launchedAt, end: 'lost', isPartnerAtFault: false },
  };
}

/** Forgets all batches: replies to them are ignored from now on. */
export function forgetFlights(state: DispatchState): void {
  for (const [batchId, flight] of state.flights) close(state, batchId, flight);
  state.late.clear();
}

function end(state: DispatchState, task: Task, outcome: RecordedOutcome | undefined): Ended {
  state.open.delete(task.item.submission);
  task.isOver = true;
  if (task.tries > 0) keepWaiting(state, (other) => other !== task);
  return { task, outcome };
}

function retry(state: DispatchState, task: Task, { nonce }: RetryOutcome, now: number): void {
  if (nonce !== 0n) task.nonce = nonce;
  wait(state, task, now + task.pauseMs);
  task.pauseMs = Math.min(2 * task.pauseMs, LONGEST_PAUSE_MS);
}

function wait(state: DispatchState, task: Task, until: number): void {
  task.notBefore = until;
  task.tries += 1;
  push(state, task);
}

function close(state: DispatchState, batchId: string, flight: Flight): void {
  state.flights.delete(batchId);
  if (flight.risingKeyId !== undefined) state.risingKeys.delete(flight.risingKeyId);
  state.underWay -= flight.tasks.length;
}
