import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { commonVersion, SPOKEN, type SpokenVersions } from '@countersign/runtime/jobs/protocol.js';
import {
  isRecent,
  watchRenewals,
  type LookedAt,
  type RenewedPresence,
} from '@countersign/runtime/jobs/renewed-presence.js';
import {
  canSign,
  replicaId,
  type PartyTrouble,
  type PresenceEntry,
  type Replica,
} from '@countersign/runtime/jobs/replica.js';

/** A party can invent any number of replicas; this many of each are kept. */
const MAX_REPLICAS = 16;
/** A replica that gave no answer is not asked for so long if there are others, ms. */
const SUSPECT_MS = 2_000;
/** A replica that answered counts as real until so many batches in a row came to nothing. */
const FAILURES_UNTIL_UNPROVEN = 3;
/** Pause between trials of a party's unproven replicas if another of its replicas has answered, ms. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Signatures of unknown replicas that are checked in one look. */
const MAX_CHECKS = 64;

interface Seen {
  readonly replica: Replica;
  readonly isPrimary: boolean;
  readonly spoken: SpokenVersions;
  /** When Redis first reported the replica, and when it last renewed its word; ms, by the monotonic clock. */
  readonly firstSeenAt: number;
  renewedAt: number;
  /** Whether it has answered: that is worth more than what Redis says of others. */
  isProven: boolean;
  failures: number;
  suspectUntil: number;
}

export interface ReplicaFigures {
  readonly party: PartyNumber;
  readonly name: string;
  readonly isPrimary: boolean;
  /** Whether it has answered a batch, and has not failed again and again since. */
  readonly isProven: boolean;
  /** Batches in a row that came to nothing. */
  readonly failures: number;
  /** Since it last renewed its word. */
  readonly heardMsAgo: number;
}

interface PartySeen {
  /** By replica id. */
  readonly replicas: Map<string, Seen>;
  /** When an unproven replica may be tried next. */
  tryAt: number;
  pauseMs: number;
}

/** A party's replicas to choose from. `newcomer`: one that is due for a trial, and may not exist. */
export interface Candidates {
  readonly party: PartyNumber;
  readonly replicas: readonly Replica[];
  readonly newcomer: Replica | undefined;
}

/**
 * The replicas that are taken to be alive. What Redis says of a replica counts only with its party's signature. Since a
 * party can sign for as many as it likes, few of each are believed, and those that answered come first. One that has
 * not answered yet gets a single batch now and then.
 */
export class SeenReplicas {
  readonly #parties: ReadonlyMap<PartyNumber, PartySeen> = new Map(
    PARTY_NUMBERS.map((party) => [
      party,
      { replicas: new Map<string, Seen>(), tryAt: 0, pauseMs: FIRST_PAUSE_MS },
    ]),
  );
  readonly #isGenuine: (entry: PresenceEntry) => boolean;
  readonly #spoken: SpokenVersions;
  /** The last trouble of a replica of a party, and when, ms, by the monotonic clock. */
  readonly #troubles = new Map<PartyNumber, { trouble: PartyTrouble; renewedAt: number }>();
  readonly #renewals = watchRenewals();
  #looks = 0;
  #checks = 0;

  /** `isGenuine`: whether its party has signed it. `spoken`: by this gateway. */
  constructor(isGenuine: (entry: PresenceEntry) => boolean, spoken = SPOKEN) {
    this.#isGenuine = isGenuine;
    this.#spoken = spoken;
  }

  /**
   * Adds what Redis says now, and drops replicas that renewed their word too long ago. They are remembered between
   * looks, so that a Redis that forgets does not make every party look dead.
   *
   * @param entries the presence hash; a field that does not parse is left out
   */
  look(entries: Readonly<Record<string, string>>, at: LookedAt): void {
    const said = inTurn(this.#renewals.look(entries, at), this.#looks++ * MAX_REPLICAS);
    this.#checks = 0;
    for (const one of said) {
      const { entry, renewedAt } = one;
      const { replica, spoken } = entry;
      const isForeign = commonVersion(spoken, this.#spoken) === undefined;
      const trouble = isForeign ? 'other_release' : entry.trouble;
      if (trouble !== undefined) this.#troubles.set(replica.party, { trouble, renewedAt });
      if (canSign({ trouble })) this.#note(one, at.elapsed);
    }
    for (const { replicas } of this.#parties.values()) {
      for (const [id, { renewedAt }] of replicas) {
        if (!isRecent(renewedAt, at.elapsed)) replicas.delete(id);
      }
    }
  }

  isAlive(party: PartyNumber): boolean {
    return this.#parties.get(party)!.replicas.size > 0;
  }

  /** Why a replica of the party is left out: a hint, which nobody has signed. `elapsed`: as for a look. */
  troubleOf(party: PartyNumber, elapsed: number): PartyTrouble | undefined {
    const said = this.#troubles.get(party);
    return said !== undefined && isRecent(said.renewedAt, elapsed) ? said.trouble : undefined;
  }

  /** The newest version of the protocol that this gateway and all these replicas speak; undefined if there is none. */
  versionOf(...replicas: readonly Replica[]): number | undefined {
    const spoken = replicas.map((replica) => this.#find(replica)?.spoken);
    return spoken.every((one) => one !== undefined)
      ? commonVersion(this.#spoken, ...spoken)
      : undefined;
  }

  /** In the order of the parties. `elapsed`: as for a look. */
  figures(elapsed: number): ReplicaFigures[] {
    return PARTY_NUMBERS.flatMap((party) =>
      [...this.#parties.get(party)!.replicas.values()].map(
        ({ replica: { name }, isPrimary, isProven, failures, renewedAt }) => {
          return { party, name, isPrimary, isProven, failures, heardMsAgo: elapsed - renewedAt };
        },
      ),
    );
  }

  /** Candidates of the parties that have any, in the order of the parties. `now`: ms, here and below. */
  candidates(now: number): Candidates[] {
    return PARTY_NUMBERS.flatMap((party) => {
      const { replicas, tryAt } = this.#parties.get(party)!;
      const all = [...replicas.values()];
      if (all.length === 0) return [];
      const proven = all.filter(({ isProven }) => isProven);
      const chosen = unsuspected(proven.length > 0 ? proven : likeliest(all), now);
      const newcomer =
        proven.length === 0 || now < tryAt ? undefined : all.find(({ isProven }) => !isProven);
      return [
        { party, replicas: chosen.map(({ replica }) => replica), newcomer: newcomer?.replica },
      ];
    });
  }

  /** Notes that a trial leaves for a replica that has not answered yet, of a party that has others. */
  beginTrial({ party }: Replica, now: number): void {
    const seen = this.#parties.get(party)!;
    seen.tryAt = now + seen.pauseMs;
    seen.pauseMs = Math.min(seen.pauseMs * 2, MAX_PAUSE_MS);
  }

  noteAnswer(replica: Replica): void {
    const party = this.#parties.get(replica.party)!;
    const seen = this.#find(replica);
    if (seen === undefined) return;
    if (!seen.isProven) party.pauseMs = FIRST_PAUSE_MS;
    seen.isProven = true;
    seen.failures = 0;
    seen.suspectUntil = 0;
  }

  noteFailure(replica: Replica, now: number): void {
    const { replicas } = this.#parties.get(replica.party)!;
    const seen = replicas.get(replicaId(replica));
    if (seen === undefined) return;
    seen.failures += 1;
    seen.suspectUntil = now + SUSPECT_MS;
    const allowed = hasSuccessor(replicas, seen) ? 1 : FAILURES_UNTIL_UNPROVEN;
    if (seen.failures >= allowed) seen.isProven = false;
  }

  #find(replica: Replica): Seen | undefined {
    return this.#parties.get(replica.party)!.replicas.get(replicaId(replica));
  }

  #note({ entry, renewedAt }: RenewedPresence, elapsed: number): void {
    const { replica } = entry;
    const { replicas } = this.#parties.get(replica.party)!;
    // somebody may announce another process under its name: one that answered stays alive while it answers
    for (const seen of replicas.values()) {
      if (seen.isProven && seen.replica.name === replica.name) {
        seen.renewedAt = Math.max(seen.renewedAt, renewedAt);
      }
    }
    const id = replicaId(replica);
    const known = replicas.get(id);
    if (known !== undefined) {
      known.renewedAt = Math.max(known.renewedAt, renewedAt);
    } else if (this.#check(entry) && makeRoom(replicas)) {
      replicas.set(id, {
        replica,
        isPrimary: entry.isPrimary,
        spoken: entry.spoken,
        firstSeenAt: elapsed,
        renewedAt,
        isProven: false,
        failures: 0,
        suspectUntil: 0,
      });
    }
  }

  #check(entry: PresenceEntry): boolean {
    this.#checks += 1;
    return this.#checks <= MAX_CHECKS && this.#isGenuine(entry);
  }
}

/**
 * Whether another process has its name. A replica that restarted has such a successor, but anybody who has an old
 * process's word can also announce one.
 */
function hasSuccessor(replicas: Map<string, Seen>, seen: Seen): boolean {
  const { name } = seen.replica;
  return [...replicas.values()].some((other) => other !== seen && other.replica.name === name);
}

/** Whether there is room for another replica: one that has failed and never answered is removed for it. */
function makeRoom(replicas: Map<string, Seen>): boolean {
  if (replicas.size < MAX_REPLICAS) return true;
  for (const [id, { isProven, failures }] of replicas) {
    if (!isProven && failures > 0) return replicas.delete(id);
  }
  return false;
}

/** Of replicas that never answered: those that failed least, and of these the ones that were seen first. */
function likeliest(replicas: readonly Seen[]): readonly Seen[] {
  const failures = Math.min(...replicas.map((seen) => seen.failures));
  const least = replicas.filter((seen) => seen.failures === failures);
  const first = Math.min(...least.map(({ firstSeenAt }) => firstSeenAt));
  return least.filter(({ firstSeenAt }) => firstSeenAt === first);
}

/** Those that did not fail a moment ago, if there are any. */
function unsuspected(replicas: readonly Seen[], now: number): readonly Seen[] {
  const trusted = replicas.filter(({ suspectUntil }) => suspectUntil <= now);
  return trusted.length > 0 ? trusted : replicas;
}

/** Starts from another item each time: among many invented ones every item gets its turn. */
function inTurn<Item>(items: readonly Item[], start: number): readonly Item[] {
  const at = items.length === 0 ? 0 : start % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
