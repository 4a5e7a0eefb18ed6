/** The lane of RSA signatures under more than it can do, in virtual time: no party is quicker, none is slower. */
import { describe, expect, it } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { DeniedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { AskedRequest } from '../requests/asked-request.js';
import {
  acceptReply,
  createDispatchState,
  enqueue,
  giveUp,
  isBatchDue,
  isOverloaded,
  launch,
  takeBatch,
} from './dispatch-state.js';

const DONE = { outcome: 'denied' } as DeniedOutcome;
const ASKED = { lane: 'rsa' } as AskedRequest;
const REPLICAS = ([1, 2, 3] as const).map((party) => startReplica(party, 'a'));
const SECONDS = 30;
/** Until the service times are known. */
const WARM_UP_MS = 10_000;

interface Sent {
  readonly batchId: string;
  readonly size: number;
  readonly givenUpAt: number;
  readonly lead: number;
}

/** A batch as a party's one thread works on it. */
interface Part {
  readonly batch: Sent;
  readonly isLead: boolean;
  leftMs: number;
}

interface Load {
  /** Requests a second, by caller. */
  readonly rates: Readonly<Record<string, number>>;
  /** What one thread of a party takes for its part of a signature, ms. */
  readonly eachMs: number;
}

/** Of what came after the warm-up, by caller. */
function run({ rates, eachMs }: Load) {
  const state = createDispatchState('rsa');
  const threads: Part[][] = [[], [], []];
  const waits: Record<string, number[]> = {};
  const refused: Record<string, number> = {};
  let [turn, abandoned, sent]: [number, number, Sent[]] = [0, 0, []];

  function ask(caller: string, now: number): void {
    if (isOverloaded(state, { caller, ahead: 0 }, now)) {
      if (now > WARM_UP_MS) refused[caller] = (refused[caller] ?? 0) + 1;
      return;
    }
    const submission = `${caller} ${now}`;
    const item = { submission, receivedAt: now, nonce: 0n, evidence: { credential: caller } };
    enqueue(state, { item: item as SignItem, asked: ASKED, resolve: () => undefined });
  }

  function send(now: number): void {
    while (isBatchDue(state, now)) {
      const [lead, partner] = [turn % 3, (turn + 1) % 3];
      const pair = { lead: REPLICAS[lead]!, partner: REPLICAS[partner]!, trial: undefined };
      const { batch } = takeBatch(state, pair, now);
      if (batch.length === 0) return;
      const batchId = `batch ${turn++}`;
      const attempt = launch(state, batchId, batch, pair, now);
      const one = { batchId, size: batch.length, givenUpAt: now + attempt, lead };
      sent.push(one);
      threads[partner]!.push({ batch: one, isLead: false, leftMs: batch.length * eachMs });
    }
  }

  /** A millisecond of each thread; the batches that it ends. */
  function work(): Sent[] {
    return threads.flatMap((parts) => {
      const [part] = parts;
      if (part === undefined || --part.leftMs > 0) return [];
      parts.shift();
      const { batch, isLead } = part;
      if (isLead) return [batch];
      threads[batch.lead]!.push({ batch, isLead: true, leftMs: batch.size * eachMs });
      return [];
    });
  }

  function settle(now: number): void {
    for (const { batchId, size } of work()) {
      const outcomes = Array.from({ length: size }, (_, index) => ({ index, outcome: DONE }));
      const reply = { batchId, outcomes, retrySignature: new Uint8Array() };
      for (const { task } of acceptReply(state, reply, now, () => () => undefined)?.ended ?? []) {
        if (now < WARM_UP_MS) continue;
        (waits[task.caller] ??= []).push(now - task.item.receivedAt);
      }
    }
    for (const { batchId } of sent.filter(({ givenUpAt }) => givenUpAt === now)) {
      if (giveUp(state, batchId, now) !== undefined && now > WARM_UP_MS) abandoned += 1;
    }
    sent = sent.filter(({ givenUpAt }) => givenUpAt > now);
  }

  for (let now = 1; now <= WARM_UP_MS + SECONDS * 1_000; now++) {
    for (const [caller, rate] of Object.entries(rates)) {
      if (Math.floor((now * rate) / 1_000) > Math.floor(((now - 1) * rate) / 1_000))
        ask(caller, now);
    }
    settle(now);
    send(now);
  }
  const all = Object.values(waits).flat();
  return { waits, refused, abandoned, goodput: all.length / SECONDS, oldest: Math.max(...all) };
}

/** Two parts of each signature, on three threads. */
const capacity = (eachMs: number) => (3 * 1_000) / (2 * eachMs);

describe.each([5, 30, 100])('RSA signatures of %i ms a part', (eachMs) => {
  const peak = capacity(eachMs);

  it('at twice capacity: at least 90 % of it, nothing computed twice, nobody waits two seconds', () => {
    const { goodput, oldest, abandoned } = run({ rates: { a: peak, b: peak }, eachMs });
    expect(goodput).toBeGreaterThan(0.9 * peak);
    expect(oldest).toBeLessThan(2_000);
    expect(abandoned).toBe(0);
  });

  it('and a caller who asks for little is refused nothing, whatever another one asks for', () => {
    const { waits, refused } = run({ rates: { greedy: 4 * peak, modest: peak / 5 }, eachMs });
    expect(refused['greedy']).toBeGreaterThan(peak);
    expect(refused['modest']).toBeUndefined();
    expect(waits['modest']!.length).toBeGreaterThan(0.95 * SECONDS * Math.floor(peak / 5));
    expect(Math.max(...waits['modest']!)).toBeLessThan(2_000);
  });
});

it('what is on its way to the lane counts as if it waited there', () => {
  const state = createDispatchState('quick');
  state.drain.answers = 100;
  state.drain.ms = 100;
  const item = { receivedAt: 0, nonce: 0n, evidence: { credential: 'a' } };
  for (let index = 0; index < 300; index++) {
    const one = { ...item, submission: String(index) } as SignItem;
    enqueue(state, { item: one, asked: ASKED, resolve: () => undefined });
  }
  expect(isOverloaded(state, { caller: 'a', ahead: 0 }, 0)).toBe(false);
  expect(isOverloaded(state, { caller: 'a', ahead: 250 }, 0)).toBe(true);
  expect(isOverloaded(state, { caller: 'b', ahead: 250 }, 0)).toBe(false);
});
