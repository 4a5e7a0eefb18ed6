/**
 * Brings requests to an end that were answered 202: those whose gateway died are sent again by any gateway, and
 * those that came to nothing in their time go on record as failed.
 */
import { refuse } from '@countersign/core/errors.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import type { RefusalRecorder } from '../refusals/refusal-recorder.js';
import type { Dispatcher } from './dispatcher.js';
import type { SigningRequests } from './signing-requests.js';

const INTERVAL_MS = 2_000;
/** Younger ones are still their own gateway's. */
const MIN_AGE_MS = 6_000;
const MAX_AT_ONCE = 200;

const EXPIRED = refuse('gateway_timeout', 'expired before it was signed');

export interface SweeperDeps {
  readonly requests: Pick<SigningRequests, 'findUnfinished' | 'findExpired'>;
  readonly dispatcher: Pick<Dispatcher, 'has' | 'submit'>;
  readonly refusals: Pick<RefusalRecorder, 'record'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Looks every two seconds; what goes wrong is logged, and tried again the next time. */
export function openSweeper(deps: SweeperDeps): { stop(): void } {
  const { logger } = deps;
  let isRunning = false;

  async function sweep(): Promise<void> {
    if (isRunning) return; // what is being written must not be found again
    isRunning = true;
    try {
      await resend(deps);
      await recordExpired(deps);
    } finally {
      isRunning = false;
    }
  }

  const timer = setInterval(() => {
    sweep().catch((error: unknown) =>
      logger.warn({ event: 'sweep_failed', reason: String(error) }, 'sweep failed'),
    );
  }, INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}

async function resend({ requests, dispatcher, logger }: SweeperDeps): Promise<void> {
  const items = await requests.findUnfinished(MIN_AGE_MS, MAX_AT_ONCE);
  const orphans = items.filter((item) => !dispatcher.has(item.submission));
  for (const item of orphans) void dispatcher.submit(item);
  if (orphans.length > 0) {
    logger.info({ event: 'requests_swept', count: orphans.length }, 'unfinished requests resent');
  }
}

/** Two gateways that look at the same moment may both write it: twice is better than never. */
export async function recordExpired({
  requests,
  refusals,
  now,
}: Pick<SweeperDeps, 'requests' | 'refusals' | 'now'>): Promise<void> {
  const expired = await requests.findExpired(MAX_AT_ONCE);
  await Promise.all(
    expired.map(({ requestId, operation, createdBy, path }) => {
      const params = findSigningOperation('POST', path)?.params ?? {};
      return refusals.record({
        at: now(),
        action: operation,
        actorId: createdBy,
        requestId,
        refusal: EXPIRED,
        vaultId: params['vault_id'],
        walletAddress: params['address'],
        keyId: params['key_id'],
      });
    }),
  );
}
