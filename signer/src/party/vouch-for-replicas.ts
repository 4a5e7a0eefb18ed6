/** The keeper's side of the trust that its party's other replicas live by. */
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { LEASE_MS, type VouchMessage } from './head-trust.js';

/**
 * What was decided over a head may come to a signature for so long, here and at leads, ms: the lease, waiting for
 * commitments and maths, slow commits on both sides, and the life of a contribution.
 */
export const UNDER_WAY_MS = 20_000;
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
  send(to: Replica, message: VouchMessage): Promise<void>;
}

export function createReplicaVouching({
  follower,
  now,
  send,
}: ReplicaVouchingDeps): ReplicaVouching {
  const replicas = new Map<string, { clearedSeq: number; at: number }>();
  const listeners: (() => void)[] = [];

  function forgetOld(): void {
    for (const [id, { at }] of replicas) if (now() - at > UNDER_WAY_MS) replicas.delete(id);
  }

  return {
    receive(from, message) {
      if (message.kind !== 'vouch-request') return;
      forgetOld();
      const id = replicaId(from);
      if (!replicas.has(id) && replicas.size >= MAX_REPLICAS) return;
      if (now() - follower.confirmedAt >= LEASE_MS) return;
      const { token, clearedSeq } = message;
      replicas.set(id, { clearedSeq, at: now() });
      const { seq, headHash } = follower.view.state;
      const hash = Buffer.from(headHash, 'hex');
      send(from, { kind: 'vouch', token, seq, hash }).catch(() => undefined);
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
