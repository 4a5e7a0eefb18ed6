/**
 * What one gateway saw in the last 24 hours: figures by the minute, and what was not as it should be from when to when.
 * It is told by samples, in their order, and asks nobody: no clock, no timer. Memory is bounded.
 */
import type { PartyNumber } from '@countersign/core/parties.js';
import { percentile, totalOf } from '@countersign/runtime/metrics/latency-histogram.js';
import { between, type Looked } from './window.js';

export const TROUBLES = [
  'party_away',
  'pair_left_out',
  'frozen',
  'prices_away',
  'ledger_waits',
  'ledger_unconfirmed',
  'ledger_stopped',
] as const;

/** Something that is not as it should be. Two with the same fields are the same. */
export interface Trouble {
  readonly kind: (typeof TROUBLES)[number];
  /** The parties that it is about; empty for none. */
  readonly parties: readonly PartyNumber[];
  /** Of a freeze. */
  readonly scope?: string;
}

export interface FigureSample {
  /** Counts so far, and when, ms. */
  readonly looked: Looked;
  /** Batches that wait for each party, in order. */
  readonly queued: readonly number[];
  readonly troubles: readonly Trouble[];
}

export interface MinuteFigures {
  /** Its start, ms. */
  readonly at: number;
  /** Requests for signatures, as the next three count them, too. */
  readonly answered: number;
  readonly succeeded: number;
  readonly denied: number;
  readonly failed: number;
  /** ms; undefined where there were no requests. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
  /** The most that waited for each party. */
  readonly queued: readonly number[];
}

export interface TroubleSpan extends Trouble {
  /** Of the first and the last sample that showed it, ms; `to` is undefined while it lasts. */
  readonly from: number;
  readonly to: number | undefined;
}

export interface FigureHistory {
  note(sample: FigureSample): void;
  /** Oldest first; the last is the one that has begun. A minute without a sample is left out. */
  minutes(): readonly MinuteFigures[];
  /** Newest first. */
  troubles(): readonly TroubleSpan[];
}

export const MINUTE_MS = 60_000;
export const MOST_MINUTES = 24 * 60;
export const MOST_TROUBLES = 200;

interface OpenMinute {
  readonly at: number;
  /** Before its first sample. */
  readonly before: Looked;
  readonly after: Looked;
  readonly queued: readonly number[];
}

/** `start`: counts at the start of the gateway. */
export function createFigureHistory(start: Looked): FigureHistory {
  const closed: MinuteFigures[] = [];
  let open: OpenMinute | undefined;
  let spans: TroubleSpan[] = [];
  return {
    note({ looked, queued, troubles }) {
      const at = Math.floor(looked.at / MINUTE_MS) * MINUTE_MS;
      if (open !== undefined && at > open.at) {
        closed.push(figuresOf(open));
        if (closed.length >= MOST_MINUTES) closed.shift();
        open = { at, before: open.after, after: looked, queued };
      } else {
        open = {
          at: open?.at ?? at,
          before: open?.before ?? start,
          after: looked,
          queued: queued.map((count, place) => Math.max(count, open?.queued[place] ?? 0)),
        };
      }
      spans = withTroubles(spans, troubles, looked.at);
    },
    minutes: () => (open === undefined ? closed : [...closed, figuresOf(open)]),
    troubles: () => spans.toReversed(),
  };
}

function figuresOf({ at, before, after, queued }: OpenMinute): MinuteFigures {
  const { latency, results } = between(before, after);
  const ms = (share: number) => percentile(latency, share);
  return {
    at,
    answered: totalOf(latency),
    ...results,
    ...{ p50: ms(0.5), p95: ms(0.95), p99: ms(0.99) },
    queued,
  };
}

/** Oldest first. What lasts goes on, what is over ends now, what is new begins now. */
function withTroubles(
  spans: readonly TroubleSpan[],
  troubles: readonly Trouble[],
  at: number,
): TroubleSpan[] {
  const present = new Map(troubles.map((trouble) => [nameOf(trouble), trouble]));
  const known = spans.map((span) => {
    if (span.to !== undefined || present.delete(nameOf(span))) return span;
    return { ...span, to: at };
  });
  const begun = [...present.values()].map((trouble) => ({ ...trouble, from: at, to: undefined }));
  return [...known, ...begun].slice(-MOST_TROUBLES);
}

function nameOf({ kind, parties, scope = '' }: Trouble): string {
  return `${kind} ${parties.join()} ${scope}`;
}
