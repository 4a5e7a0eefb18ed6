/**
 * Tells partners which batches are over, several in a message: each message wakes its receiver, and nobody waits for it
 * but a freeze. A change of the ledger may be one, so for a while after it they are told at once.
 */
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { MAX_FINISHED, type PartyMessage } from '../channel/messages.js';

const TOGETHER_MS = 100;
/** What was decided before the change comes to its end in this time, or never: see `CONTRIBUTION_LIFE_MS`. */
const HURRY_MS = 5_000;

export interface FinishedBatches {
  /** The batch that this replica led is over. */
  add(batch: Pick<SignBatch, 'batchId' | 'partner'>): void;
  /** The ledger has changed. */
  hurry(): void;
  /** Tells what was not told yet. */
  stop(): void;
}

interface Untold {
  readonly partner: Replica;
  readonly batchIds: string[];
}

/** `now`: ms. */
export function createFinishedBatches(
  send: (to: Replica, message: PartyMessage) => Promise<void>,
  now: () => number,
): FinishedBatches {
  const untold = new Map<string, Untold>();
  let timer: NodeJS.Timeout | undefined;
  let hurryUntil = 0;

  function tell({ partner, batchIds }: Untold): void {
    untold.delete(replicaId(partner));
    // a partner that does not hear it waits no longer than a lead would take its contribution
    send(partner, { kind: 'finished', batchIds }).catch(() => undefined);
  }

  function tellAll(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const each of [...untold.values()]) tell(each);
  }

  return {
    add({ batchId, partner }) {
      const id = replicaId(partner);
      const each = untold.get(id) ?? { partner, batchIds: [] };
      untold.set(id, each);
      each.batchIds.push(batchId);
      if (now() < hurryUntil || each.batchIds.length >= MAX_FINISHED) return tell(each);
      timer ??= setTimeout(tellAll, TOGETHER_MS).unref();
    },
    hurry() {
      hurryUntil = now() + HURRY_MS;
      tellAll();
    },
    stop: tellAll,
  };
}
