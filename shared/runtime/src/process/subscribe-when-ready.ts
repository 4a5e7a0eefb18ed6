import { setTimeout } from 'node:timers/promises';

/** The part of an ioredis connection that a subscription needs. */
export interface SubscribingRedis {
  readonly status: string;
  once(event: 'ready', listener: () => void): unknown;
  subscribe(channel: string): Promise<unknown>;
}

/** A Redis that refuses for a while, since it is busy or a right is missing, is asked again after this, ms. */
const ASK_AGAIN_MS = 1_000;

/**
 * Subscribes the connection to the channel for good, even after it is lost. A connection that subscribes after it has
 * connected and before it is ready fails its own ready check, comes back without the subscription, and tells nobody
 * (ioredis). `onRefused` is told each time that Redis refuses it.
 */
export async function subscribeWhenReady(
  redis: SubscribingRedis,
  channel: string,
  onRefused: (error: unknown) => void,
): Promise<void> {
  while (redis.status !== 'end') {
    if (redis.status !== 'ready') {
      await new Promise<void>((resolve) => void redis.once('ready', resolve));
      continue;
    }
    try {
      await redis.subscribe(channel);
      return;
    } catch (error) {
      onRefused(error);
      await setTimeout(ASK_AGAIN_MS, undefined, { ref: false });
    }
  }
}
