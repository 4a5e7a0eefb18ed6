/**
 * How many bytes of request bodies this process holds: from the first byte that is read until the request is
 * answered. Bounded in all, and for each caller, so that one API key in the wrong hands takes nothing from others.
 *
 * A body is read before its signature can be checked. So a caller has two shares: one for addresses that are known to be
 * theirs, and one for all others, of which an address may hold as much as it leaves. So one that takes all it can leaves
 * half, and the next one half of that.
 */
import { ApiError } from '@countersign/core/errors.js';

export interface BodyMemory {
  readonly heldBytes: number;
  /** An empty share for one request. */
  open(holder: BodyHolder): BodyShare;
}

export interface BodyHolder {
  /** Of the caller whom it names. */
  readonly id: string;
  /** Where it comes from, as it is counted. */
  readonly source: string;
  /** Whether that caller has signed from there. */
  readonly isProven: boolean;
}

export interface BodyShare {
  /** Throws 504 when there is no room for so many more. */
  take(bytes: number): void;
  /** Gives back all of it. */
  release(): void;
}

export interface BodyLimits {
  readonly totalBytes: number;
  /** Of each of a caller's two shares. */
  readonly callerBytes: number;
}

const MIB = 1024 * 1024;
/** Hundreds of the largest bodies at once, and a quarter of them for one caller. */
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
      return {
        take(bytes) {
          if (!isRoom(holder, place, bytes)) {
            throw new ApiError('gateway_timeout', 'the service is overloaded', { retryAfterS: 1 });
          }
          add(holder, place, bytes);
          mine += bytes;
        },
        release() {
          add(holder, place, -mine);
          mine = 0;
        },
      };
    },
  };
}

/** Bytes by whom they are held for; nobody is remembered who holds none. */
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
