/**
 * Bounds what is written down of attempts that a freeze stopped. Whoever holds a frozen bot, or asks for a frozen key,
 * may try again all day: what is on record tells people what was stopped, and neither grows with the flood nor lets one
 * caller or target use up what others have. Memory of this process only.
 */
import { refuse } from '@countersign/core/errors.js';
import { refusalWord } from '@countersign/vault/policy/refusal-word.js';
import { TokenBucket, type BucketSize } from '@countersign/runtime/process/token-bucket.js';
import type { FrozenRecorder } from '../admission/barred-callers.js';
import { BoundedTable } from '../admission/bounded-table.js';
import type { RefusalRecorder } from './refusal-recorder.js';
import type { RefusedRequest } from './refused-request.js';

/** Of one caller at one target: 20 at once, then six an hour. */
const OF_TARGET: BucketSize = { capacity: 20, perSecond: 1 / 600 };
/** Of one caller at all targets, which are the caller's text while the whole system is frozen. */
const OF_CALLER: BucketSize = { capacity: 200, perSecond: 1 / 60 };
/** An address that is longer is nobody's. */
const MAX_ADDRESS = 200;

/** The reason on record for a caller who is frozen. The answer tells callers less. */
export const FROZEN_CALLER = 'the user is frozen';

interface Attempts {
  readonly bucket: TokenBucket;
  /** How many were not written down since the last one that was. */
  omitted: number;
}

export type BoundedRecorder = RefusalRecorder & FrozenRecorder;

/** `now`: ms. */
export function boundFreezeRecords(recorder: RefusalRecorder, now: () => number): BoundedRecorder {
  const table = (size: BucketSize) =>
    new BoundedTable<Attempts>(() => ({ bucket: new TokenBucket(size, now), omitted: 0 }));
  const [callers, targets] = [table(OF_CALLER), table(OF_TARGET)];

  /** A frozen caller counts as one target, whatever they ask for. */
  function rowsOf(callerId: string, targetId = ''): readonly [Attempts, Attempts] {
    return [targets.row(`${callerId} ${targetId}`), callers.row(callerId)];
  }
  function hasRoom(rows: readonly Attempts[]): boolean {
    const isRoom = rows.every(({ bucket }) => bucket.secondsUntil(1) === 0);
    if (!isRoom) rows[0]!.omitted += 1;
    return isRoom;
  }

  async function record(refused: RefusedRequest): Promise<void> {
    if (!isOfFreeze(refused)) return recorder.record(refused);
    const rows = rowsOf(refused.actorId, targetOf(refused));
    if (!hasRoom(rows)) return;
    for (const { bucket } of rows) bucket.tryTake(1);
    const { omitted } = rows[0];
    rows[0].omitted = 0;
    await recorder.record(bounded(refused, omitted));
  }

  return {
    record,
    drain: () => recorder.drain(),
    takesFrozen: (callerId) => hasRoom(rowsOf(callerId)),
    recordFrozen: (attempt) =>
      record({ ...attempt, refusal: refuse('unauthorized', FROZEN_CALLER) }),
  };
}

function isOfFreeze({ refusal }: RefusedRequest): boolean {
  return refusal.message === FROZEN_CALLER || refusalWord(refusal) === 'frozen';
}

function targetOf({ refusal, keyId, vaultId }: RefusedRequest): string | undefined {
  return refusal.message === FROZEN_CALLER ? undefined : (keyId ?? vaultId);
}

function bounded(refused: RefusedRequest, omitted: number): RefusedRequest {
  const { refusal, walletAddress, evidence: _left, ...rest } = refused;
  const more = omitted === 0 ? '' : `; ${omitted} earlier attempts were not written down`;
  return {
    ...rest,
    refusal: { ...refusal, message: refusal.message + more },
    walletAddress: walletAddress?.slice(0, MAX_ADDRESS),
  };
}
