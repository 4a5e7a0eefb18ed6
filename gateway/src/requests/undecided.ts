import { ApiError } from '../http/public-error.js';

/**
 * Runs what follows once a request has left this gateway: an error then does not say how the request ended. Throws what
 * `then` throws, marked as such.
 */
export async function sayingUndecided<Answer>(then: () => Promise<Answer>): Promise<Answer> {
  try {
    return await then();
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw new ApiError('internal_server_error', 'internal error', {
        cause: error,
        isUndecided: true,
      });
    }
    const { errType, message, cause, retryAfterS } = error;
    throw new ApiError(errType, message, { cause, retryAfterS, isUndecided: true });
  }
}
