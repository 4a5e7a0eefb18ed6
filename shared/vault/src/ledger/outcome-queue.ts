/**
 * Gives outcomes in the order of the ledger. A statement is settled at once, a change of the vault when it is judged.
 * No outcome is given before those in front of it.
 */
import type { EntryRow } from './entry.js';
import type { EntryOutcome, Place, Settled } from './entry-outcome.js';

export class OutcomeQueue {
  #places: Place[] = [];
  #toldAt = 0;

  /** The time by which the newest given outcome is listed, ms. */
  get toldAt(): number {
    return this.#toldAt;
  }

  /** Goes on behind an outcome that was listed at this time. */
  resume(at: number): void {
    this.#toldAt = at;
  }

  /** Announces the next row of the ledger, whose outcome will come. */
  expect({ seq, hash, prevHash }: EntryRow, kind: EntryOutcome['kind']): void {
    this.#places.push({ row: { seq, hash, prevHash }, kind });
  }

  settle(seq: number, settled: Settled): void {
    const place = this.#places[seq - (this.#places[0]?.row.seq ?? 0)];
    if (place?.row.seq !== seq) throw new Error(`entry ${seq} is not expected`);
    place.settled = settled;
  }

  /** All outcomes that are settled and not yet given. */
  drain(): EntryOutcome[] {
    const end = this.#places.findIndex(({ settled }) => settled === undefined);
    const told = this.#places.splice(0, end < 0 ? this.#places.length : end);
    return told.map(({ row, kind, settled }) => {
      const { facts, at, judgedBy } = settled!;
      this.#toldAt = Math.max(this.#toldAt, at);
      const { refusal, subject } = facts;
      return { ...row, kind, at, listedAt: this.#toldAt, judgedBy, ...facts, refusal, subject };
    });
  }
}
