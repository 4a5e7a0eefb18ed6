/**
 * The world of the model: a lying store and a lying Redis, two gateways, three parties of which one may lie, and clocks
 * that differ by a little. Everything that happens is one of the world's moves (`moves.ts`).
 */
import { jest } from '@jest/globals';
import { toHex } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  acknowledgementMessage,
  countersignatureMessage,
} from '@countersign/core/party-statements.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import {
  encodeAcknowledgement,
  encodeCountersignature,
} from '@countersign/vault/ledger/write-entry.js';
import { BrokenChainError } from '@countersign/vault/ledger/ledger-errors.js';
import { WrongLedgerError } from '@countersign/runtime/ledger/followed-fold.js';
import { isObeyed } from '../../gateway/src/requests/obeyed-freeze.js';
import type { Contribution } from '../../signer/src/channel/messages.js';
import type { RecordEntry } from '../../signer/src/records/record-entry.js';
import { ForgetfulDisk, modelRules, pinnedFor, type DroppedRule } from './dropped-rules.js';
import { noHappenings, type Judged, type Standpoint } from './happenings.js';
import { isUpTo, LyingStore, type Place } from './lying-store.js';
import { openModelFollower, type ModelFollower } from './model-follower.js';
import { openModelParty, type ModelParty } from './model-party.js';
import { askForSignature, signAs, type ModelRequest, type ModelVault } from './model-vault.js';

/** One of `n`: by a seed, or each in its turn. */
export type Pick = (n: number) => number;

export interface WorldOptions {
  readonly vault: ModelVault;
  readonly pick: Pick;
  readonly liar?: PartyNumber | undefined;
  readonly dropped?: DroppedRule | undefined;
  /** How often what takes time is interrupted: once in so many times; 0 for never. */
  readonly interruptions: number;
}

/** A place where a process of the vault runs, one after the other. */
interface Host {
  readonly disk: ForgetfulDisk;
  /** Undefined while it does not come up. */
  follower: ModelFollower | undefined;
}

export interface PartyHost extends Host {
  readonly party: PartyNumber;
  /** Ms, as everywhere. */
  skew: number;
  readonly newestRules: number;
  process: ModelParty | undefined;
}

export interface GatewayHost extends Host {
  /** Judged and accepted, with when somebody first asked for it. */
  readonly waiting: Map<Place, { readonly request: ModelRequest; since: number | undefined }>;
}

export type Message =
  | {
      readonly kind: 'contribution';
      readonly to: Replica;
      readonly batch: SignBatch;
      readonly contribution: Contribution;
    }
  | { readonly kind: 'finished'; readonly to: Replica; readonly batch: SignBatch };

export class World {
  readonly store = new LyingStore();
  readonly happened = noHappenings();
  readonly parties: PartyHost[] = [];
  readonly gateways: GatewayHost[] = [];
  readonly requests: ModelRequest[] = [];
  /** Rows that parties gave to the store, which has placed none of them yet. */
  readonly loose: Uint8Array[] = [];
  readonly messages: Message[] = [];
  readonly held: { readonly what: string; go(): void }[] = [];
  readonly trace: string[] = [];
  readonly options: WorldOptions;
  /** The branch that most are shown. */
  main: Place;
  readonly #requestOf = new Map<Uint8Array, ModelRequest>();
  /** By the batch. */
  readonly #contributed = new Map<string, Standpoint>();
  readonly #batches = new Map<string, SignBatch>();

  constructor(options: WorldOptions) {
    this.options = options;
    let main: Place | undefined;
    for (const { body } of options.vault.rows) main = this.store.append(main, body);
    this.main = main!;
  }

  get pick(): Pick {
    return this.options.pick;
  }

  async open(): Promise<void> {
    const { liar, dropped, vault } = this.options;
    jest.setSystemTime(vault.madeAt + 1_000);
    const disk = () => new ForgetfulDisk(pinnedFor(dropped));
    for (const party of PARTY_NUMBERS) {
      if (party === liar) continue;
      const host: PartyHost = {
        party,
        disk: disk(),
        skew: (this.pick(3) - 1) * MAX_SKEW_MS,
        newestRules: 1 + this.pick(2),
        follower: undefined,
        process: undefined,
      };
      this.parties.push(host);
      await this.startParty(host);
    }
    for (let count = 0; count < 2; count += 1) {
      const host: GatewayHost = { disk: disk(), follower: undefined, waiting: new Map() };
      this.gateways.push(host);
      await this.startGateway(host);
    }
  }

  close(): void {
    for (const { process } of this.parties) process?.die();
    jest.clearAllTimers();
  }

  /** Everything that can happen without time going by happens. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  async passTime(ms: number): Promise<void> {
    const inSteps = Math.min(ms, LONGEST_TIMER_MS);
    const step = ms < LONGEST_TIMER_MS ? 250 : 1_000;
    for (let passed = 0; passed < inSteps; passed += step) {
      jest.advanceTimersByTime(Math.min(step, inSteps - passed));
      await this.settle();
    }
    jest.setSystemTime(Date.now() + ms - inSteps);
  }

  note(text: string): void {
    this.trace.push(text);
  }

  sign(request: ModelRequest): void {
    this.requests.push(request);
    this.#requestOf.set(request.body, request);
  }

  append(at: Place, body: Uint8Array): Place {
    const place = this.store.append(at, body);
    if (at === this.main) this.main = place;
    return place;
  }

  /** Shows a log to a node, which reads it at once. */
  async show(host: PartyHost | GatewayHost, place: Place): Promise<void> {
    const { follower } = host;
    if (follower === undefined) return;
    const isElsewhere = !isUpTo(headOf(this, follower), place);
    if (isElsewhere && this.options.dropped === 'a node follows only what extends its head') {
      host.disk.pin = undefined;
      await this.restart(host, place);
      return;
    }
    follower.shown = place;
    await follower.catchUp().catch((error: unknown) => this.#seeStop(error));
    await this.settle();
  }

  async restart(host: PartyHost | GatewayHost, shown: Place): Promise<void> {
    await ('party' in host ? this.startParty(host, shown) : this.startGateway(host, shown));
  }

  async startParty(host: PartyHost, shown = this.main): Promise<void> {
    host.process?.die();
    host.process = undefined;
    const now = () => Date.now() + host.skew;
    const follower = await this.#follow(host, shown, now, () => undefined);
    if (follower === undefined) return;
    const self = startReplica(host.party, 'model');
    host.process = openModelParty({
      ...this.options,
      self,
      follower,
      newestRules: host.newestRules,
      isAlwaysCleared:
        this.options.dropped === 'a freeze is acknowledged once nothing older is under way',
      now,
      hold: (what) => this.#hold(`${what}, party ${host.party}`),
      deeds: {
        says: (body) => this.#hearParty(host, body),
        contributes: (_to, batchId, contribution) => this.#hearPartner(host, batchId, contribution),
        commits: (entries) => this.#seeCommit(host, entries),
        tells: (batch, outcomes) => {
          if (outcomes.some(({ outcome }) => outcome === 'signed')) {
            this.#seeSignature(batch, host);
          }
          this.messages.push({ kind: 'finished', to: batch.partner, batch });
        },
      },
    });
    await this.settle();
  }

  async startGateway(host: GatewayHost, shown = this.main): Promise<void> {
    host.waiting.clear();
    await this.#follow(
      host,
      shown,
      () => Date.now(),
      (judged) => {
        for (const { place, request, outcome } of judged) {
          if (outcome.refusal === undefined) host.waiting.set(place, { request, since: undefined });
        }
      },
    );
  }

  /** Whether the gateway answers anybody who waits. */
  ask({ follower, waiting }: GatewayHost): void {
    if (follower === undefined) return;
    for (const [place, entry] of waiting) {
      const { request } = entry;
      entry.since ??= Date.now();
      const ageMs = Date.now() - entry.since;
      if (request.isFreeze && !isObeyed(follower.view, place.row.seq, ageMs)) continue;
      waiting.delete(place);
      this.note(`answered: ${request.name}`);
      this.happened.inOrder.push({ kind: 'answered', place, request });
    }
  }

  /** A gateway names a pair and a head. */
  batchFor(lead: Replica, partner: Replica, named: Place): SignBatch {
    const { vault } = this.options;
    const batch: SignBatch = {
      version: 1,
      batchId: submissionOf(this.#batches.size),
      gatewayId: 'model',
      lead,
      partner,
      ledgerSeq: named.row.seq,
      ledgerHash: toHex(named.row.hash),
      items: [
        {
          submission: submissionOf(this.#batches.size),
          receivedAt: Date.now(),
          nonce: 0n,
          evidence: askForSignature(vault, Date.now()),
        },
      ],
    };
    this.#batches.set(batch.batchId, batch);
    return batch;
  }

  deliver(message: Message): void {
    const { to, batch } = message;
    const process = this.parties.find(({ party }) => party === to.party)?.process;
    if (to.party === this.options.liar && message.kind === 'contribution') {
      // a lying lead needs no more than this
      if (message.contribution.parts.some(({ kind }) => kind === 'contributed'))
        this.#seeSignature(batch);
      return;
    }
    if (process?.self.boot !== to.boot) return;
    if (message.kind === 'finished') process.finish(batch.lead, batch.batchId);
    else process.lead(batch, message.contribution);
  }

  /** The liar's part for a batch: as an honest party gives it that knows the log up to the named head alone. */
  async lieAsPartner(batch: SignBatch): Promise<void> {
    const { options, store } = this;
    const named = this.placeOf(batch.ledgerHash);
    const now = () => Date.now();
    const follower = await openModelFollower({
      ...this.options,
      store,
      rules: modelRules(options.dropped),
      disk: { pin: undefined },
      shown: named,
      now,
      onOutcomes: () => undefined,
      pin: () => undefined,
    });
    const nothing = () => undefined;
    const liar = openModelParty({
      ...this.options,
      self: batch.partner,
      follower,
      newestRules: 1,
      isAlwaysCleared: true,
      now,
      hold: async () => undefined,
      deeds: {
        says: nothing,
        contributes: (to, _id, contribution) =>
          this.messages.push({ kind: 'contribution', to, batch, contribution }),
        commits: nothing,
        tells: nothing,
      },
    });
    liar.partner(batch);
    await this.settle();
    liar.die();
  }

  /** A statement of the liar about any place, at any time, by any rules. */
  lie(party: PartyNumber, { row }: Place, at: number, rules: number): void {
    const { genesisHash } = this.options.vault;
    const statement = { party, seq: row.seq, hash: row.hash, at, rules, newestRules: rules };
    const signature = signAs(party, countersignatureMessage(statement, genesisHash));
    this.loose.push(encodeCountersignature(at, { ...statement, signature }));
  }

  lieThatItObeys(party: PartyNumber, { row }: Place): void {
    const statement = { party, seq: row.seq, hash: row.hash };
    const signature = signAs(
      party,
      acknowledgementMessage(statement, this.options.vault.genesisHash),
    );
    this.loose.push(encodeAcknowledgement(Date.now(), { ...statement, signature }));
  }

  /** `hash`: hex. */
  placeOf(hash: string): Place {
    const place = this.store.find(hash);
    if (place === undefined) throw new Error('a place that nobody made');
    return place;
  }

  async #follow(
    host: PartyHost | GatewayHost,
    shown: Place,
    now: () => number,
    listen: (judged: readonly Judged[]) => void,
  ): Promise<ModelFollower | undefined> {
    const { vault, dropped } = this.options;
    host.follower = undefined;
    try {
      host.follower = await openModelFollower({
        vault,
        store: this.store,
        disk: host.disk,
        shown,
        rules: modelRules(dropped),
        now,
        onOutcomes: (outcomes) => listen(this.#hearOutcomes(outcomes)),
        pin: (_disk, pin) => host.disk.write(pin),
        isBlindToHashes: dropped === 'a pair signs over one head',
      });
    } catch (error) {
      this.#seeStop(error);
    }
    return host.follower;
  }

  /** Another log than the one it knows may end a node, and nothing else. */
  #seeStop(error: unknown): void {
    if (error instanceof WrongLedgerError || error instanceof BrokenChainError) return;
    this.happened.faults.push(error as Error);
  }

  #hearOutcomes(outcomes: readonly EntryOutcome[]): Judged[] {
    const judged = outcomes.flatMap((outcome) => {
      const place = this.placeOf(toHex(outcome.hash));
      const request = this.#requestOf.get(place.row.body);
      if (request === undefined || outcome.judgedBy === undefined) return [];
      return [{ place, request, outcome }];
    });
    this.happened.judged.push(...judged);
    return judged;
  }

  #hearParty({ party, disk }: PartyHost, body: Uint8Array): void {
    const { content } = decodeEntryBody(body);
    if (content.kind === 'countersignature') {
      disk.use('statements');
      const { hash, at, rules } = content.statement;
      this.happened.statements.push({ party, head: this.placeOf(toHex(hash)), at, rules });
      this.note(`party ${party} countersigns ${content.statement.seq}`);
    }
    if (content.kind === 'acknowledgement') {
      const head = this.placeOf(toHex(content.statement.hash));
      this.happened.inOrder.push({ kind: 'obeyed', party, head });
      this.note(`party ${party} obeys up to ${content.statement.seq}`);
    }
    this.loose.push(body);
  }

  #hearPartner(
    { party, disk, follower }: PartyHost,
    batchId: string,
    contribution: Contribution,
  ): void {
    const batch = this.#batches.get(batchId)!;
    this.messages.push({ kind: 'contribution', to: batch.lead, batch, contribution });
    if (!contribution.parts.some(({ kind }) => kind === 'contributed')) return;
    disk.use('signatures');
    const named = this.placeOf(batch.ledgerHash);
    const head = headOf(this, follower!);
    this.#contributed.set(batchId, { party, head });
    this.happened.inOrder.push({ kind: 'contributed', party, named, head });
    this.note(`party ${party} contributes to batch ${batchId} over ${named.row.seq}`);
  }

  #seeCommit(host: PartyHost, entries: readonly RecordEntry[]): void {
    for (const { result } of entries) {
      if (result?.outcome.outcome !== 'signed') continue;
      const batch = this.#batches.get(result.outcome.submission)!;
      this.#seeSignature(batch, host);
    }
  }

  /** `lead`: an honest one. */
  #seeSignature(batch: SignBatch, lead?: PartyHost): void {
    lead?.disk.use('signatures');
    const named = this.placeOf(batch.ledgerHash);
    const partner = this.#contributed.get(batch.batchId);
    const own = lead?.follower && { party: lead.party, head: headOf(this, lead.follower) };
    this.note(`batch ${batch.batchId} is signed over ${named.row.seq}`);
    this.happened.inOrder.push({ kind: 'signed', named, lead: own, partner });
  }

  async #hold(what: string): Promise<void> {
    const { interruptions } = this.options;
    if (interruptions === 0 || this.pick(interruptions) > 0) return;
    this.note(`held: ${what}`);
    await new Promise<void>((go) => this.held.push({ what, go }));
  }
}

/** Between the fastest clock and the slowest lies less than what is left of a contribution's life. */
const MAX_SKEW_MS = 500;
/** Every timer of a party has rung by then. */
const LONGEST_TIMER_MS = 12_000;

/** 16 bytes, hex. */
function submissionOf(count: number): string {
  return count.toString(16).padStart(32, '0');
}

export function headOf(world: World, { view }: ModelFollower): Place {
  return world.placeOf(view.state.headHash);
}
