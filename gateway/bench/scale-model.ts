/**
 * A vault of many gateways and replicas, in virtual time: the gateways' own dispatching (`dispatch-state.ts`, `choose-pair.ts`)
 * over stations that take as long as was measured. It says how far signing grows with what is added, and what stands in the
 * way; how fast a single vault is, is measured and not modelled.
 *
 * Each process has a host of its own with a core for each of its threads; Redis has one thread, PostgreSQL so many cores and
 * one write-ahead log. Not in it: what a batch costs beside its requests (batches are about as large as those of the
 * measurement), the ledger, and hosts that are shared or far from each other.
 */
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { DeniedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { AskedRequest } from '../dist/requests/asked-request.js';
import { choosePair, type Choice } from '../dist/sign/choose-pair.js';
import {
  acceptReply,
  createDispatchState,
  enqueue,
  giveUp,
  isBatchDue,
  launch,
  takeBatch,
  type DispatchState,
} from '../dist/sign/dispatch-state.js';
import { EventQueue, Station, WriteAheadLog } from './stations.js';

/** Of one request, ms of processor time, as measured on a whole vault; of the parties both roles together. */
export interface MeasuredTimes {
  readonly gatewayMain: number;
  readonly gatewayOther: number;
  readonly partyMain: number;
  readonly partyThreads: number;
  readonly redis: number;
  readonly postgres: number;
  /** Of the write-ahead log: one flush, ms. */
  readonly flush: number;
}

export interface VaultSize {
  readonly gateways: number;
  /** Of each party. */
  readonly replicas: number;
  /** Signing threads of each replica. */
  readonly threads: number;
  readonly postgresCores: number;
}

export interface ModelRun {
  /** Signatures. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly meanBatch: number;
  readonly abandonedBatches: number;
  /** Share of the time that it worked, of the busiest station of each kind; the busiest kind first. */
  readonly utilisation: readonly (readonly [kind: string, share: number])[];
}

/** Callers of each gateway, each of which asks again at once. */
const CALLERS = 256;
const WARM_UP_MS = 1_000;
const MEASURED_MS = 2_000;
/** One way between two processes. */
const HOP_MS = 0.1;
const ASKED = { lane: 'quick' } as AskedRequest;
const DONE = { outcome: 'denied' } as DeniedOutcome;
/** Of libuv, in a gateway. */
const POOL_THREADS = 4;

/** A step of a batch's way: when what begins now is over. */
type Step = (now: number) => number;

interface Party {
  readonly main: Station;
  readonly threads: Station;
}

interface Gateway {
  readonly state: DispatchState;
  readonly main: Station;
  readonly pool: Station;
  readonly startedAt: Map<string, number>;
  turn: number;
}

export function modelVault(times: MeasuredTimes, size: VaultSize): ModelRun {
  return new Model(times, size).run();
}

class Model {
  readonly #times: MeasuredTimes;
  readonly #queue = new EventQueue();
  readonly #redis = new Station('Redis', 1);
  readonly #postgres: Station;
  readonly #log: WriteAheadLog;
  readonly #parties = new Map<Replica, Party>();
  readonly #gateways: readonly Gateway[];
  readonly #latencies: number[] = [];
  readonly #batches = { count: 0, requests: 0, abandoned: 0 };

  constructor(times: MeasuredTimes, { gateways, replicas, threads, postgresCores }: VaultSize) {
    this.#times = times;
    this.#postgres = new Station('PostgreSQL, processor', postgresCores);
    this.#log = new WriteAheadLog('write-ahead log', times.flush);
    for (const party of PARTY_NUMBERS) {
      for (let index = 0; index < replicas; index++) {
        this.#parties.set(startReplica(party, String(index)), {
          main: new Station('a party’s main thread', 1),
          threads: new Station('a party’s signing threads', threads),
        });
      }
    }
    this.#gateways = Array.from({ length: gateways }, (_, index) => ({
      state: createDispatchState('quick'),
      main: new Station('a gateway’s main thread', 1),
      pool: new Station('a gateway’s other threads', POOL_THREADS),
      startedAt: new Map(),
      turn: index,
    }));
  }

  run(): ModelRun {
    for (const [index, gateway] of this.#gateways.entries()) {
      for (let caller = 0; caller < CALLERS; caller++) {
        this.#queue.at(caller / 10, () => this.#ask(gateway, `${index} ${caller}`, 0));
      }
    }
    this.#queue.run(WARM_UP_MS);
    const stations = this.#stations();
    for (const station of stations) station.busyMs = 0;
    this.#latencies.length = 0;
    Object.assign(this.#batches, { count: 0, requests: 0, abandoned: 0 });
    this.#queue.run(WARM_UP_MS + MEASURED_MS);
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const { count, requests, abandoned } = this.#batches;
    return {
      perSecond: (sorted.length / MEASURED_MS) * 1_000,
      p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? NaN,
      p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? NaN,
      meanBatch: requests / count,
      abandonedBatches: abandoned,
      utilisation: utilisationOf(stations),
    };
  }

  #stations(): (Station | WriteAheadLog)[] {
    return [
      ...[...this.#parties.values()].flatMap(({ main, threads }) => [main, threads]),
      ...this.#gateways.flatMap(({ main, pool }) => [main, pool]),
      ...[this.#redis, this.#postgres, this.#log],
    ];
  }

  /** A caller's request, from its head to the lane. */
  #ask(gateway: Gateway, caller: string, count: number): void {
    const { gatewayMain, gatewayOther, redis } = this.#times;
    const submission = `${caller} ${count}`;
    gateway.startedAt.set(submission, this.#queue.now);
    const way: Step[] = [
      (now) => gateway.main.serve(now, gatewayMain / 2),
      (now) => gateway.pool.serve(now, gatewayOther),
      hop,
      (now) => this.#redis.serve(now, redis / 4),
      hop,
    ];
    this.#follow(way, () => {
      const evidence = { credential: caller };
      const item = { submission, receivedAt: this.#queue.now, nonce: 0n, evidence } as SignItem;
      const resolve = () => this.#ask(gateway, caller, count + 1);
      enqueue(gateway.state, { item, asked: ASKED, resolve });
      this.#send(gateway);
    });
  }

  #send(gateway: Gateway): void {
    const { state } = gateway;
    while (isBatchDue(state, this.#queue.now)) {
      const pair = this.#choose(gateway.turn++);
      const { batch } = takeBatch(state, pair, this.#queue.now);
      if (batch.length === 0) return;
      const batchId = `${gateway.turn}`;
      const attemptMs = launch(state, batchId, batch, pair, this.#queue.now);
      this.#batches.count += 1;
      this.#batches.requests += batch.length;
      this.#queue.at(this.#queue.now + attemptMs, () => this.#giveUp(gateway, batchId));
      this.#follow(this.#wayOf(batch.length, pair), () => {
        const back = gateway.main.serve(
          this.#queue.now,
          (batch.length * this.#times.gatewayMain) / 2,
        );
        this.#queue.at(back, () => this.#answer(gateway, batchId, batch.length));
      });
    }
  }

  #choose(turn: number): Choice {
    const replicas = [...this.#parties.keys()];
    const candidates = PARTY_NUMBERS.map((party) => ({
      party,
      replicas: replicas.filter((one) => one.party === party),
      newcomer: undefined,
    }));
    return choosePair({ candidates, standing: () => 'good', turn })!;
  }

  /** To the partner and its records, to the lead and its own, and back. */
  #wayOf(size: number, pair: Choice): Step[] {
    const { redis } = this.#times;
    const told: Step[] = [hop, (now) => this.#redis.serve(now, (size * redis) / 4), hop];
    const roles = [pair.partner, pair.lead].flatMap((replica) => [
      ...told,
      ...this.#role(size, this.#parties.get(replica)!),
    ]);
    return [...roles, ...told];
  }

  #role(size: number, { main, threads }: Party): Step[] {
    const { partyMain, partyThreads, postgres } = this.#times;
    return [
      (now) => main.serve(now, (size * partyMain) / 4),
      (now) => threads.share(now, (size * partyThreads) / 2),
      (now) => this.#postgres.serve(now, (size * postgres) / 2),
      (now) => this.#log.commit(now),
      (now) => main.serve(now, (size * partyMain) / 4),
    ];
  }

  #giveUp(gateway: Gateway, batchId: string): void {
    if (giveUp(gateway.state, batchId, this.#queue.now) === undefined) return;
    this.#batches.abandoned += 1;
    this.#send(gateway);
  }

  #answer(gateway: Gateway, batchId: string, size: number): void {
    const { now } = this.#queue;
    const outcomes = Array.from({ length: size }, (_, index) => ({ index, outcome: DONE }));
    const reply = { batchId, outcomes, retrySignature: new Uint8Array() };
    const accepted = acceptReply(gateway.state, reply, now, () => () => undefined);
    for (const { task } of accepted?.ended ?? []) {
      const { submission } = task.item;
      this.#latencies.push(now - gateway.startedAt.get(submission)!);
      gateway.startedAt.delete(submission);
      task.resolve(DONE);
    }
    this.#send(gateway);
  }

  #follow([step, ...rest]: readonly Step[], then: () => void): void {
    if (step === undefined) return then();
    this.#queue.at(step(this.#queue.now), () => this.#follow(rest, then));
  }
}

function hop(now: number): number {
  return now + HOP_MS;
}

function utilisationOf(
  stations: readonly Pick<Station, 'name' | 'servers' | 'busyMs'>[],
): ModelRun['utilisation'] {
  const busiest = new Map<string, number>();
  for (const { name, servers, busyMs } of stations) {
    busiest.set(name, Math.max(busiest.get(name) ?? 0, busyMs / servers / MEASURED_MS));
  }
  return [...busiest].toSorted(([, a], [, b]) => b - a);
}
