/** A gateway as far as freezing goes: the real handling of the request, over a fold of its own. */
import { requestIdOf, digestOf, type Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { findLedgerOperation } from '@countersign/vault/operations/ledger-operations.js';
import { createJournal } from '../../gateway/dist/govern/journal.js';
import { createLedgerWriter } from '../../gateway/dist/govern/ledger-writer.js';
import { handleLedgerOperation } from '../../gateway/dist/govern/handle-ledger-operation.js';
import type { WriteDeps } from '../../gateway/dist/govern/handle-ledger-operation.js';
import type { Answer, SignedExchange } from '../../gateway/dist/admission/exchange.js';
import type { Weather } from './race-weather.ts';
import { openSimulatedFollower, type SimulatedLedger } from './simulated-ledger.ts';
import type { SimulatedProcess } from './virtual-time.ts';

export interface SimulatedGateway {
  readonly process: SimulatedProcess;
  /** Over which head it sends batches. */
  head(): { readonly seq: number; readonly headHash: string };
  /** A caller's change of governance; the caller waits as long as one can. */
  change(evidence: Evidence): Promise<Answer>;
}

const LONGEST_WAIT = { prefer: 'wait=30' };

export async function openSimulatedGateway(
  weather: Weather,
  ledger: SimulatedLedger,
  keys: EvidenceKeys,
  { process, now }: { readonly process: SimulatedProcess; readonly now: () => number },
): Promise<SimulatedGateway> {
  const journal = createJournal();
  const pins: { pinned: LedgerPin | undefined } = { pinned: undefined };
  const follower = await openSimulatedFollower({
    ledger,
    weather,
    reader: { process, isBlinded: false, lag: 0 },
    pins,
    onOutcomes: (outcomes) => journal.append(outcomes),
  });
  const writer = createLedgerWriter({ store: ledger as never, follower, journal, keys, now });
  const deps = {
    follower,
    journal,
    ledger: writer,
    onAppended: () => undefined,
    refusals: { record: async () => undefined },
    evidenceKeys: keys,
    catalogues: CATALOGUES,
    now,
  } as unknown as WriteDeps;
  return {
    process,
    head: () => follower.state,
    change(evidence) {
      const matched = findLedgerOperation(evidence.method, evidence.path)!;
      const caller = [...follower.state.users.rows.values()][0]!;
      const exchange = {
        request: { headers: LONGEST_WAIT },
        requestId: requestIdOf(digestOf(evidence)),
        params: matched.params,
        caller,
        evidence,
      } as unknown as SignedExchange;
      return handleLedgerOperation(deps, matched.operation, exchange);
    },
  };
}
