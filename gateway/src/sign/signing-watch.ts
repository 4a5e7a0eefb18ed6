/** Tells whether signatures can be made now: it watches this gateway's requests, or its probes while there are none. */
import type { Dispatcher } from './dispatcher.js';
import { followSubmissions } from './follow-submissions.js';

/** A busy vault answers one of its requests sooner. */
const PROVEN_FOR_MS = 10_000;

export interface SigningWatch {
  /** Whether a decision of two parties came back in the last seconds: signed, or denied by both. */
  readonly isAlive: boolean;
  /** Time of the last such decision, ms. */
  readonly provenAt: number;
  /** The same dispatcher, whose requests are watched. */
  over(dispatcher: Dispatcher): Dispatcher;
}

/** `now`: ms, monotonic. */
export function createSigningWatch(now: () => number): SigningWatch {
  let provenAt = Number.NEGATIVE_INFINITY;
  return {
    over: (dispatcher) =>
      followSubmissions(dispatcher, (_, ended) => {
        if (ended !== undefined) provenAt = now();
      }),
    get isAlive() {
      return now() - provenAt < PROVEN_FOR_MS;
    },
    get provenAt() {
      return provenAt;
    },
  };
}
