/** Brings requests to an end whose gateway died after its 202: any gateway sends them again. */
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Dispatcher } from './dispatcher.js';
import type { SigningRequests } from './signing-requests.js';

const INTERVAL_MS = 2_000;
/** Younger ones are still their own gateway's. */
const MIN_AGE_MS = 6_000;
const MAX_AT_ONCE = 200;

/** Looks every two seconds; what goes wrong is logged, and tried again the next time. */
export function openSweeper(
  requests: SigningRequests,
  dispatcher: Dispatcher,
  logger: Logger,
): { stop(): void } {
  async function sweep(): Promise<void> {
    const items = await requests.findUnfinished(MIN_AGE_MS, MAX_AT_ONCE);
    const orphans = items.filter((item) => !dispatcher.has(item.submission));
    for (const item of orphans) void dispatcher.submit(item);
    if (orphans.length > 0) {
      logger.info({ event: 'requests_swept', count: orphans.length }, 'unfinished requests resent');
    }
  }

  const timer = setInterval(() => {
    sweep().catch((error: unknown) =>
      logger.warn({ event: 'sweep_failed', reason: String(error) }, 'sweep failed'),
    );
  }, INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}
