/** What a screen remembers of figures that come one after the other. */
import type { OperationValue } from '@countersign/client/operation-calls.js';

export type Figures = OperationValue<'get-system-operations'>;

export interface Sample {
  /** As in the figures. */
  readonly at: string;
  readonly perS: number;
  readonly failed: number;
  /** ms; null: no request was answered. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** Five minutes, at one in two seconds. */
export const MOST_SAMPLES = 150;

/** The same figures twice count once. */
export function withSample(before: readonly Sample[], { at, signing }: Figures): readonly Sample[] {
  if (before.at(-1)?.at === at) return before;
  const { per_s: perS, failed, latency } = signing;
  const times = {
    p50: latency?.p50_ms ?? null,
    p95: latency?.p95_ms ?? null,
    p99: latency?.p99_ms ?? null,
  };
  return [...before, { at, perS, failed, ...times }].slice(-MOST_SAMPLES);
}
