/**
 * The partner's side: commitments borrowed from each lead replica, topped up before they run out. Each
 * is used once; one from a process that is gone is refused by its successor, and the request is tried
 * again.
 */
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { LentCommitment } from '../channel/messages.js';

const TARGET = 256;
const LOW = 128;
const ASK_AGAIN_MS = 250;

export interface BorrowedCommitments {
  /** `count` commitments of this lead, or fewer when they do not come in time. */
  take(lead: Replica, count: number, timeoutMs: number): Promise<LentCommitment[]>;
  /** Commitments that came from a lead for the request `token`. */
  receive(lead: Replica, token: number, commitments: readonly LentCommitment[]): void;
  /** What was borrowed is no good any more: the lead says it does not know it. */
  forget(lead: Replica): void;
}

interface Purse {
  commitments: LentCommitment[];
  /** Of the request that is not answered yet; 0 for none. */
  token: number;
  askedAt: number;
  waiting: (() => void)[];
}

/** Whether to ask for more: `needed` are wanted now, and no request is under way. `now`: ms. */
function isLow({ commitments, token, askedAt }: Purse, needed: number, now: number): boolean {
  const isAsking = token !== 0 && now - askedAt < ASK_AGAIN_MS;
  return commitments.length < Math.max(LOW, needed) && !isAsking;
}

/** Resolves when commitments come, or when it is time to ask again. */
function untilMore(purse: Purse, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(ASK_AGAIN_MS, timeoutMs));
    purse.waiting.push(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export function createBorrowedCommitments(
  ask: (lead: Replica, token: number, count: number) => void,
  now: () => number,
): BorrowedCommitments {
  const purses = new Map<string, Purse>();
  let lastToken = 0;

  function purseOf(lead: Replica): Purse {
    const id = replicaId(lead);
    const known = purses.get(id);
    if (known !== undefined) return known;
    const purse: Purse = { commitments: [], token: 0, askedAt: 0, waiting: [] };
    purses.set(id, purse);
    return purse;
  }

  function topUp(lead: Replica, purse: Purse, needed: number): void {
    if (!isLow(purse, needed, now())) return;
    lastToken += 1;
    purse.token = lastToken;
    purse.askedAt = now();
    ask(lead, purse.token, TARGET);
  }

  return {
    async take(lead, count, timeoutMs) {
      const purse = purseOf(lead);
      topUp(lead, purse, count);
      const deadline = now() + timeoutMs;
      while (purse.commitments.length < count && now() < deadline) {
        await untilMore(purse, deadline - now());
        topUp(lead, purse, count);
      }
      const taken = purse.commitments.splice(0, count);
      topUp(lead, purse, 0);
      return taken;
    },
    receive(lead, token, commitments) {
      const purse = purseOf(lead);
      if (token !== purse.token) return; // not what was asked for, or an old answer
      purse.token = 0;
      purse.commitments.push(...commitments);
      for (const wake of purse.waiting.splice(0)) wake();
    },
    forget(lead) {
      purseOf(lead).commitments = [];
    },
  };
}
