/**
 * Gives outcomes in the order of the ledger. A statement is settled at once, a change of the vault when it is judged.
 * No outcome is given before those in front of it.
 */
import type { EntryRow } from './entry.js';
import type { EntryFacts, EntryOutcome } from './entry-outcome.js';

interface Settled extends Pick<EntryOutcome, 'at' | 'judgedBy'> {
  readonly facts: EntryFacts;
}

interface Place {
  readonly row: Pick<EntryRow, 'seq' | 'hash' | 'prevHash'>;
  readonly kind: EntryOutcome['kind'];
  settled?: Settled;
}

export interface OutcomeQueue {
  /** Announces the next row of the ledger, whose outcome will come. */
  expect(row: EntryRow, kind: EntryOutcome['kind']): void;
  settle(seq: number, settled: Settled): void;
  /** All outcomes that are settled and not yet given. */
  drain(): EntryOutcome[];
  /** The time by which the newest given outcome is listed, ms. */
  readonly toldAt: number;
  /** Goes on behind an outcome that was listed at this time. */
  resume(at: number): void;
}

export function createOutcomeQueue(): OutcomeQueue {
  let places: Place[] = [];
  let toldAt = 0;
  return {
    expect({ seq, hash, prevHash }, kind) {
      places.push({ row: { seq, hash, prevHash }, kind });
    },
    settle(seq, settled) {
      const place = places[seq - (places[0]?.row.seq ?? 0)];
      if (place?.row.seq !== seq) throw new Error(`entry ${seq} is not expected`);
      place.settled = settled;
    },
    drain() {
      const end = places.findIndex(({ settled }) => settled === undefined);
      const told = end < 0 ? places : places.slice(0, end);
      places = end < 0 ? [] : places.slice(end);
      return told.map(({ row, kind, settled }) => {
        const { facts, at, judgedBy } = settled!;
        toldAt = Math.max(toldAt, at);
        const { refusal, subject } = facts;
        return { ...row, kind, at, listedAt: toldAt, judgedBy, ...facts, refusal, subject };
      });
    },
    get toldAt() {
      return toldAt;
    },
    resume(at) {
      toldAt = at;
    },
  };
}
