/** Replicas that lack one of the safeguards each: the races must find out. */
import type { Safeguards, Weaken } from './simulated-party.ts';

const FORGETFUL_GATE: Safeguards['gate'] = {
  enter: () => ({ narrow: () => undefined, done: () => undefined }),
  oldest: undefined,
  oldestFrozen: () => undefined,
  onDone: () => undefined,
};

/** The party does not know what is under way in its replicas. */
export const withoutGate: Weaken = (safeguards) => ({ ...safeguards, gate: FORGETFUL_GATE });

/** The primary replica says that the party obeys as soon as it has seen the freeze itself. */
export const withoutClearing: Weaken = (safeguards) =>
  safeguards.isPrimary
    ? {
        ...safeguards,
        gate: FORGETFUL_GATE,
        vouching: {
          receive(from, message) {
            const cleared =
              message.kind === 'vouch-request' ? { ...message, clearedSeq: 2 ** 40 } : message;
            safeguards.vouching.receive(from, cleared);
          },
        },
      }
    : safeguards;

/** A replica signs whether or not its primary replica knows of it. */
export const withoutVouching: Weaken = (safeguards) =>
  safeguards.isPrimary
    ? { ...safeguards, vouching: { receive: () => undefined } }
    : { ...safeguards, trust: { covers: async () => true, isFresh: true } };
