/** The part of an ioredis connection that a subscription needs. */
export interface SubscribingRedis {
  readonly status: string;
  once(event: 'ready', listener: () => void): unknown;
  subscribe(channel: string): Promise<unknown>;
}

/**
 * Subscribes the connection to the channel for good, even after it is lost. A connection that subscribes after it has
 * connected and before it is ready fails its own ready check, comes back without the subscription, and tells nobody
 * (ioredis).
 */
export async function subscribeWhenReady(redis: SubscribingRedis, channel: string): Promise<void> {
  while (redis.status !== 'ready') {
    await new Promise<void>((resolve) => void redis.once('ready', resolve));
  }
  await redis.subscribe(channel);
}
