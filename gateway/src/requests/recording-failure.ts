import { refuse } from '@countersign/core/errors.js';
import type { SignedExchange } from '../admission/exchange.js';
import { refuseCaller } from './refuse-caller.js';
import { ApiError } from '../http/public-error.js';

/**
 * Runs `handle`. If it throws, a known caller's request goes on record as a failure, unless it had left this gateway by
 * then. In that case the parties or the ledger say how it ended, and it is said only once. The answer does not wait for
 * the record, since the store that is to take it may be what is away.
 */
export async function recordingFailure<Answer>(
  deps: Parameters<typeof refuseCaller>[0],
  action: string,
  exchange: Pick<SignedExchange, 'caller' | 'requestId' | 'params'>,
  handle: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof ApiError && error.isUndecided) throw error;
    const failure =
      error instanceof ApiError
        ? { refused: error.errType, message: error.message }
        : refuse('internal_server_error', 'internal error');
    refuseCaller(deps, action, exchange, failure).catch(() => undefined);
    throw error;
  }
}
