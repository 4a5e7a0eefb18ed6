/**
 * Anchors a party's records. The primary replica signs where the chains of all its replicas stand and appends that to
 * the ledger, so that no earlier record can be changed without a trace. Each time, and at the start, it first checks
 * that what it anchored before is still there. If a database lost or changed it, the party stops, and stops again at
 * every start, because the ledger remembers what was anchored.
 */
import type { PartyNumber } from '@countersign/core/parties.js';
import { anchorMessage, type ChainHead } from '@countersign/core/party-statements.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import { createLatestRun } from '@countersign/runtime/ledger/latest-run.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { encodeAnchor } from '@countersign/vault/ledger/write-entry.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import { findLostAnchor, headsToAnchor, noteHeads } from './anchored-heads.js';
import type { RecordHeads } from './record-heads.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

/** Records that the party has anchored are gone or differ. */
export class LostRecordsError extends Error {}

export interface AnchorWriterDeps {
  readonly party: PartyNumber;
  /** What the party anchored so far, kept by whoever follows the ledger; the writer adds its own anchors. */
  readonly anchored: Map<string, ChainHead>;
  readonly heads: RecordHeads;
  readonly follower: Pick<LedgerFollower, 'state' | 'fault'>;
  readonly ledger: Pick<LedgerStore, 'append'>;
  readonly threads: Pick<ThreadPools, 'signIdentity'>;
  readonly logger: Logger;
  readonly alarms: Alarms;
  readonly now: () => number;
  readonly everyMs: number;
  /** Ends the party's work for good. */
  onLost(error: LostRecordsError): void;
}

export interface AnchorWriter {
  /** Anchors what was recorded until now, and nothing after it. */
  stop(): Promise<void>;
}

/** Throws LostRecordsError when the records are not those that were anchored before the start. */
export async function openAnchorWriter(deps: AnchorWriterDeps): Promise<AnchorWriter> {
  const { everyMs, logger, onLost } = deps;
  await requireAnchored(deps);
  const runs = createLatestRun(() => anchorRecords(deps));

  async function run(): Promise<void> {
    try {
      await runs.run();
    } catch (error) {
      if (error instanceof LostRecordsError) return onLost(error);
      logger.warn({ event: 'anchor_not_given', reason: String(error) }, 'records not anchored');
    }
  }

  const ticks = openTicks(everyMs, () => void run());
  return {
    async stop() {
      ticks.stop();
      await run();
    },
  };
}

/** Nothing is said while the ledger is not the one that the party knows. */
export async function anchorRecords(deps: AnchorWriterDeps): Promise<void> {
  const { party, anchored, heads, follower, ledger, threads, now } = deps;
  if (follower.fault !== undefined) return;
  await requireAnchored(deps);
  const chains = headsToAnchor(anchored, await heads.read());
  if (chains.length === 0) return;
  const statement = { party, chains };
  const [signature] = await threads.signIdentity([
    anchorMessage(statement, follower.state.genesisHash),
  ]);
  await ledger.append([encodeAnchor(now(), { ...statement, signature: signature! })]);
  // if the answer was lost, the ledger says it, or the statement is given again
  noteHeads(anchored, chains);
}

async function requireAnchored({ anchored, heads, alarms }: AnchorWriterDeps) {
  const lost = findLostAnchor(anchored, await heads.find(anchored.values()));
  if (lost === undefined) return;
  const { chainId, seq } = lost;
  const reason = `record ${seq} of ${chainId} is not the one that was anchored`;
  alarms.raise({ kind: 'records_lost', reason, isLasting: true });
  throw new LostRecordsError(reason);
}
