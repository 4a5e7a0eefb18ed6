/**
 * Tells which entries in the hash of presences are renewed. A reader measures that by its own monotonic clock: the
 * clocks of two hosts differ, and one may have been set. The time in an entry counts only where nothing else is known.
 */
import { PRESENCE_TTL_MS } from './names.js';
import { parsePresence, type PresenceEntry } from './replica.js';

/** The moment of a look. */
export interface LookedAt {
  /** ms, by this host's clock. */
  readonly now: number;
  /** ms, by this process's own monotonic clock. */
  readonly elapsed: number;
}

/** The entry of a replica that is taken to be alive. */
export interface RenewedPresence {
  readonly entry: PresenceEntry;
  /** ms, by this process's own monotonic clock. */
  readonly renewedAt: number;
}

export interface Renewals {
  /**
   * The entries that were renewed in the last seconds, in the order of the fields.
   *
   * @param entries the presence hash; a field that does not parse is left out
   */
  look(entries: Readonly<Record<string, string>>, at: LookedAt): RenewedPresence[];
}

interface Word {
  readonly value: string;
  /** As for an entry; without bound in the past while nobody knows. */
  readonly renewedAt: number;
}

export function watchRenewals(): Renewals {
  let words: ReadonlyMap<string, Word> = new Map();
  let lookedAt = Number.NEGATIVE_INFINITY;

  function wordOf(field: string, value: string, seenAt: number, at: LookedAt): Word {
    const known = words.get(field);
    if (known?.value === value) return known;
    const isWatched = known !== undefined && at.elapsed - lookedAt < PRESENCE_TTL_MS;
    return { value, renewedAt: isWatched ? at.elapsed : firstSight(seenAt, at) };
  }

  return {
    look(entries, at) {
      const parsed = Object.entries(entries).flatMap(([field, value]) => {
        const entry = parsePresence(field, value);
        return entry === undefined
          ? []
          : { field, entry, word: wordOf(field, value, entry.seenAt, at) };
      });
      // a Redis that did not answer, or was emptied, says nothing of what was there
      if (parsed.length > 0) {
        words = new Map(parsed.map(({ field, word }) => [field, word]));
        lookedAt = at.elapsed;
      }
      return parsed
        .map(({ entry, word: { renewedAt } }) => ({ entry, renewedAt }))
        .filter(({ renewedAt }) => isRecent(renewedAt, at.elapsed));
    },
  };
}

/**
 * An entry whose time is near ours counts at once: a start waits for nobody whose clock is right. Any other counts from
 * its first change on, as it may be the last word of a replica that is dead.
 */
function firstSight(seenAt: number, { now, elapsed }: LookedAt): number {
  const isNear = Math.abs(now - seenAt) < PRESENCE_TTL_MS;
  return isNear ? elapsed - Math.max(0, now - seenAt) : Number.NEGATIVE_INFINITY;
}

/** Whether what was renewed at a moment counts still. Both: ms, by this process's own monotonic clock. */
export function isRecent(renewedAt: number, elapsed: number): boolean {
  return elapsed - renewedAt < PRESENCE_TTL_MS;
}
