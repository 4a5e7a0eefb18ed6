/**
 * The lead's side of one-round signing: nonce commitments made ahead and lent to a partner, who names
 * one with each contribution. The nonces behind them stay in the threads' memory.
 */
import type { Bytes } from '@countersign/core/bytes.js';
import type { LentCommitment } from '../channel/messages.js';
import type { ThreadPools } from '../threads/thread-pools.js';

const COMMITMENT_BYTES = 64;
const MAX_LOAN = 256;
/** Made at a time, so that a signature waits for a few of them and not for a whole loan. */
const MADE_AT_ONCE = 32;

export interface CommitmentLender {
  lend(count: number): Promise<LentCommitment[]>;
}

/** Slots are used in turn: a pair that was lent and never used is overwritten when its turn comes. */
export function createCommitmentLender(
  threads: Pick<ThreadPools, 'commit'>,
  slots: number,
): CommitmentLender {
  let serial = 0;
  return {
    async lend(count) {
      const places = Array.from({ length: Math.min(count, MAX_LOAN) }, () => {
        serial += 1;
        return { slot: serial % slots, serial };
      });
      const lent: LentCommitment[] = [];
      for (let start = 0; start < places.length; start += MADE_AT_ONCE) {
        const some = places.slice(start, start + MADE_AT_ONCE);
        const packed: Bytes = await threads.commit(some);
        some.forEach((place, index) => {
          const at = index * COMMITMENT_BYTES;
          lent.push({ ...place, commitment: packed.slice(at, at + COMMITMENT_BYTES) });
        });
      }
      return lent;
    },
  };
}
