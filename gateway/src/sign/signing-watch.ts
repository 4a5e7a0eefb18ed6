/** Whether requests that this gateway sends come to an end: measured on its callers' own, whatever parties say of themselves. */
import type { Dispatcher } from './dispatcher.js';

/** Longer than a busy vault takes for a first one of those that are under way. */
const STUCK_AFTER_MS = 10_000;
/** That a request came to nothing says little of what is so much later. */
const REMEMBERED_MS = 10_000;

export interface SigningWatch {
  /** False: of what is under way nothing has come to an end for long, or the last one came to nothing, a while ago at most. */
  readonly isAlive: boolean;
  /** The same dispatcher, whose requests are followed. */
  over(dispatcher: Dispatcher): Dispatcher;
  /** Of one that was submitted; gives it back. */
  follow(outcome: ReturnType<Dispatcher['submit']>): ReturnType<Dispatcher['submit']>;
}

/** `now`: ms. */
export function createSigningWatch(now: () => number): SigningWatch {
  let open = 0;
  let since = 0;
  let cameToNothingAt: number | undefined;

  const watch: SigningWatch = {
    over(dispatcher) {
      const submit: Dispatcher['submit'] = (item, asked) =>
        watch.follow(dispatcher.submit(item, asked));
      // its figures are read as they are when they are asked for
      return Object.assign(Object.create(dispatcher) as Dispatcher, { submit });
    },
    get isAlive() {
      if (open > 0 && now() - since >= STUCK_AFTER_MS) return false;
      return cameToNothingAt === undefined || now() - cameToNothingAt >= REMEMBERED_MS;
    },
    follow(outcome) {
      if (open === 0) since = now();
      open += 1;
      void outcome.then((ended) => {
        open -= 1;
        if (ended === undefined) {
          cameToNothingAt = now();
          return;
        }
        since = now();
        cameToNothingAt = undefined;
      });
      return outcome;
    },
  };
  return watch;
}
