/**
 * The place of a span in a trace, as W3C Trace Context writes it. It comes from callers and from Redis: it is text that
 * a span is drawn under, and decides nothing.
 */
export interface TracePlace {
  readonly traceId: string;
  readonly spanId: string;
  /** 1: it is recorded where it comes from; otherwise 0. */
  readonly traceFlags: number;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Undefined for all that is none of version 00. */
export function parseTraceparent(text: string | undefined): TracePlace | undefined {
  const match = TRACEPARENT.exec(text ?? '');
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', flags] = match;
  return { traceId, spanId, traceFlags: Number.parseInt(flags!, 16) & 1 };
}

export function traceparentOf({ traceId, spanId, traceFlags }: TracePlace): string {
  return `00-${traceId}-${spanId}-0${traceFlags}`;
}
