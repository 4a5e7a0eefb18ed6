/**
 * One freeze against work in flight: three parties of two replicas each, two gateways, a ledger, a record store
 * and Redis between them. Everything happens in virtual time, in an order that the seed decides.
 */
import type { PartyNumber } from '@countersign/core/parties.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { isSameReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { AHEAD_MS } from '../../signer/dist/requests/request-memory.js';
import { openReply } from '@countersign/runtime/jobs/sign-outcome.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { evidenceOf } from '../support/ledger-builder.ts';
import { SCOPES, type Desk, type Scope } from './desk-ledger.ts';
import { createWeather, type Weather } from './race-weather.ts';
import { openSimulatedGateway, type SimulatedGateway } from './simulated-gateway.ts';
import { createSimulatedLedger } from './simulated-ledger.ts';
import {
  openSimulatedReplica,
  type PrimaryFolder,
  type PartySurroundings,
  type ReplicaPlace,
  type SimulatedReplica,
  type Weaken,
} from './simulated-party.ts';
import { createSimulatedRecords } from './simulated-records.ts';
import { createChance, createVirtualTime, type SimulatedProcess } from './virtual-time.ts';

export interface RaceOptions {
  readonly seed: number;
  /** Redis stops at a random moment before or after the freeze, and stays away. */
  readonly stopsRedis?: boolean;
  /** The store shows one party a log without the freeze. */
  readonly hidesFreeze?: boolean;
  /** Every replica beside a primary replica reads the ledger late, by nearly a lease. */
  readonly hasDullReplicas?: boolean;
  /** The primary replicas of two parties are gone for good before the freeze. */
  readonly losesPrimaries?: boolean;
  readonly weaken?: Weaken;
}

export interface RaceResult {
  readonly scope: Scope;
  /** Of the answer to the freeze; undefined when there was none. */
  readonly status: number | undefined;
  /** From the caller's request to the answer, ms. */
  readonly answeredAfter: number;
  /** Parties whose primary replica is there, or comes back: with one of them alone nothing is judged. */
  readonly primariesLeft: number;
  /** Signatures that were made before the answer. */
  readonly signedBefore: number;
  /** What left a party after the answer. */
  readonly violations: readonly string[];
}

const STARTED_BY = 1_000;
const LOAD_BEFORE_MS = 900;
const LOAD_AFTER_MS = 600;
const WATCHED_FOR_MS = 6_000;
const LONGEST_MS = 60_000;
/** A process takes so long at least until it is back, ms. */
const SHORTEST_RESTART_MS = 300;
const GATEWAY_ID = 'gateway-1';
const PAIRS: readonly (readonly PartyNumber[])[] = [
  [1, 2],
  [1, 3],
  [2, 3],
];

export function runFreezeRace(desk: Desk, options: RaceOptions): Promise<RaceResult> {
  return new FreezeRace(desk, options).run();
}

class FreezeRace {
  readonly #desk: Desk;
  readonly #options: RaceOptions;
  readonly #time = createVirtualTime();
  readonly #weather: Weather;
  readonly #surroundings: PartySurroundings;
  readonly #replicas = new Map<string, SimulatedReplica>();
  readonly #folders = new Map<PartyNumber, PrimaryFolder>();
  readonly #gateways: SimulatedGateway[] = [];
  readonly #scope: Scope;
  readonly #blinded: PartyNumber | undefined;
  /** A replica whose connection to the store is slow. */
  readonly #hasDullReplicas: boolean;
  readonly #laggard: { readonly id: string; readonly lag: number };
  readonly #freezeAt: number;
  readonly #redisStopsAt: number;
  readonly #lostPrimaries = new Set<PartyNumber>();
  readonly #violations: string[] = [];
  readonly #heads: { readonly seq: number; readonly headHash: string }[] = [];
  #signedBefore = 0;
  #status: number | undefined;
  #answeredAt = Infinity;

  constructor(desk: Desk, options: RaceOptions) {
    const chance = createChance(options.seed);
    this.#desk = desk;
    this.#options = options;
    this.#weather = createWeather(this.#time, chance);
    this.#scope = chance.pick(SCOPES);
    this.#blinded = options.hidesFreeze === true ? chance.pick(PARTY_NUMBERS) : undefined;
    this.#hasDullReplicas = options.hasDullReplicas === true;
    this.#laggard = {
      id: chance.pick(['1b', '2b', '3b', '1a', 'none', 'none']),
      lag: chance.between(200, 950),
    };
    // a replica without a folder of its own takes nothing in the first two seconds of its life
    this.#freezeAt = AHEAD_MS + chance.between(2_000, 2_500);
    this.#redisStopsAt =
      options.stopsRedis === true ? this.#freezeAt + chance.between(-800, 400) : Infinity;
    this.#surroundings = this.#createSurroundings();
  }

  async run(): Promise<RaceResult> {
    this.#start();
    const { time } = this.#weather;
    await time.run(LONGEST_MS, () => time.now > this.#answeredAt + WATCHED_FOR_MS);
    return {
      scope: this.#scope,
      status: this.#status,
      answeredAfter: this.#answeredAt - this.#freezeAt,
      primariesLeft: PARTY_NUMBERS.length - this.#lostPrimaries.size,
      signedBefore: this.#signedBefore,
      violations: this.#violations,
    };
  }

  #createSurroundings(): PartySurroundings {
    const weather = this.#weather;
    const { ledger } = this.#desk;
    return {
      weather,
      ledger: createSimulatedLedger(weather, ledger.rows, ledger.keys),
      records: createSimulatedRecords(weather),
      evidenceKeys: ledger.keys,
      weaken: this.#options.weaken ?? ((parts) => parts),
      clock: () => this.#clock(),
      findPrimary: (party) => this.#findPrimary(party),
      send: (from, to, bytes) => this.#send(from, to, bytes),
      publish: (reply) => this.#publish(reply),
      onSignedRow: (requestId) => this.#signed(`a result of ${requestId} was sent to the store`),
    };
  }

  /** Of a process: a little wrong. */
  #clock(): () => number {
    const skew = this.#weather.chance.between(-300, 300);
    return () => Math.floor(this.#desk.ledger.now + this.#time.now + skew);
  }

  #signed(what: string): void {
    if (this.#time.now < this.#answeredAt) this.#signedBefore += 1;
    else
      this.#violations.push(`${(this.#time.now - this.#answeredAt).toFixed(1)} ms late: ${what}`);
  }

  get #isRedisAway(): boolean {
    return this.#time.now >= this.#redisStopsAt;
  }

  async #findPrimary(party: PartyNumber): Promise<Replica | undefined> {
    await this.#weather.wait('message');
    if (this.#isRedisAway) return forever();
    return this.#replicas.get(`${party}a`)?.self;
  }

  async #send(from: Replica, to: Replica, bytes: Buffer): Promise<void> {
    if (this.#isRedisAway) return forever();
    const { time, delay, isLost } = this.#weather;
    const receiver = this.#replicas.get(`${to.party}${to.name}`);
    if (receiver === undefined || !isSameReplica(receiver.self, to) || isLost()) return;
    time.after(
      delay('message'),
      () => {
        if (!this.#isRedisAway) receiver.hear(from, bytes);
      },
      receiver.process,
    );
  }

  async #publish(sealed: Buffer): Promise<void> {
    const { outcomes } = openReply(sealed, GATEWAY_ID, this.#desk.ledger.keys);
    for (const { outcome } of outcomes) {
      if (outcome.outcome === 'signed') {
        this.#signed(`a signature for ${outcome.receipt.requestId} was published`);
      }
    }
    if (this.#isRedisAway) return forever();
  }

  #start(): void {
    const { time, chance } = this.#weather;
    for (const party of PARTY_NUMBERS) {
      this.#folders.set(party, { pinned: undefined });
      for (const name of ['a', 'b']) {
        time.after(chance.between(0, 100), () => this.#startReplica(party, name), null);
      }
    }
    for (let index = 0; index < 2; index += 1) time.after(0, () => this.#startGateway(), null);
    time.after(this.#freezeAt - LOAD_BEFORE_MS, () => this.#load(), null);
    time.after(this.#freezeAt, () => this.#freeze(), null);
    this.#planTrouble();
  }

  #isDull(party: PartyNumber, name: string): boolean {
    if (this.#hasDullReplicas && name === 'b') return true;
    return this.#laggard.id === `${party}${name}`;
  }

  #startReplica(party: PartyNumber, name: string): void {
    const process: SimulatedProcess = { isGone: false, pausedUntil: 0 };
    const place: ReplicaPlace = {
      party,
      name,
      folder: name === 'a' ? this.#folders.get(party) : undefined,
      isBlinded: party === this.#blinded,
      lag: this.#isDull(party, name) ? this.#laggard.lag : 0,
    };
    this.#time.as(process, () => {
      void openSimulatedReplica(this.#surroundings, place, process).then((replica) => {
        this.#replicas.set(`${party}${name}`, replica);
      });
    });
  }

  #startGateway(): void {
    const process: SimulatedProcess = { isGone: false, pausedUntil: 0 };
    const { ledger } = this.#surroundings;
    this.#time.as(process, () => {
      void openSimulatedGateway(this.#weather, ledger, this.#desk.ledger.keys, {
        process,
        now: this.#clock(),
      }).then((gateway) => this.#gateways.push(gateway));
    });
  }

  /** Processes that stop for a while, die, and come back. */
  #planTrouble(): void {
    const { time, chance } = this.#weather;
    const moment = () => this.#freezeAt + chance.between(-1_500, 1_500);
    const place = () => ({ party: chance.pick(PARTY_NUMBERS), name: chance.pick(['a', 'b']) });
    if (chance.happens(0.2)) {
      const paused = place();
      const ms = chance.between(100, 6_000);
      time.after(moment(), () => this.#pause(paused, ms), null);
    }
    const restarts = chance.pick([0, 0, 0, 1, 1, 2]);
    for (let count = 0; count < restarts; count += 1) {
      const { party, name } = place();
      const isForGood = this.#blinded === undefined && chance.happens(0.1);
      const back = isForGood ? Infinity : chance.between(SHORTEST_RESTART_MS, 5_000);
      const at = Math.max(STARTED_BY, moment());
      time.after(at, () => this.#kill(party, name, back), null);
    }
    if (this.#options.losesPrimaries !== true) return;
    for (const party of chance.pick(PAIRS)) {
      time.after(this.#freezeAt - 100, () => this.#kill(party, 'a', Infinity), null);
    }
  }

  /** `back`: after so many ms it is started again. */
  #kill(party: PartyNumber, name: string, back: number): void {
    const replica = this.#replicas.get(`${party}${name}`);
    if (replica === undefined || replica.process.isGone) return;
    replica.process.isGone = true;
    if (back < Infinity) this.#time.after(back, () => this.#startReplica(party, name), null);
    else if (name === 'a') this.#lostPrimaries.add(party);
  }

  #pause({ party, name }: { party: PartyNumber; name: string }, ms: number): void {
    const replica = this.#replicas.get(`${party}${name}`);
    if (replica !== undefined) replica.process.pausedUntil = this.#time.now + ms;
  }

  /** Batches one after the other, until well after the freeze. */
  #load(): void {
    const { time, chance } = this.#weather;
    if (time.now > this.#freezeAt + LOAD_AFTER_MS || this.#isRedisAway) return;
    const isNear = Math.abs(time.now - this.#freezeAt) < 250;
    time.after(chance.between(2, isNear ? 25 : 120), () => this.#load(), null);
    this.#sendBatch(Array.from({ length: chance.pick([1, 1, 1, 2]) }, () => this.#item()));
  }

  #item(): SignItem {
    const { chance } = this.#weather;
    const { bot, signs, ledger } = this.#desk;
    const now = Math.floor(ledger.now + this.#time.now);
    const { target, body } = chance.pick(signs[this.#scope]);
    const evidence = evidenceOf(bot, {
      method: 'POST',
      target,
      body: Buffer.from(JSON.stringify(body)),
      timestampMs: now,
      nonce: Uint8Array.from({ length: 8 }, () => Math.floor(chance.between(0, 256))),
    });
    return { submission: this.#randomHex(), receivedAt: now, nonce: 0n, evidence };
  }

  #randomHex(): string {
    const { chance } = this.#weather;
    const byte = () => Math.floor(chance.between(0, 256)).toString(16).padStart(2, '0');
    return Array.from({ length: 16 }, byte).join('');
  }

  /** By a gateway that asks whoever it knows, also over heads that it should know better than. */
  #sendBatch(items: readonly SignItem[]): void {
    const { time, chance, delay, isLost } = this.#weather;
    const replicas = [...this.#replicas.values()];
    const lead = chance.pick(replicas);
    const partner = chance.pick(replicas.filter(({ self }) => self.party !== lead.self.party));
    this.#heads.push(chance.pick(this.#gateways).head());
    const head = chance.happens(0.6) ? this.#heads.at(-1)! : chance.pick(this.#heads);
    const batch = {
      version: 1,
      batchId: this.#randomHex(),
      gatewayId: GATEWAY_ID,
      lead: lead.self,
      partner: partner.self,
      ledgerSeq: head.seq,
      ledgerHash: head.headHash,
      items,
    };
    for (const replica of [lead, partner]) {
      if (isLost()) continue;
      time.after(delay('message'), () => this.#isRedisAway || replica.take(batch), replica.process);
    }
    // the same requests once more, by another pair
    if (chance.happens(0.15)) {
      time.after(chance.between(20, 1_500), () => this.#sendBatch(items), null);
    }
  }

  #freeze(): void {
    const { admin, now: base } = this.#desk.ledger;
    const gateway = this.#weather.chance.pick(this.#gateways);
    const now = Math.floor(base + this.#time.now);
    const evidence = evidenceOf(admin, {
      method: 'POST',
      target: this.#desk.freezes[this.#scope],
      body: Buffer.alloc(0),
      timestampMs: now,
      nonce: Uint8Array.from({ length: 8 }, (_, index) => index),
    });
    this.#time.as(gateway.process, () => {
      void gateway.change(evidence).then(
        (answer) => {
          this.#status = 'status' in answer ? answer.status : undefined;
          this.#answeredAt = this.#time.now;
        },
        () => {
          this.#answeredAt = this.#time.now;
        },
      );
    });
  }
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}
