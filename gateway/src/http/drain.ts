import { setTimeout } from 'node:timers/promises';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { StopCause } from '@countersign/runtime/process/process-life.js';

/**
 * Waits before the server stops listening: a balancer sends requests until it has next asked for readiness, and a
 * closed port would refuse them. Ctrl-C, and a starter that has ended, need no wait.
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
