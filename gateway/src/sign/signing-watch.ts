/** Whether signatures can be made now: measured on requests that this gateway sends, or on probes while nobody asks for anything. */
import type { Dispatcher } from './dispatcher.js';

/** Longer than a busy vault takes for a first one of those that are under way. */
const PROVEN_FOR_MS = 10_000;

export interface SigningWatch {
  /** Whether something that two parties decided came back in the last seconds: signed, or denied by both. */
  readonly isAlive: boolean;
  /** When that was last, ms. */
  readonly provenAt: number;
  /** The same dispatcher, whose requests are followed. */
  over(dispatcher: Dispatcher): Dispatcher;
}

/** `now`: ms, never set back or ahead. */
export function createSigningWatch(now: () => number): SigningWatch {
  let provenAt = Number.NEGATIVE_INFINITY;
  return {
    over(dispatcher) {
      const submit: Dispatcher['submit'] = async (item, asked) => {
        const ended = await dispatcher.submit(item, asked);
        if (ended !== undefined) provenAt = now();
        return ended;
      };
      // its figures are read as they are when they are asked for
      return Object.assign(Object.create(dispatcher) as Dispatcher, { submit });
    },
    get isAlive() {
      return now() - provenAt < PROVEN_FOR_MS;
    },
    get provenAt() {
      return provenAt;
    },
  };
}
