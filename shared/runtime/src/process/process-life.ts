/** How a process ends: in order when told to, at once when it no longer knows its own state. */
import type { Logger } from './logger.js';

/** A signal, or the end of whoever started this process. */
export type StopCause = 'SIGTERM' | 'SIGINT' | 'disconnect';

export interface ProcessLife {
  /** Adds a step of an orderly stop; steps run in reverse. Each is told what stops the process. */
  onStop(step: (by: StopCause) => unknown): void;
  readonly isStopping: boolean;
}

/**
 * Listens for signals, for the end of whoever started us, and for errors that nobody caught. A stop that takes longer
 * than `stopWithinMs`, because a store does not answer, ends with exit code 1.
 */
export function openProcessLife(logger: Logger, stopWithinMs: number): ProcessLife {
  const steps: ((by: StopCause) => unknown)[] = [];
  let isStopping = false;

  async function stop(signal: StopCause): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    logger.info({ event: 'stopping', signal }, 'stopping');
    setTimeout(() => {
      logger.error(
        { event: 'stop_timeout' },
        'the process stopped before every step of the shutdown was done',
      );
      process.exit(1);
    }, stopWithinMs).unref();
    for (const step of steps.toReversed()) {
      await Promise.resolve()
        .then(() => step(signal))
        .catch((error: unknown) =>
          logger.warn(
            { event: 'stop_step_failed', reason: String(error) },
            'a step of the shutdown failed',
          ),
        );
    }
    process.exit(0);
  }

  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('disconnect', () => void stop('disconnect'));
  if (process.connected === false) void stop('disconnect'); // it was gone before we could listen
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      logger.fatal({ event, reason }, 'the process ended by an error that nobody caught');
      process.exit(1);
    });
  }
  return {
    onStop: (step) => void steps.push(step),
    get isStopping() {
      return isStopping;
    },
  };
}
