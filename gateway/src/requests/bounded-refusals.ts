/**
 * Bounds what is written down of attempts that a freeze stopped, or that came from an address that an API key may not be
 * used from. Whoever holds a frozen bot or a stolen API key may try again all day: what is on record tells people what
 * was stopped, and neither grows with the flood nor lets one caller or target use up what others have. Memory of this
 * process only.
 */
import { deny } from '@countersign/core/denials.js';
import { refuse } from '@countersign/core/errors.js';
import { refusalWord } from '@countersign/vault/policy/refusal-word.js';
import { TokenBucket, type BucketSize } from '@countersign/runtime/process/token-bucket.js';
import type { BarredRecorder } from '../admission/barred-callers.js';
import { BoundedTable } from '../admission/bounded-table.js';
import type { RefusalRecorder } from './refusal-recorder.js';
import type { RefusedRequest } from './refused-request.js';

/** Of one caller at one target, or from one address: 20 at once, then six an hour. */
const OF_TARGET: BucketSize = { capacity: 20, perSecond: 1 / 600 };
/** Of one caller altogether. Targets are the caller's text while the whole system is frozen. */
const OF_CALLER: BucketSize = { capacity: 200, perSecond: 1 / 60 };
/** A wallet's address that is longer is nobody's. */
const MAX_ADDRESS = 200;

/** The reason on record for a caller who is frozen. The answer tells callers less. */
export const FROZEN_CALLER = 'the user is frozen';

interface Attempts {
  readonly bucket: TokenBucket;
  /** How many were not written down since the last one that was. */
  omitted: number;
}

export type BoundedRecorder = RefusalRecorder & BarredRecorder;

/** `now`: ms. */
export function boundRefusals(recorder: RefusalRecorder, now: () => number): BoundedRecorder {
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

  const record = (refused: RefusedRequest) =>
    isOfFreeze(refused) ? recordSome(refused, targetOf(refused)) : recorder.record(refused);

  async function recordSome(refused: RefusedRequest, targetId?: string): Promise<void> {
    const rows = rowsOf(refused.actorId, targetId);
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
    recordElsewhere(attempt, address) {
      const refusal = deny('address_not_allowed');
      const message = `${refusal.message}: ${address}`;
      return recordSome({ ...attempt, refusal: { ...refusal, message } }, address);
    },
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
