/** The keeper's side of the trust that its party's other replicas live by. */
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { VouchMessage } from './head-trust.js';

/**
 * What a replica was vouched for last may come to signatures for so long, in it and at leads, ms: the lease, the
 * deadline of a commit, and the life of a contribution.
 */
const MEMORY_MS = 15_000;
const LEASE_MS = 1_000;
const MAX_REPLICAS = 256;

export interface ReplicaVouching {
  receive(from: Replica, message: VouchMessage): void;
  /** Whether no replica that was vouched for can still give out what it decided before entry `seq` was seen. */
  isCleared(seq: number): boolean;
  onCleared(listener: () => void): void;
}

export interface ReplicaVouchingDeps {
  readonly follower: Pick<LedgerFollower, 'view' | 'confirmedAt'>;
  readonly now: () => number;
  /** Whether the keeper before this one has vouched for anybody: what it vouched for may still come to something. */
  readonly hasVouchedBefore: boolean;
  /** Makes durable that a replica was vouched for, before the first one is. */
  noteVouching(): void;
  send(to: Replica, message: VouchMessage): Promise<void>;
}

export function createReplicaVouching({
  follower,
  now,
  hasVouchedBefore,
  noteVouching,
  send,
}: ReplicaVouchingDeps): ReplicaVouching {
  const startedAt = now();
  let isNoted = hasVouchedBefore;
  const replicas = new Map<string, { clearedSeq: number; at: number }>();
  const listeners: (() => void)[] = [];

  function forgetOld(): void {
    for (const [id, { at }] of replicas) if (now() - at > MEMORY_MS) replicas.delete(id);
  }

  return {
    receive(from, message) {
      if (message.kind !== 'vouch-request') return;
      forgetOld();
      const id = replicaId(from);
      if (!replicas.has(id) && replicas.size >= MAX_REPLICAS) return;
      if (now() - follower.confirmedAt >= LEASE_MS) return;
      if (!isNoted) noteVouching();
      isNoted = true;
      const { token, clearedSeq } = message;
      replicas.set(id, { clearedSeq, at: now() });
      const { seq, headHash } = follower.view.state;
      const hash = Buffer.from(headHash, 'hex');
      send(from, { kind: 'vouch', token, seq, hash }).catch(() => undefined);
      for (const listener of listeners) listener();
    },
    isCleared(seq) {
      if (hasVouchedBefore && now() - startedAt < MEMORY_MS) return false;
      forgetOld();
      return [...replicas.values()].every(({ clearedSeq }) => clearedSeq >= seq);
    },
    onCleared(listener) {
      listeners.push(listener);
    },
  };
}
