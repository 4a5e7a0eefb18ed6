/**
 * Counts the bytes of request bodies that this process holds, from the first byte read until the answer, or the end of
 * what parties do with it. They are bounded in all and for each caller, so that one stolen API key takes nothing from
 * others.
 *
 * A body is read before its signature can be checked. So a caller has two shares: one for addresses that are known to
 * be theirs, and one for all others. One address may hold as much of the latter as it leaves: whoever takes all it can
 * leaves half, and the next one half of that.
 */
import { ApiError } from './public-error.js';

export interface BodyMemory {
  readonly heldBytes: number;
  /** An empty share for one request. */
  open(holder: BodyHolder): BodyShare;
}

export interface BodyHolder {
  /** The caller whom it names. */
  readonly id: string;
  /** The source under which it is counted. */
  readonly source: string;
  /** Whether that caller has signed from there. */
  readonly isProven: boolean;
}

export interface BodyShare {
  /** Throws 504 when there is no room for so many more bytes. */
  take(bytes: number): void;
  /** Its answer has been sent: gives back all its bytes, unless something else still holds them. */
  release(): void;
  /** The body is used for this work too, whatever becomes of its caller. */
  holdFor(work: Promise<unknown>): void;
}

export interface BodyLimits {
  readonly totalBytes: number;
  /** Size of each of a caller's two shares. */
  readonly callerBytes: number;
}

const MIB = 1024 * 1024;
/** Room for hundreds of the largest bodies at once, and for one caller a quarter of that. */
const LIMITS: BodyLimits = { totalBytes: 128 * MIB, callerBytes: 32 * MIB };

export function createBodyMemory({ totalBytes, callerBytes }: BodyLimits = LIMITS): BodyMemory {
  const proven = createHeld();
  const unproven = createHeld();
  const unprovenAt = createHeld();
  let heldBytes = 0;

  function isRoom({ id, isProven }: BodyHolder, place: string, bytes: number): boolean {
    if (heldBytes + bytes > totalBytes) return false;
    if (isProven) return proven.of(id) + bytes <= callerBytes;
    return unprovenAt.of(place) + bytes <= callerBytes - unproven.of(id);
  }

  function add({ id, isProven }: BodyHolder, place: string, bytes: number): void {
    heldBytes += bytes;
    if (isProven) return proven.add(id, bytes);
    unproven.add(id, bytes);
    unprovenAt.add(place, bytes);
  }

  return {
    get heldBytes() {
      return heldBytes;
    },
    open(holder) {
      const place = holder.isProven ? '' : `${holder.id} ${holder.source}`;
      let mine = 0;
      let holders = 1;
      const release = () => {
        holders -= 1;
        if (holders > 0) return;
        add(holder, place, -mine);
        mine = 0;
      };
      return {
        take(bytes) {
          if (!isRoom(holder, place, bytes)) {
            throw new ApiError('gateway_timeout', 'the service is overloaded', { retryAfterS: 1 });
          }
          add(holder, place, bytes);
          mine += bytes;
        },
        release,
        holdFor(work) {
          holders += 1;
          void work.then(release, release);
        },
      };
    },
  };
}

/** Counts bytes by holder; a holder of none is forgotten. */
function createHeld() {
  const held = new Map<string, number>();
  const of = (key: string) => held.get(key) ?? 0;
  return {
    of,
    /** `bytes` may be negative. */
    add(key: string, bytes: number): void {
      const sum = of(key) + bytes;
      if (sum === 0) held.delete(key);
      else held.set(key, sum);
    },
  };
}
