/**
 * Requests for signatures between their body and the lane where they wait for a batch: their signature is checked and their
 * nonce claimed. Where more come at once than this process can do, each of them takes its time before any is
 * refused for the length of a lane. So who would have to wait here is refused before anything is done for them.
 *
 * What waits here has come whole, so nobody by dawdling over a body has others refused. Callers who have nothing
 * in here are let in for longer than others: one who asks for much does not shut the door to everybody.
 */
import { refuseTooOften, type Refusal } from '@countersign/core/errors.js';

/** With fewer inside nobody is refused: a process that was not given the processor for a while soon has them done. */
const MIN_INSIDE = 64;
/** While somebody has been inside for so long, nobody who has a request inside brings another, ms. */
const LATE_MS = 250;
/** And nobody at all, ms. */
const SHUT_MS = 750;
const RETRY_AFTER_S = 1;

export const OVERLOADED = refuseTooOften('the service is overloaded', RETRY_AFTER_S);

export interface Visit {
  /** Once: it has been let in, or refused for something else. */
  leave(): void;
}

export interface Entrance {
  /** A request of that caller, whom it only names so far. */
  enter(callerId: string): Visit | Refusal;
  /** Whether it would be refused. */
  isShutTo(callerId: string): boolean;
  /** Whether it could be, whoever asks. */
  readonly isLate: boolean;
  readonly inside: number;
  /** Requests inside that come to the lane before one more of that caller, if callers take turns there. */
  aheadOf(callerId: string): number;
}

/** `now`: ms. */
export function createEntrance(now: () => number): Entrance {
  /** In the order in which they came. */
  const visits = new Set<{ readonly at: number }>();
  const ofCaller = new Map<string, number>();

  function isShutAfter(ms: number): boolean {
    if (visits.size < MIN_INSIDE) return false;
    const [oldest] = visits;
    return now() - oldest!.at > ms;
  }

  function isShutTo(callerId: string): boolean {
    return isShutAfter(ofCaller.has(callerId) ? LATE_MS : SHUT_MS);
  }

  return {
    isShutTo,
    get isLate() {
      return isShutAfter(LATE_MS);
    },
    get inside() {
      return visits.size;
    },
    enter(callerId) {
      if (isShutTo(callerId)) return OVERLOADED;
      const visit = { at: now() };
      visits.add(visit);
      ofCaller.set(callerId, (ofCaller.get(callerId) ?? 0) + 1);
      return {
        leave() {
          if (!visits.delete(visit)) return;
          const left = ofCaller.get(callerId)! - 1;
          if (left === 0) ofCaller.delete(callerId);
          else ofCaller.set(callerId, left);
        },
      };
    },
    aheadOf(callerId) {
      const own = ofCaller.get(callerId) ?? 0;
      return [...ofCaller.values()].reduce((sum, count) => sum + Math.min(count, own + 1), 0);
    },
  };
}
