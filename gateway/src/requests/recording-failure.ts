import { ApiError, refuse } from '@countersign/core/errors.js';
import type { SignedExchange } from '../admission/exchange.js';
import { refuseCaller } from './refuse-caller.js';

/**
 * What `handle` comes to. When it throws, a known caller's request came to nothing: that goes on record as a failure,
 * unless the request had left this gateway by then. What became of it is for the parties or the ledger to say, and it is said once.
 * The answer does not wait for it, since the store that is to take the record may be what is away.
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
