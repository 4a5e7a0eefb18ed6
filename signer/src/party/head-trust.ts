/**
 * Decides over which heads a replica of a party may sign. The party's primary replica, the process with the pin file,
 * signs over what it has pinned. The others have no memory of their own: they ask it, and its vouch holds for a lease
 * from the moment of asking.
 */
import { randomInt } from 'node:crypto';
import { toHex } from '@countersign/core/bytes.js';
import { isSameReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { createLatestRun } from '@countersign/runtime/ledger/latest-run.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { PartyMessage } from '../channel/messages.js';

export interface HeadTrust {
  /** Whether this party's primary replica has pinned the ledger up to an entry of the own log. */
  covers(seq: number): Promise<boolean>;
  /** Whether anything can be signed at all: the primary replica was heard of within the lease. */
  readonly isFresh: boolean;
}

export type VouchMessage = Extract<PartyMessage, { kind: 'vouch-request' | 'vouch' }>;

/** Trust of the primary replica itself: it covers what its disk has taken. Beyond that its fold only denies. */
export function primaryTrust(
  follower: Pick<LedgerFollower, 'pinnedSeq' | 'pinTrouble'>,
): HeadTrust {
  return {
    covers: async (seq) => seq <= follower.pinnedSeq,
    get isFresh() {
      return follower.pinTrouble === undefined;
    },
  };
}

/** How long a confirmation by the database or the primary replica counts: afterwards it may have been overtaken. */
export const LEASE_MS = 1_000;
const ASK_EVERY_MS = 300;
const ANSWER_WITHIN_MS = 500;
/** For how long a primary replica that answered is asked whatever Redis says of others, ms. */
const PRIMARY_KEPT_MS = 10_000;

/** Few are needed: a replica asks several times in a lease. */
const VOUCHES_KEPT = 16;

interface Vouch {
  readonly seq: number;
  /** Hex. */
  readonly hash: string;
  /** When the replica asked for it, ms. */
  readonly since: number;
}

export interface VouchedTrustDeps {
  readonly follower: Pick<LedgerFollower, 'view' | 'onOutcomes'>;
  /** This process's own monotonic clock, ms: a lease that began before a clock was set back would last for as long. */
  readonly elapsed: () => number;
  /** The party's primary replica; undefined while nobody has heard of it. */
  findPrimary(): Promise<Replica | undefined>;
  /** Nothing is under way here that was decided before this entry was seen. */
  clearedSeq(): number;
  send(to: Replica, message: VouchMessage): Promise<void>;
}

export interface VouchedTrust extends HeadTrust {
  receive(from: Replica, message: VouchMessage): void;
  /**
   * To be called when work is done. Tells the primary replica at once if more is cleared than it was told last: a
   * freeze may wait.
   */
  tellCleared(): void;
  stop(): void;
}

/** The vouches that a replica has, and its open questions. */
function createVouches({ follower, elapsed }: Pick<VouchedTrustDeps, 'follower' | 'elapsed'>) {
  const asked = new Map<number, number>();
  let vouches: readonly Vouch[] = [];
  /** Those that still hold. There are several because the own log may lag behind the primary replica's newest head. */
  const held = () => (vouches = vouches.filter(({ since }) => elapsed() - since < LEASE_MS));
  return {
    /** Returns the token of a new question. */
    ask(): number {
      for (const [old, since] of asked) if (elapsed() - since > LEASE_MS) asked.delete(old);
      const token = randomInt(2 ** 32);
      asked.set(token, elapsed());
      return token;
    },
    /** Takes a vouch; false if it answers no open question. */
    take({ token, seq, hash }: Extract<VouchMessage, { kind: 'vouch' }>): boolean {
      const since = asked.get(token);
      if (since === undefined) return false;
      asked.delete(token);
      vouches = [...held(), { seq, hash: toHex(hash), since }].slice(-VOUCHES_KEPT);
      return true;
    },
    cover: (seq: number) =>
      held().some((vouch) => seq <= vouch.seq && follower.view.hashAt(vouch.seq) === vouch.hash),
    get areFresh() {
      return held().length > 0;
    },
  };
}

/** Remembers for a while the primary replica that answered last. */
function rememberPrimary(elapsed: () => number) {
  let answered: { readonly primary: Replica; readonly at: number } | undefined;
  return {
    note(primary: Replica): void {
      answered = { primary, at: elapsed() };
    },
    /** Returns it and `found`, each once, where they exist. */
    and(found: Replica | undefined): Replica[] {
      const isKept = answered !== undefined && elapsed() - answered.at < PRIMARY_KEPT_MS;
      const primaries = [isKept ? answered?.primary : undefined, found].filter(
        (primary) => primary !== undefined,
      );
      const [first, second] = primaries;
      return first !== undefined && second !== undefined && isSameReplica(first, second)
        ? [first]
        : primaries;
    },
  };
}

/** Lets callers wait for an answer, but not for long. */
function createAnswers() {
  const waiting = new Set<() => void>();
  return {
    next(): Promise<void> {
      return new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(finish);
          resolve();
        };
        const timer = setTimeout(finish, ANSWER_WITHIN_MS);
        waiting.add(finish);
      });
    },
    /** An answer came, or none comes any more. */
    came(): void {
      for (const finish of waiting) finish();
    },
  };
}

/** Trust of a replica without a pin file. */
export function openVouchedTrust(deps: VouchedTrustDeps): VouchedTrust {
  const { follower, elapsed, findPrimary, clearedSeq, send } = deps;
  const vouches = createVouches(deps);
  const answers = createAnswers();
  const known = rememberPrimary(elapsed);
  let told = 0;

  /** Asks whoever Redis names, and the primary replica that answered: somebody may have written over its name. */
  async function ask(): Promise<void> {
    for (const primary of known.and(await findPrimary())) {
      const token = vouches.ask();
      told = clearedSeq();
      await send(primary, { kind: 'vouch-request', token, clearedSeq: told });
    }
  }
  // one question at a time: while Redis is away they would pile up, and then look like a flood
  const questions = createLatestRun(ask);
  const askQuietly = () => void questions.run().catch(() => undefined);

  follower.onOutcomes(askQuietly);
  const timer = setInterval(askQuietly, ASK_EVERY_MS);
  return {
    get isFresh() {
      return vouches.areFresh;
    },
    async covers(seq) {
      if (vouches.cover(seq)) return true;
      const answered = answers.next();
      askQuietly();
      await answered;
      return vouches.cover(seq);
    },
    receive(from, message) {
      if (message.kind !== 'vouch' || !vouches.take(message)) return;
      known.note(from);
      answers.came();
    },
    tellCleared() {
      if (clearedSeq() > told) askQuietly();
    },
    stop() {
      clearInterval(timer);
      answers.came();
    },
  };
}
