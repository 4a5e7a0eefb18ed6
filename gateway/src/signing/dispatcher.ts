/**
 * Carries signing requests to the parties in batches and brings their outcomes back.
 *
 * Batching has no timer: a batch leaves as soon as fewer than a few are in flight, so an idle gateway
 * sends one request at once and a busy one sends many. Every batch has a deadline; what it did not
 * answer is sent again to another pair until the request's time to live is over. Trying again is safe:
 * the parties give one outcome per request id. But it is work done twice: where parties fall behind, fewer
 * requests are kept under way, until answers come in time again.
 */
import { randomBytes } from 'node:crypto';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import { MAX_BATCH, SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import { sealSignBatch, type SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { RecordedOutcome, SignReply } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Presence } from './presence.js';

const MAX_IN_FLIGHT = 4;
const MAX_UNDER_WAY = MAX_IN_FLIGHT * MAX_BATCH;
const MIN_UNDER_WAY = 8;
const ATTEMPT_MS = 1_500;
const RETRY_PAUSE_MS = 25;

/** Puts a sealed batch into a replica's queue. */
export type SendBatch = (replica: Replica, sealed: Buffer) => Promise<void>;

export interface Dispatcher {
  /** The outcome, or undefined when the request's time to live ran out first. */
  submit(item: SignItem): Promise<RecordedOutcome | undefined>;
  /** A reply from a party, already opened. */
  receive(reply: SignReply): void;
  /** Sends what waits, if there is somebody to send it to. */
  pump(): void;
  /** Requests that have not come to an end. */
  readonly pending: number;
  has(submission: string): boolean;
  stop(): void;
}

interface Task {
  readonly item: SignItem;
  readonly expiresAt: number;
  /** Not before this time: a pause after a party asked for a retry. */
  notBefore: number;
  resolve(outcome: RecordedOutcome | undefined): void;
}

interface Flight {
  readonly tasks: (Task | undefined)[];
  readonly lead: Replica;
  readonly partner: Replica;
  readonly timer: NodeJS.Timeout;
}

export interface DispatcherDeps {
  readonly gatewayId: string;
  readonly presence: () => Presence;
  readonly send: SendBatch;
  readonly ledgerSeq: () => number;
  readonly keys: EvidenceKeys;
  readonly logger: Logger;
  readonly now: () => number;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { now, logger } = deps;
  const waiting: Task[] = [];
  const flights = new Map<string, Flight>();
  const submissions = new Set<string>();
  let pumpAt: NodeJS.Timeout | undefined;
  let underWay = 0;
  /** How many requests may be under way: halved by a batch without an answer, one more by each answer. */
  let window = MAX_UNDER_WAY;

  function finish(task: Task, outcome: RecordedOutcome | undefined): void {
    submissions.delete(task.item.submission);
    task.resolve(outcome);
  }

  function takeReady(): Task[] {
    const ready: Task[] = [];
    const most = Math.min(MAX_BATCH, window - underWay);
    for (let index = 0; index < waiting.length && ready.length < most;) {
      const task = waiting[index]!;
      if (task.expiresAt <= now()) {
        waiting.splice(index, 1);
        finish(task, undefined);
      } else if (task.notBefore <= now()) {
        waiting.splice(index, 1);
        ready.push(task);
      } else index++;
    }
    return ready;
  }

  /**
   * A batch costs the parties about as much as several requests in it. So while some are in flight the
   * next one is at least half as large as they are: callers who ask again after an answer come together
   * again, and a lone request waits for nobody.
   */
  function isWorthABatch(): boolean {
    if (waiting.length === 0) return false;
    return flights.size === 0 || waiting.length * 2 * flights.size >= underWay;
  }

  function pump(): void {
    while (isWorthABatch() && flights.size < MAX_IN_FLIGHT && underWay < window) {
      const pair = deps.presence().choosePair();
      const tasks = pair === undefined ? [] : takeReady();
      if (pair === undefined || tasks.length === 0) break;
      launch(tasks, pair);
    }
    if (waiting.length > 0) pumpAt ??= setTimeout(pumpLater, RETRY_PAUSE_MS);
  }

  function pumpLater(): void {
    pumpAt = undefined;
    if (deps.presence().choosePair() === undefined) expireWaiting();
    pump();
  }

  function expireWaiting(): void {
    for (let index = waiting.length - 1; index >= 0; index--) {
      const task = waiting[index]!;
      if (task.expiresAt > now()) continue;
      waiting.splice(index, 1);
      finish(task, undefined);
    }
  }

  function launch(tasks: Task[], { lead, partner }: { lead: Replica; partner: Replica }): void {
    const batchId = randomBytes(16).toString('hex');
    const timer = setTimeout(() => abandon(batchId, 'no answer in time'), ATTEMPT_MS);
    flights.set(batchId, { tasks, lead, partner, timer });
    underWay += tasks.length;
    const sealed = sealSignBatch(
      {
        batchId,
        gatewayId: deps.gatewayId,
        lead,
        partner,
        ledgerSeq: deps.ledgerSeq(),
        items: tasks.map((task) => task.item),
      },
      deps.keys,
    );
    Promise.all([deps.send(lead, sealed), deps.send(partner, sealed)]).catch((error: unknown) =>
      abandon(batchId, String(error)),
    );
  }

  /** Gives up on a batch: what it has not answered waits for another pair. */
  function abandon(batchId: string, reason: string): void {
    const flight = flights.get(batchId);
    if (flight === undefined) return;
    const open = flight.tasks.filter((task) => task !== undefined);
    logger.warn(
      { event: 'sign_batch_abandoned', batch_id: batchId, count: open.length, reason },
      'signing batch abandoned',
    );
    deps.presence().suspect(flight.lead);
    deps.presence().suspect(flight.partner);
    close(batchId, flight);
    window = Math.max(MIN_UNDER_WAY, Math.floor(window / 2));
    for (const task of open) wait(task);
    pump();
  }

  function wait(task: Task): void {
    task.notBefore = now() + RETRY_PAUSE_MS;
    waiting.push(task);
  }

  function close(batchId: string, flight: Flight): void {
    clearTimeout(flight.timer);
    flights.delete(batchId);
    underWay -= flight.tasks.length;
  }

  return {
    get pending() {
      return submissions.size;
    },
    has: (submission) => submissions.has(submission),
    submit(item) {
      submissions.add(item.submission);
      return new Promise((resolve) => {
        const expiresAt = item.receivedAt + SIGN_TIME_TO_LIVE_MS;
        waiting.push({ item, expiresAt, notBefore: 0, resolve });
        pump();
      });
    },
    receive(reply) {
      const flight = flights.get(reply.batchId);
      if (flight === undefined) return;
      for (const { index, outcome } of reply.outcomes) {
        const task = flight.tasks[index];
        if (task === undefined) continue;
        flight.tasks[index] = undefined;
        window = Math.min(MAX_UNDER_WAY, window + 1);
        if (outcome.outcome === 'retry') wait(task);
        else finish(task, outcome);
      }
      if (flight.tasks.every((task) => task === undefined)) close(reply.batchId, flight);
      deps.presence().trust(flight.lead);
      deps.presence().trust(flight.partner);
      pump();
    },
    pump,
    stop() {
      clearTimeout(pumpAt);
      for (const [batchId, flight] of flights) close(batchId, flight);
    },
  };
}
