/** The record of a request that was answered 202: what it says of the end. */
import { failure, type CallResult } from '../answers/call-result.js';
import { ownField, textField } from '../answers/json-fields.js';

/** The record's outcome; undefined while it is being worked on. */
export function outcomeOfRecord(
  record: unknown,
  requestId: string,
): CallResult<unknown> | undefined {
  const status = textField(record, 'status');
  switch (status) {
    case 'processing':
      return undefined;
    case 'completed':
      return resultOf(record, requestId);
    case 'expired':
      return failure('expired', 'the request expired: nothing was signed in time', { requestId });
    case 'cancelled':
      return failure('cancelled', 'the request was cancelled', { requestId });
    default:
      return errorOf(
        ownField(record, 'error'),
        `the request ended as ${String(status)}`,
        requestId,
      );
  }
}

/** What was signed before a freeze and not given out has an error in its place. */
function resultOf(record: unknown, requestId: string): CallResult<unknown> {
  const result = ownField(record, 'result');
  if (result === undefined) {
    const error = ownField(record, 'error');
    return errorOf(error, 'the record of a completed request has no result', requestId);
  }
  return result === null
    ? failure('gone', 'the request was completed, and what it made is gone since', { requestId })
    : { ok: true, status: 200, value: result, requestId };
}

function errorOf(error: unknown, otherwise: string, requestId: string): CallResult<never> {
  const errType = textField(error, 'err_type');
  const errMsg = textField(error, 'err_msg');
  return errType === undefined || errMsg === undefined
    ? failure('bad_answer', otherwise, { requestId })
    : failure(errType, errMsg, { requestId });
}

export function stillProcessing(requestId: string, record: unknown): CallResult<never> {
  const phase = textField(record, 'phase');
  const where = phase === undefined ? '' : ` (${phase})`;
  return failure(
    'still_processing',
    `request ${requestId} is still being worked on${where}: look at GET /v1/requests/${requestId}`,
    { requestId },
  );
}
