import { setTimeout } from 'node:timers/promises';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { StopCause } from '@countersign/runtime/process/process-life.js';

/**
 * Before it stops listening: a balancer goes on sending until it has asked for readiness once more, and whoever it sends to a
 * closed port is refused. Ctrl-C, and a starter that has ended, wait for no balancer.
 */
export async function drain(
  by: StopCause,
  forMs: number,
  logger: Pick<Logger, 'info'>,
  wait: (ms: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  if (by !== 'SIGTERM' || forMs === 0) return;
  logger.info({ event: 'draining', duration_ms: forMs }, 'not ready any more, and still serving');
  await wait(forMs);
}
