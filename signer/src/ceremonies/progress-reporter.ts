/** Reports the progress of a key generation for its request record, as a hint in Redis. */
import { encodeKeyProgress, keyProgressKey } from '@countersign/runtime/jobs/key-progress.js';
import type { KeyProgress } from '@countersign/runtime/jobs/key-progress.js';
import type { Redis } from 'ioredis';

const INTERVAL_MS = 500;
const KEPT_S = 60;

export type ProgressReporter = (keyId: string, progress: KeyProgress) => void;

export function createProgressReporter(redis: Redis, now: () => number): ProgressReporter {
  const reported = new Map<string, number>();
  return (keyId, progress) => {
    if (now() - (reported.get(keyId) ?? 0) < INTERVAL_MS) return;
    reported.clear(); // generations run one at a time: only the last one matters
    reported.set(keyId, now());
    redis
      .set(keyProgressKey(keyId), encodeKeyProgress(progress), 'EX', KEPT_S)
      .catch(() => undefined);
  };
}
