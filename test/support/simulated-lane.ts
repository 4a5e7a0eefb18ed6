/**
 * One lane of a gateway and three parties in virtual time: what callers ask for, what of it is refused, and how long the rest
 * takes. A party is one thread that works on its parts of batches one after the other; of a batch it takes so much for the
 * batch itself and so much for each request in it.
 */
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { DeniedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { isOverloaded, itemsOf, noteBundle } from '../../gateway/src/sign/admission-control.js';
import type { Choice } from '../../gateway/src/sign/choose-pair.js';
import {
  RETRY_PAUSE_MS,
  acceptReply,
  createDispatchState,
  enqueue,
  findSteady,
  giveUp,
  isBatchDue,
  launch,
  mayBeTried,
  takeBatch,
  type Ended,
} from '../../gateway/src/sign/dispatch-state.js';
import { createPartyChoice } from '../../gateway/src/sign/presence.js';
import type { SeenReplicas } from '../../gateway/src/sign/seen-replicas.js';
import type { AskedRequest, Lane } from '../../gateway/src/requests/asked-request.js';
import { randomOf } from './seeded-random.ts';

const DONE = { outcome: 'denied' } as DeniedOutcome;
const REPLICAS = PARTY_NUMBERS.map((party) => startReplica(party, 'a'));
/** From gateway to party, party to party, and back, ms. */
const HOP_MS = 1;
const RETRY_AFTER_MS = 1_000;
/** What a caller waits for, ms. */
const IN_TIME_MS = 2_000;

export interface SimulatedLoad {
  readonly lane?: Lane;
  /** What a party's thread takes for its part of a batch, ms. */
  readonly batchMs?: number;
  /** And for its part of one signature in it. */
  readonly eachMs: number;
  /** Requests a second, by caller, whatever comes back: an open loop. */
  readonly rates?: Readonly<Record<string, number>>;
  /** Each asks again once it is answered, be it 202 after two seconds, or a second after it was refused: a closed loop. */
  readonly connections?: number;
  /** Signatures in each request, one when absent: it is answered after the last of them. */
  readonly itemsEach?: number;
  /** Counted for so long, s, after so long. */
  readonly seconds?: number;
  readonly warmUpS?: number;
  /** A party that is slow to pass on what it has done. */
  readonly dawdler?: { readonly party: number; readonly ms: number };
  /** What the gateway's one thread takes, ms: to refuse a request, to check one, and to take its answer. */
  readonly gatewayMs?: GatewayMs;
  /** Nobody works for so long in the middle of what is counted, ms. */
  readonly stallMs?: number;
}

export interface GatewayMs {
  readonly refused: number;
  readonly checked: number;
  readonly answered: number;
}

export interface SimulatedOutcome {
  /** Signatures answered within two seconds, a second. */
  readonly goodput: number;
  readonly late: number;
  readonly refused: number;
  /** Batches that were given up. */
  readonly abandoned: number;
  /** The longest that any answer took, ms. */
  readonly oldestMs: number;
  readonly byCaller: ReadonlyMap<string, CallerOutcome>;
}

export interface CallerOutcome {
  asked: number;
  inTime: number;
  late: number;
  refused: number;
  oldestMs: number;
}

export function simulateLane(load: SimulatedLoad): SimulatedOutcome {
  const { lane = 'quick', rates = {}, connections = 0, seconds = 30, warmUpS = 10 } = load;
  const { itemsEach = 1 } = load;
  const { refused, checked, answered } = load.gatewayMs ?? { refused: 0, checked: 0, answered: 0 };
  const clock = createClock();
  const random = randomOf(1);
  const endsAt = (warmUpS + seconds) * 1_000;
  const counts = createCounts(() => clock.now >= warmUpS * 1_000);
  const thread = createThread(clock);
  const parties = createParties(clock, load, (warmUpS + 5) * 1_000);
  const work: Parties['work'] = (pair, size, done) =>
    parties.work(pair, size, () => thread.run(size * answered, done));
  const gateway = openGateway(clock, { work }, { lane, itemsEach });

  function ask(caller: string, again?: (pauseMs: number) => void): void {
    const one = counts.of(caller);
    if (counts.isCounted()) one.asked += 1;
    const askedAt = clock.now;
    let isTold = false;
    const tell = (pauseMs: number) => {
      if (!isTold) again?.(pauseMs);
      isTold = true;
    };
    if (again !== undefined) clock.after(IN_TIME_MS, () => tell(HOP_MS));
    const refuse = () => {
      if (counts.isCounted()) one.refused += 1;
      tell(RETRY_AFTER_MS);
    };
    const answer = () => {
      const tookMs = clock.now - askedAt;
      if (counts.isCounted()) {
        one[tookMs < IN_TIME_MS ? 'inTime' : 'late'] += 1;
        one.oldestMs = Math.max(one.oldestMs, tookMs);
      }
      tell(HOP_MS);
    };
    thread.run(refused, () => {
      if (gateway.isFull(caller)) return refuse();
      const visit = gateway.enter(caller);
      thread.run(itemsEach * checked, () => {
        visit.leave();
        gateway.submit(caller, answer);
      });
    });
  }

  for (let index = 0; index < connections; index++) {
    const go = () => ask(`bot ${index % 8}`, (pauseMs) => clock.after(pauseMs, go));
    clock.after(20 * random.next(), go);
  }
  for (const [caller, rate] of Object.entries(rates)) {
    const go = () => {
      ask(caller);
      clock.after(1_000 / rate, go);
    };
    clock.after((random.next() * 1_000) / rate, go);
  }
  let abandonedBefore = 0;
  clock.after(warmUpS * 1_000, () => (abandonedBefore = gateway.abandoned));
  clock.runUntil(endsAt);
  const abandoned = gateway.abandoned - abandonedBefore;
  return { ...counts.sum(seconds, itemsEach), abandoned, byCaller: counts.byCaller };
}

function createCounts(isCounted: () => boolean) {
  const byCaller = new Map<string, CallerOutcome>();
  return {
    byCaller,
    isCounted,
    of(caller: string): CallerOutcome {
      const known = byCaller.get(caller);
      if (known !== undefined) return known;
      const fresh = { asked: 0, inTime: 0, late: 0, refused: 0, oldestMs: 0 };
      byCaller.set(caller, fresh);
      return fresh;
    },
    sum(seconds: number, itemsEach: number) {
      const all = [...byCaller.values()];
      const total = (of: (one: CallerOutcome) => number) =>
        all.reduce((sum, one) => sum + of(one), 0);
      return {
        goodput: (itemsEach * total(({ inTime }) => inTime)) / seconds,
        late: total(({ late }) => late),
        refused: total(({ refused }) => refused),
        oldestMs: Math.max(0, ...all.map(({ oldestMs }) => oldestMs)),
      };
    },
  };
}

interface Clock {
  readonly now: number;
  after(ms: number, what: () => void): void;
  runUntil(ms: number): void;
}

/** Steps of a tenth of a millisecond; what falls into one step happens in the order in which it was planned. */
function createClock(): Clock {
  const STEP_MS = 0.1;
  const due = new Map<number, (() => void)[]>();
  let step = 0;
  return {
    get now() {
      return step * STEP_MS;
    },
    after(ms, what) {
      const at = step + Math.max(1, Math.ceil(ms / STEP_MS));
      const others = due.get(at);
      if (others === undefined) due.set(at, [what]);
      else others.push(what);
    },
    runUntil(ms) {
      for (; step * STEP_MS <= ms; step++) {
        for (const what of due.get(step) ?? []) what();
        due.delete(step);
      }
    },
  };
}

/** Does one thing after the other; at once what takes no time. */
function createThread(clock: Clock) {
  let freeAt = 0;
  return {
    run(ms: number, what: () => void): void {
      freeAt = Math.max(clock.now, freeAt) + ms;
      if (ms === 0) what();
      else clock.after(freeAt - clock.now, what);
    },
  };
}

interface Parties {
  /** Has both of a pair do their parts, the lead after its partner; `done` once the answer is back. */
  work(pair: Choice, size: number, done: () => void): void;
}

function createParties(
  clock: Clock,
  { batchMs = 0, eachMs, dawdler, stallMs = 0 }: SimulatedLoad,
  stallsAt: number,
): Parties {
  /** When each has done all that it was given so far, ms. */
  const freeAt = new Map(PARTY_NUMBERS.map((party) => [party, 0]));

  function part({ party }: Choice['lead'], size: number, done: () => void): void {
    clock.after(HOP_MS, () => {
      const startsAt = Math.max(clock.now, freeAt.get(party)!);
      let endsAt = startsAt + batchMs + size * eachMs;
      if (startsAt < stallsAt + stallMs && endsAt > stallsAt) {
        endsAt += stallsAt + stallMs - Math.max(startsAt, stallsAt);
      }
      freeAt.set(party, endsAt);
      clock.after(endsAt - clock.now + (dawdler?.party === party ? dawdler.ms : 0), done);
    });
  }

  return {
    work: ({ lead, partner }, size, done) =>
      part(partner, size, () => part(lead, size, () => clock.after(HOP_MS, done))),
  };
}

/** The steps of a dispatcher, and its choice of pairs. */
function openGateway(
  clock: Clock,
  parties: Parties,
  { lane, itemsEach }: { readonly lane: Lane; readonly itemsEach: number },
) {
  const state = createDispatchState(lane);
  const seen: Partial<SeenReplicas> = {
    candidates: () =>
      REPLICAS.map((replica) => ({
        party: replica.party,
        replicas: [replica],
        newcomer: undefined,
      })),
    noteAnswer: () => undefined,
    noteFailure: () => undefined,
  };
  const choice = createPartyChoice(seen as SeenReplicas, () => clock.now);
  const asked = { lane } as AskedRequest;
  const asks = itemsEach > 1 ? 'several' : 'one';
  let [batches, abandoned, isPlanned]: [number, number, boolean] = [0, 0, false];

  const tell = (ended: readonly Ended[]) =>
    ended.forEach(({ task, outcome }) => task.resolve(outcome));

  function pump(): void {
    while (isBatchDue(state)) {
      const pair = choice.choosePair(findSteady(state, clock.now), mayBeTried(state, clock.now))!;
      const { batch, ended } = takeBatch(state, pair, clock.now);
      tell(ended);
      if (batch.length === 0) break;
      const batchId = `batch ${batches++}`;
      clock.after(launch(state, batchId, batch, pair, clock.now), () => lose(batchId));
      parties.work(pair, batch.length, () => reply(batchId, batch.length));
    }
    if (isPlanned || state.waiting.length === 0) return;
    isPlanned = true;
    clock.after(RETRY_PAUSE_MS, () => {
      isPlanned = false;
      pump();
    });
  }

  function lose(batchId: string): void {
    const lost = giveUp(state, batchId, clock.now);
    if (lost === undefined) return;
    abandoned += 1;
    choice.note(lost.pair, lost.note);
    pump();
  }

  function reply(batchId: string, size: number): void {
    const outcomes = Array.from({ length: size }, (_, index) => ({ index, outcome: DONE }));
    const said = { version: 1, batchId, outcomes, retrySignature: new Uint8Array() };
    const accepted = acceptReply(state, said, clock.now, () => () => undefined);
    if (accepted === undefined) return;
    tell(accepted.ended);
    if (accepted.note !== undefined) choice.note(accepted.pair, accepted.note);
    pump();
  }

  let submissions = 0;
  return {
    get abandoned() {
      return abandoned;
    },
    isFull: (caller: string) => isOverloaded(state.load, asks, caller),
    enter(caller: string) {
      const items = itemsOf(state.load, asks);
      state.load.ahead.add(caller, items);
      return { leave: () => state.load.ahead.remove(caller, items) };
    },
    submit(caller: string, resolve: () => void): void {
      const evidence = { credential: caller };
      let left = itemsEach;
      if (itemsEach > 1) noteBundle(state.load, itemsEach);
      for (let index = 0; index < itemsEach; index++) {
        const submission = String(submissions++);
        const item = { submission, receivedAt: clock.now, nonce: 0n, evidence } as SignItem;
        const asOne = itemsEach === 1 ? item : { ...item, index };
        const task = { item: asOne, asked, resolve: () => --left === 0 && resolve() };
        enqueue(state, task, clock.now + SIGN_TIME_TO_LIVE_MS);
      }
      pump();
    },
  };
}
