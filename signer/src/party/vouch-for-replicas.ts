/** The primary replica vouches for its party's other replicas. */
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { LEASE_MS, type VouchMessage } from './head-trust.js';

/**
 * How long something decided over a head may take to come to a signature, here or at leads, ms. This covers the lease,
 * waiting for commitments and maths, slow commits on both sides, and the life of a contribution.
 */
export const UNDER_WAY_MS = 20_000;
const MAX_REPLICAS = 256;

type VouchRequest = Extract<VouchMessage, { kind: 'vouch-request' }>;

export interface ReplicaVouching {
  receive(from: Replica, message: VouchMessage): void;
  /** Whether no replica that was vouched for can still give out what it decided before entry `seq` was seen. */
  isCleared(seq: number): boolean;
  onCleared(listener: () => void): void;
}

export interface ReplicaVouchingDeps {
  readonly follower: Pick<LedgerFollower, 'view' | 'confirmedMsAgo' | 'pinnedSeq' | 'catchUp'>;
  /** This process's own monotonic clock, ms: setting a clock must not make a replica's work seem over, or not over. */
  readonly elapsed: () => number;
  send(to: Replica, message: VouchMessage): Promise<void>;
}

export function createReplicaVouching({
  follower,
  elapsed,
  send,
}: ReplicaVouchingDeps): ReplicaVouching {
  const replicas = new Map<string, { clearedSeq: number; readonly at: number }>();
  const listeners: (() => void)[] = [];

  function forgetOld(): void {
    for (const [id, { at }] of replicas) if (elapsed() - at > UNDER_WAY_MS) replicas.delete(id);
  }

  /**
   * What a replica has cleared stays cleared, whatever this fold knows. A primary replica whose database is slow notes
   * it all the same, or it would wait for what is long over.
   */
  function note(id: string, clearedSeq: number): void {
    const known = replicas.get(id);
    if (known !== undefined) known.clearedSeq = clearedSeq;
  }

  const isCurrent = () => follower.confirmedMsAgo < LEASE_MS;

  function vouch(from: Replica, { token, clearedSeq }: VouchRequest): void {
    const id = replicaId(from);
    if (!replicas.has(id) && replicas.size >= MAX_REPLICAS) return;
    if (!isCurrent()) return;
    if (follower.view.state.seq > follower.pinnedSeq) return;
    // it may have said something newer while this fold was read
    const known = replicas.get(id);
    replicas.set(id, { clearedSeq: known?.clearedSeq ?? clearedSeq, at: elapsed() });
    const { seq, headHash } = follower.view.state;
    const hash = Buffer.from(headHash, 'hex');
    send(from, { kind: 'vouch', token, seq, hash }).catch(() => undefined);
  }

  return {
    receive(from, message) {
      if (message.kind !== 'vouch-request') return;
      forgetOld();
      note(replicaId(from), message.clearedSeq);
      if (isCurrent()) vouch(from, message);
      else
        follower.catchUp().then(
          () => vouch(from, message),
          () => undefined,
        );
      for (const listener of listeners) listener();
    },
    isCleared(seq) {
      forgetOld();
      return [...replicas.values()].every(({ clearedSeq }) => clearedSeq >= seq);
    },
    onCleared(listener) {
      listeners.push(listener);
    },
  };
}
