/**
 * One request has one message. This memory holds what this process contributed to for each request that could still be
 * asked for. The party's own schema remembers the same for good, for all of its replicas; this memory is for a database
 * that forgets or lies. Every process then still gives one message at most, since it takes no request that a process
 * before it may have taken.
 */
import { TIMESTAMP_WINDOW_MS } from '@countersign/vault/authentication/authenticate.js';

/** Which message a request came to. */
export interface RequestMessage {
  /** The moment that the message tells the venue, ms. */
  readonly at: number;
  /** The venue's nonce; 0 for none. */
  readonly nonce: bigint;
  /** Hex. */
  readonly sha256: string;
}

/** What bounds the time for which a request can be asked for again. */
export interface TimedRequest {
  readonly requestId: string;
  /**
   * By the caller's own clock; for a request that waited for approvals, since its release as the ledger dates it; ms.
   */
  readonly openSince: number;
  /** When it was made, by the caller's own clock, ms. Absent: as above. */
  readonly madeAt?: number;
  /**
   * Only for a request that waited for approvals: whether a process that took it before that may have written nothing
   * down, as no rule asked for approvals then.
   */
  readonly mayBeUnwritten?: boolean;
  /** Whether it could yet be held in the ledger, and be approved after this memory has let go of it. */
  readonly couldWait?: boolean;
}

export interface RequestMemory {
  /** The moment from which on it takes requests, by a caller's clock that is right; ms. */
  readonly takesFrom: number;
  /**
   * Why this process may not take the request, or undefined. Internal text. `now`: ms.
   *
   * A caller's clock may be ahead. A request signed by such a clock could be taken again after a restart, so only a
   * process with a durable folder takes it.
   */
  refuse(request: TimedRequest, now: number): string | undefined;
  recall(requestId: string): RequestMessage | undefined;
  /**
   * From now on the request has this message. Resolves once that would survive a restart where it must. Throws when the
   * request has another message.
   */
  keep(request: TimedRequest, message: RequestMessage, now: number): Promise<void>;
  /** Whether something of the request may have left this process. */
  isGiven(requestId: string): boolean;
  /** Something of the request is about to leave this process. */
  give(requestId: string): void;
  /**
   * Another replica of the party gave this message before: nothing of ours has left, and nothing will. A message that
   * is written down stays: a process before this one may have given it, or one after it would.
   */
  adopt(requestId: string, message: RequestMessage): void;
}

/** Writes down requests of clocks that are ahead before anything is given for them. */
export interface DurableMessages {
  /** Resolves once the entry is on the disk. */
  add(entry: TimedRequest & { readonly message: RequestMessage }): Promise<void>;
}

/** A clock that is ahead by less than this counts as right, ms. */
export const AHEAD_MS = 1_000;
/** More requests than any desk has in ten minutes. Beyond it nothing is taken, since forgetting is not allowed. */
const MAX_KEPT = 2_000_000;

interface Kept {
  message: RequestMessage;
  readonly openSince: number;
  /** Whether this process gave it. An earlier one may not have given what it wrote down: the party's schema knows. */
  isGiven: boolean;
  /** Whether it has to be written down: a write that failed may be on the disk all the same. */
  readonly isDurable: boolean;
  /** Resolves once it is written down; undefined where it is not, or could not be. */
  written: Promise<void> | undefined;
}

export interface RequestMemoryOptions {
  /** Up to when earlier processes may have taken requests, ms; 0 where there was none. */
  readonly takenBefore: number;
  /** No file knows the messages of requests made before this moment, ms; 0 where the folder was never lost. */
  readonly forgottenBefore?: number;
  /** Up to when this process may take requests, ms, where that is written down. */
  readonly takesUntil?: (() => number) | undefined;
  /** The messages that earlier processes wrote down. */
  readonly earlier?: readonly (TimedRequest & { readonly message: RequestMessage })[];
  /** Undefined for a replica without a durable folder. */
  readonly durable?: DurableMessages | undefined;
  /** Whether the request waits for approvals: as long as it does, it could be asked for again. */
  readonly isHeld?: ((requestId: string) => boolean) | undefined;
}

export function createRequestMemory(options: RequestMemoryOptions): RequestMemory {
  const { takenBefore, takesUntil = () => Infinity, earlier = [], durable } = options;
  const { isHeld = () => false, forgottenBefore = 0 } = options;
  const takesFrom = takenBefore + AHEAD_MS;
  const kept = keptOf(earlier);
  const old = oldOf(kept, isHeld);

  return {
    takesFrom,
    refuse({ requestId, openSince, madeAt = openSince, mayBeUnwritten = false }, now) {
      if (kept.has(requestId)) return undefined;
      // it may have been signed before it was held; where the folder was there, that is written down
      const isWritten = durable !== undefined && !mayBeUnwritten && madeAt >= forgottenBefore;
      const since = isWritten ? openSince : Math.min(openSince, madeAt);
      if (since < takesFrom) return 'an earlier process of this replica may have signed it';
      // a clock that was ahead for a moment has it forgotten what can be asked for again
      if (openSince <= old.forgottenUpTo)
        return 'this process may have signed it, and has forgotten it';
      if (now >= takesUntil()) return 'the mark of requests is not written';
      if (durable === undefined && isAhead(openSince, now)) return "the caller's clock is ahead";
      old.forget(now);
      return kept.size < MAX_KEPT ? undefined : 'too many requests to remember';
    },
    recall: (requestId) => kept.get(requestId)?.message,
    async keep({ requestId, openSince, couldWait = false }, message, now) {
      const known = kept.get(requestId);
      if (known !== undefined) {
        if (known.message.sha256 !== message.sha256) throw new Error('another message');
        return writeDown(requestId, known, durable);
      }
      const isDurable = durable !== undefined && (isAhead(openSince, now) || couldWait);
      const fresh = { message, openSince, isGiven: false, isDurable, written: undefined };
      kept.set(requestId, fresh);
      return writeDown(requestId, fresh, durable);
    },
    isGiven: (requestId) => kept.get(requestId)?.isGiven === true,
    give(requestId) {
      const known = kept.get(requestId);
      if (known !== undefined) known.isGiven = true;
    },
    adopt(requestId, message) {
      const known = kept.get(requestId);
      if (known === undefined || known.isGiven || known.isDurable) return;
      known.message = message;
    },
  };
}

/** What nobody can ask for any more, by the clock of the moment. */
function oldOf(kept: Map<string, Kept>, isHeld: (requestId: string) => boolean) {
  let forgottenUpTo = Number.NEGATIVE_INFINITY;
  return {
    /** The newest moment since which a request was open that is forgotten, ms. */
    get forgottenUpTo() {
      return forgottenUpTo;
    },
    forget(now: number): void {
      for (const [requestId, { openSince }] of kept) {
        if (isOpen(openSince, now)) return;
        if (isHeld(requestId)) continue;
        kept.delete(requestId);
        forgottenUpTo = Math.max(forgottenUpTo, openSince);
      }
    },
  };
}

/** If the disk did not take it, the next caller tries again. */
async function writeDown(
  requestId: string,
  one: Kept,
  durable: DurableMessages | undefined,
): Promise<void> {
  if (!one.isDurable) return;
  const { openSince, message } = one;
  const written = (one.written ??= durable?.add({ requestId, openSince, message }));
  try {
    await written;
  } catch (error) {
    if (one.written === written) one.written = undefined;
    throw error;
  }
}

function keptOf(earlier: NonNullable<RequestMemoryOptions['earlier']>): Map<string, Kept> {
  const written = Promise.resolve();
  return new Map(
    earlier.map(({ requestId, openSince, message }) => [
      requestId,
      { message, openSince, isGiven: false, isDurable: true, written },
    ]),
  );
}

function isAhead(openSince: number, now: number): boolean {
  return openSince >= now + AHEAD_MS;
}

/** Whether the request could still be asked for, even by a clock that is a little behind. */
export function isOpen(openSince: number, now: number): boolean {
  return openSince + 2 * TIMESTAMP_WINDOW_MS >= now;
}
