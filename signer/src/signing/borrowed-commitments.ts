/**
 * The partner borrows commitments from each lead replica and tops them up before they run out. Each is used once. The
 * successor of a lead's process refuses its predecessor's commitments, and the request is tried again.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import { MAX_COMMITMENTS, type LentCommitment } from '../channel/messages.js';

const LOW = 128;
const ASK_AGAIN_MS = 250;
/** The most commitments kept of one lead: those left when more are asked for, and one reply. */
const MOST = LOW + MAX_COMMITMENTS;
/** The most lead replicas remembered of one party: a party claims as many as it likes. */
const MAX_LEADS = 64;

export interface BorrowedCommitments {
  /** `count` commitments of this lead, or fewer when they do not come in time. */
  take(lead: Replica, count: number, timeoutMs: number): Promise<LentCommitment[]>;
  /** Takes what a lead sent for the request `token`. Commitments that were not asked for are dropped. */
  receive(lead: Replica, token: number, commitments: readonly LentCommitment[]): void;
}

interface Purse {
  commitments: LentCommitment[];
  /** The token of the last request; 0 for none. */
  token: number;
  /** The token of the last request that was answered. */
  answered: number;
  askedAt: number;
  readonly waiting: Set<() => void>;
}

/** Whether to ask for more: `needed` are wanted now, and no request is under way. `now`: ms. */
function isLow(
  { commitments, token, answered, askedAt }: Purse,
  needed: number,
  now: number,
): boolean {
  const isAsking = token !== answered && now - askedAt < ASK_AGAIN_MS;
  return commitments.length < Math.max(LOW, needed) && !isAsking;
}

/** Resolves when commitments come, or when it is time to ask again. */
function untilMore(purse: Purse, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      purse.waiting.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, Math.min(ASK_AGAIN_MS, timeoutMs));
    purse.waiting.add(wake);
  });
}

export function createBorrowedCommitments(
  ask: (lead: Replica, token: number, count: number) => void,
  now: () => number,
): BorrowedCommitments {
  const purses = new Map(
    PARTY_NUMBERS.map((party) => [party, new BoundedMap<string, Purse>(MAX_LEADS)]),
  );
  let lastToken = 0;

  function purseOf(lead: Replica): Purse {
    const id = replicaId(lead);
    const ofParty = purses.get(lead.party)!;
    const purse = ofParty.get(id) ?? newPurse();
    // puts it last: the lead that was not asked for longest makes way
    ofParty.put(id, purse);
    return purse;
  }

  function topUp(lead: Replica, purse: Purse, needed: number): void {
    if (!isLow(purse, needed, now())) return;
    lastToken += 1;
    purse.token = lastToken;
    purse.askedAt = now();
    ask(lead, purse.token, MAX_COMMITMENTS);
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
      const purse = purses.get(lead.party)!.get(replicaId(lead));
      // drops a reply to an unknown or answered request; a slow lead may still answer an earlier one
      if (purse === undefined || token <= purse.answered || token > purse.token) return;
      purse.answered = token;
      const room = Math.min(MAX_COMMITMENTS, MOST - purse.commitments.length);
      purse.commitments.push(...commitments.slice(0, room));
      for (const wake of [...purse.waiting]) wake();
    },
  };
}

function newPurse(): Purse {
  return { commitments: [], token: 0, answered: 0, askedAt: 0, waiting: new Set() };
}
