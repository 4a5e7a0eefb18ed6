/**
 * How many bytes of request bodies this process holds: from the first byte that is read until the request is
 * answered. Bounded in all, and for each caller, so that one API key in the wrong hands takes nothing from others.
 */
import { ApiError } from '@countersign/core/errors.js';

export interface BodyMemory {
  readonly heldBytes: number;
  /** An empty share for one request of this caller. */
  open(callerId: string): BodyShare;
}

export interface BodyShare {
  /** Throws 504 when there is no room for so many more. */
  take(bytes: number): void;
  /** Gives back all of it. */
  release(): void;
}

export interface BodyLimits {
  readonly totalBytes: number;
  readonly callerBytes: number;
}

const MIB = 1024 * 1024;
/** Hundreds of the largest bodies at once, and a quarter of them for one caller. */
const LIMITS: BodyLimits = { totalBytes: 128 * MIB, callerBytes: 32 * MIB };

export function createBodyMemory({ totalBytes, callerBytes }: BodyLimits = LIMITS): BodyMemory {
  const heldBy = new Map<string, number>();
  let heldBytes = 0;

  /** `bytes` may be negative. */
  function add(callerId: string, bytes: number): void {
    heldBytes += bytes;
    const held = (heldBy.get(callerId) ?? 0) + bytes;
    if (held === 0) heldBy.delete(callerId);
    else heldBy.set(callerId, held);
  }

  return {
    get heldBytes() {
      return heldBytes;
    },
    open(callerId) {
      let mine = 0;
      return {
        take(bytes) {
          const isRoom =
            heldBytes + bytes <= totalBytes && (heldBy.get(callerId) ?? 0) + bytes <= callerBytes;
          if (!isRoom) {
            throw new ApiError('gateway_timeout', 'the service is overloaded', { retryAfterS: 1 });
          }
          add(callerId, bytes);
          mine += bytes;
        },
        release() {
          add(callerId, -mine);
          mine = 0;
        },
      };
    },
  };
}
