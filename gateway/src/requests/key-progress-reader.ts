import {
  decodeKeyProgress,
  keyProgressKey,
  type KeyProgress,
} from '@countersign/runtime/jobs/key-progress.js';
import type { Redis } from 'ioredis';

/** The parties' last word on a key that they are generating; undefined when nothing is known. */
export type KeyProgressReader = (keyId: string) => Promise<KeyProgress | undefined>;

/** Without Redis the progress is unknown. */
export function createKeyProgressReader(redis: Redis): KeyProgressReader {
  return async (keyId) => {
    // a hint is not worth an error
    const text = await redis.get(keyProgressKey(keyId)).catch(() => null);
    return text === null ? undefined : decodeKeyProgress(text);
  };
}
