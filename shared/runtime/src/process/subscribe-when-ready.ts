/** What of an ioredis connection a subscription needs. */
export interface SubscribingRedis {
  readonly status: string;
  once(event: 'ready', listener: () => void): unknown;
  subscribe(channel: string): Promise<unknown>;
}

/**
 * From now on the connection hears the channel, also after it was lost. One that subscribes after it has connected and
 * before it is ready fails its own ready check, comes back without the subscription, and tells nobody (ioredis).
 */
export async function subscribeWhenReady(redis: SubscribingRedis, channel: string): Promise<void> {
  while (redis.status !== 'ready') {
    await new Promise<void>((resolve) => void redis.once('ready', resolve));
  }
  await redis.subscribe(channel);
}
