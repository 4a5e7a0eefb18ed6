import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import { sealSignBatch, type SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { Pair } from './choose-pair.js';

/** Puts a sealed batch into a replica's queue. */
export type SendBatch = (replica: Replica, sealed: Buffer) => Promise<void>;

export interface CarrierDeps {
  readonly gatewayId: string;
  readonly send: SendBatch;
  /** This gateway's own head, over which the parties are to decide. `headHash`: hex. */
  readonly head: () => { readonly seq: number; readonly headHash: string };
  readonly keys: EvidenceKeys;
  /** The version of the protocol that this gateway and both replicas speak; undefined if there is none. */
  readonly versionOf: (pair: Pair) => number | undefined;
}

export interface BatchCarrier {
  /** Seals a batch for both replicas of its pair, sends it and starts its deadline. */
  send(batchId: string, items: readonly SignItem[], pair: Pair, attemptMs: number): void;
  /** Ends the deadline of a batch that is over. */
  close(batchId: string): void;
  stop(): void;
}

/** `onLost` is told of a batch that could not be sent, or was not closed in time, and why. */
export function createBatchCarrier(
  deps: CarrierDeps,
  onLost: (batchId: string, reason: string) => void,
): BatchCarrier {
  const deadlines = new Map<string, NodeJS.Timeout>();

  function close(batchId: string): void {
    clearTimeout(deadlines.get(batchId));
    deadlines.delete(batchId);
  }

  return {
    send(batchId, items, pair, attemptMs) {
      const { gatewayId, keys } = deps;
      const { lead, partner } = pair;
      const deadline = setTimeout(() => onLost(batchId, 'no answer in time'), attemptMs);
      deadlines.set(batchId, deadline);
      const { seq: ledgerSeq, headHash: ledgerHash } = deps.head();
      const carry = async () => {
        const version = deps.versionOf(pair);
        if (version === undefined) throw new Error('its parties speak no common version');
        const batch = { version, batchId, gatewayId, lead, partner, ledgerSeq, ledgerHash, items };
        const sealed = sealSignBatch(batch, keys);
        await Promise.all([deps.send(lead, sealed), deps.send(partner, sealed)]);
      };
      carry().catch((error: unknown) => onLost(batchId, String(error)));
    },
    close,
    stop() {
      for (const batchId of deadlines.keys()) close(batchId);
    },
  };
}
