/**
 * Which replicas of which parties are alive, as they say in Redis, and how well they work together. It is a hint for
 * choosing whom to ask: whoever forges it gains nothing but a delay.
 */
import { PRESENCE_KEY } from '@countersign/runtime/jobs/names.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { isSignedByParty, type PartyTrouble } from '@countersign/runtime/jobs/replica.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { Redis } from 'ioredis';
import {
  choosePair,
  chooseSteadyPair,
  isSamePair,
  type Choice,
  type Pair,
  type Steady,
} from './choose-pair.js';
import { PairBreakers, type BatchNote, type PairFigures } from './pair-breakers.js';
import { SeenReplicas, type ReplicaFigures } from './seen-replicas.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

const REFRESH_MS = 500;
/** At its start a gateway looks more often for so long while a party is missing: a vault's start waits for that. */
const SOON_MS = 50;
const SETTLING_MS = 10_000;

export interface Presence {
  isAlive(party: PartyNumber): boolean;
  /** Why the party is left out, if one of its replicas can be heard. */
  troubleOf(party: PartyNumber): PartyTrouble | undefined;
  /** The newest version of the protocol that this gateway and both replicas speak; undefined if there is none. */
  versionOf(pair: Pair): number | undefined;
  /** Replicas that are taken to be alive. */
  readonly replicas: readonly ReplicaFigures[];
  /** Figures on how each two parties worked together. */
  readonly pairs: readonly PairFigures[];
  /**
   * A lead and a partner, of two parties. They change with each call, except for requests that want a steady pair.
   * Undefined with fewer than two alive. `mayTry`: whether a trial is allowed; default true.
   */
  choosePair(steady?: Steady, mayTry?: boolean): Choice | undefined;
  /** Whether these requests want the same steady pair. */
  isPairOf(pair: Pair, steady: Steady): boolean;
  /** Notes how a batch ended for which this pair was chosen. */
  note(pair: Choice, note: BatchNote): void;
  stop(): void;
}

export interface PresenceDeps {
  readonly redis: Pick<Redis, 'hgetall'>;
  readonly now: () => number;
  /** This process's own monotonic clock, ms. */
  readonly elapsed: () => number;
  /** The parties and genesis, as this gateway has folded them. */
  readonly vault: () => Pick<VaultState, 'parties' | 'genesisHash'>;
  /** Called after each look, even if nothing has changed. */
  onChange(): void;
}

/** Looks at once and then at intervals. */
export function openPresence({ redis, now, elapsed, vault, onChange }: PresenceDeps): Presence {
  const seen = new SeenReplicas((entry) => isSignedByParty(entry, vault()));
  const parties = createPartyChoice(seen, elapsed);

  async function refresh(): Promise<void> {
    const entries = await redis.hgetall(PRESENCE_KEY).catch(() => ({}));
    seen.look(entries, { now: now(), elapsed: elapsed() });
    onChange();
  }

  let settledBy = elapsed() + SETTLING_MS;
  let soon: NodeJS.Timeout | undefined;
  async function settle(): Promise<void> {
    await refresh();
    if (elapsed() >= settledBy || PARTY_NUMBERS.every((party) => seen.isAlive(party))) return;
    soon = setTimeout(() => void settle(), SOON_MS);
  }

  void settle();
  const ticks = openTicks(REFRESH_MS, () => void refresh());
  return {
    isAlive: (party) => seen.isAlive(party),
    troubleOf: (party) => seen.troubleOf(party, elapsed()),
    get replicas() {
      return seen.figures(elapsed());
    },
    ...parties,
    get pairs() {
      return parties.pairs;
    },
    stop() {
      settledBy = 0;
      clearTimeout(soon);
      ticks.stop();
    },
  };
}

/** Chooses pairs by how earlier batches ended. `elapsed`: the monotonic clock by which batches were launched. */
export function createPartyChoice(
  seen: SeenReplicas,
  elapsed: () => number,
): Pick<Presence, 'choosePair' | 'isPairOf' | 'note' | 'pairs' | 'versionOf'> {
  const breakers = new PairBreakers();
  let turn = 0;

  const choosingAt = (at: number) => ({
    candidates: seen.candidates(at),
    breaker: (a: PartyNumber, b: PartyNumber) => breakers.breaker(a, b, at),
  });

  return {
    get pairs() {
      return breakers.pairs(elapsed());
    },
    versionOf: ({ lead, partner }) => seen.versionOf(lead, partner),
    isPairOf: (pair, steady) => isSamePair(pair, chooseSteadyPair(choosingAt(elapsed()), steady)),
    choosePair(steady, mayTry = true) {
      const at = elapsed();
      const choosing = choosingAt(at);
      const steadyPair = steady && chooseSteadyPair(choosing, steady);
      if (steady?.mayTry === false) return steadyPair;
      turn += 1;
      const choice = choosePair({ ...choosing, turn, mayTry });
      if (steady !== undefined && choice?.trial === undefined) return steadyPair;
      if (choice?.trial === 'lead') seen.beginTrial(choice.lead, at);
      if (choice?.trial === 'pair')
        breakers.beginTrial(choice.lead.party, choice.partner.party, at);
      return choice;
    },
    note({ lead, partner, trial }, note) {
      const isNobody = trial === 'lead' && note.end !== 'answered';
      if (isNobody) return seen.noteFailure(lead, elapsed());
      for (const replica of [lead, partner]) {
        if (note.end === 'answered') seen.noteAnswer(replica);
        if (note.end === 'lost') seen.noteFailure(replica, elapsed());
      }
      if (note.isPartnerAtFault) seen.noteFailure(partner, elapsed());
      breakers.note(lead.party, partner.party, note, elapsed());
    },
  };
}
