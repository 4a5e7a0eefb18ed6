/**
 * Ends requests that were answered 202. Any gateway sends those again whose gateway died, and those that had no outcome
 * in their time go on record as failed.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { findSigningBatch } from '@countersign/vault/operations/signing-batches.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import { EXPIRED } from '../requests/batch-record.js';
import type { CheckedResults } from '../requests/checked-results.js';
import type { RefusalRecorder } from '../requests/refusal-recorder.js';
import type { Dispatcher } from './dispatcher.js';
import {
  FIRST_PLACE,
  type ExpiredRequest,
  type ExpiryPlace,
  type SigningRequests,
} from './signing-requests.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

const INTERVAL_MS = 4_000;
/** Younger ones are left to their own gateway. */
const MIN_AGE_MS = 6_000;
const MAX_AT_ONCE = 200;
/** The results of so many requests are in memory at once. */
const READ_AT_ONCE = 20;
const MAX_REMEMBERED = 20_000;

export interface SweeperDeps {
  readonly requests: Omit<SigningRequests, 'accept' | 'acceptLater' | 'isAccepted'>;
  readonly results: Pick<CheckedResults, 'findAll'>;
  readonly dispatcher: Pick<Dispatcher, 'has' | 'submitAll'>;
  readonly refusals: Pick<RefusalRecorder, 'record'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/** What one sweep remembers for the next. */
export interface SweepMemory {
  /** Ids of requests that have a result: it is checked once. */
  readonly finished: BoundedMap<string, true>;
  /** How far expired requests were looked at. */
  lookedUntil: ExpiryPlace;
}

export function createSweepMemory(): SweepMemory {
  return { finished: new BoundedMap(MAX_REMEMBERED), lookedUntil: FIRST_PLACE };
}

/** Sweeps every four seconds; a failure is logged, and tried again the next time. */
export function openSweeper(deps: SweeperDeps): { stop(): void } {
  const { logger } = deps;
  const memory = createSweepMemory();
  let isRunning = false;

  async function sweep(): Promise<void> {
    if (isRunning) return; // what is being written must not be found again
    isRunning = true;
    try {
      await resend(deps, memory);
      await recordExpired(deps, memory);
    } finally {
      isRunning = false;
    }
  }

  return openTicks(INTERVAL_MS, () => {
    sweep().catch((error: unknown) =>
      logger.warn({ event: 'sweep_failed', reason: String(error) }, 'sweep failed'),
    );
  });
}

/** A row that some party wrote is no result until it was checked: without a valid one the request is sent again. */
export async function resend(deps: SweeperDeps, memory: SweepMemory): Promise<void> {
  const { requests, dispatcher, logger } = deps;
  const open = await requests.findOpen(MIN_AGE_MS);
  const orphans = open.filter(
    ({ requestId, submission }) => !memory.finished.has(requestId) && !dispatcher.has(submission),
  );
  const claimed = orphans.filter(({ isClaimed }) => isClaimed).slice(0, MAX_AT_ONCE);
  const lost = [
    ...orphans.filter(({ isClaimed }) => !isClaimed).map(({ requestId }) => requestId),
    ...(await withoutResult(deps, claimed, memory)),
  ].slice(0, MAX_AT_ONCE);
  if (lost.length === 0) return;
  const items = await requests.readItems(lost);
  void Promise.all(dispatcher.submitAll(items));
  logger.info({ event: 'requests_swept', count: items.length }, 'unfinished requests resent');
}

/** Ids of those without a valid row. */
async function withoutResult(
  { results }: Pick<SweeperDeps, 'results'>,
  claimed: readonly { readonly requestId: string }[],
  { finished }: SweepMemory,
): Promise<string[]> {
  const lost: string[] = [];
  for (let at = 0; at < claimed.length; at += READ_AT_ONCE) {
    const ids = claimed.slice(at, at + READ_AT_ONCE).map(({ requestId }) => requestId);
    const found = await results.findAll(ids);
    for (const requestId of ids) {
      if (found.has(requestId)) finished.put(requestId, true);
      else lost.push(requestId);
    }
  }
  return lost;
}

/** Two gateways that look at the same time may both write it: twice is better than never. */
export async function recordExpired(
  deps: Pick<SweeperDeps, 'requests' | 'results' | 'refusals' | 'now'>,
  memory: SweepMemory,
): Promise<void> {
  const { requests } = deps;
  await recordFailed(deps, await requests.findExpired(MAX_AT_ONCE));
  const claimed = await requests.findClaimed(memory.lookedUntil, MAX_AT_ONCE);
  const unchecked = claimed.filter(({ requestId }) => !memory.finished.has(requestId));
  const lost = new Set(await withoutResult(deps, unchecked, memory));
  await recordFailed(
    deps,
    claimed.filter(({ requestId }) => lost.has(requestId)),
  );
  memory.lookedUntil = claimed.at(-1) ?? memory.lookedUntil;
}

async function recordFailed(
  { refusals, now }: Pick<SweeperDeps, 'refusals' | 'now'>,
  expired: readonly ExpiredRequest[],
): Promise<void> {
  await Promise.all(
    expired.map(({ requestId, operation, createdBy, path }) => {
      const matched = findSigningOperation('POST', path) ?? findSigningBatch('POST', path);
      const params = matched?.params ?? {};
      return refusals.record({
        at: now(),
        action: operation,
        actorId: createdBy,
        requestId,
        refusal: EXPIRED,
        vaultId: params['vault_id'],
        walletAddress: params['address'],
        keyId: params['key_id'],
      });
    }),
  );
}
