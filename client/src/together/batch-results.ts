/** What became of each item of a batch. */
import { failure, type CallError, type CallResult } from '../answers/call-result.js';
import { listField, ownField, textField } from '../answers/json-fields.js';

/** The vault's word, behind the names of the rules: a batch waits for nobody's approval. */
const ASKS_ALONE = /: ask for this item alone$/;

/** Whether the item may be signed yet if it is asked for in a request of its own. */
export function isToAskAlone({ errType, errMsg }: CallError): boolean {
  return errType === 'forbidden' && ASKS_ALONE.test(errMsg);
}

/**
 * Whether a batch was refused for its content: for one of its items, or for the size of all. That says nothing of the
 * others.
 */
export function isRefusedForContent({ errType }: CallError): boolean {
  return errType === 'invalid_inputs' || errType === 'parse_error';
}

/** One for each item, in order; failures, all of them, where the answer has not one for each. */
export function readBatchResults(value: unknown, count: number): CallResult<unknown>[] {
  const results = listField(value, 'results') ?? [];
  const isComplete =
    results.length === count && results.every((one, at) => ownField(one, 'index') === at);
  if (isComplete) return results.map(readResult);
  const bad = failure('bad_answer', 'the answer has not a result for each item', { status: 200 });
  return Array.from({ length: count }, () => bad);
}

/** When a limit that was reached has room again, at the earliest. */
function roomOf(result: unknown): Pick<CallError, 'retryAfterS'> {
  const retryAfterS = ownField(result, 'retry_after_s');
  return typeof retryAfterS === 'number' && retryAfterS > 0 ? { retryAfterS } : {};
}

function readResult(result: unknown): CallResult<unknown> {
  const id = textField(result, 'item_id');
  const requestId = id === undefined ? {} : { requestId: id };
  const status = textField(result, 'status');
  if (status === 'signed') return { ok: true, status: 200, value: result, ...requestId };
  const errType = textField(result, 'err_type');
  const errMsg = textField(result, 'err_msg');
  const isRefusal = status === 'denied' || status === 'failed';
  return !isRefusal || errType === undefined || errMsg === undefined
    ? failure('bad_answer', 'a result of a batch says not what became of its item', requestId)
    : failure(errType, errMsg, { ...requestId, ...roomOf(result) });
}
