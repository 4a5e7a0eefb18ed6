/** All that the parties' processes say to each other, as Redis carries it. */
import type { RecordedFrame } from './channel-attacker.ts';
import { openTestRedis } from './restart-redis.ts';

export interface PartyRecorder {
  readonly frames: readonly RecordedFrame[];
  stop(): void;
}

export async function recordParties(redisUrl: string): Promise<PartyRecorder> {
  const frames: RecordedFrame[] = [];
  const redis = openTestRedis(redisUrl);
  redis.on('pmessageBuffer', (_pattern: string, channel: Buffer, bytes: Buffer) => {
    frames.push({ channel: channel.toString(), bytes: Buffer.from(bytes) });
  });
  await new Promise<void>((resolve) => redis.once('ready', resolve));
  await redis.psubscribe('countersign:party:*');
  return { frames, stop: () => redis.disconnect() };
}
