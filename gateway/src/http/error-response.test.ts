import { expect, it } from '@jest/globals';
import { errorBody } from './error-response.js';
import { refuseTooOften } from './public-error.js';

it('the body says when a limit has room again, and nothing of overload', () => {
  const reached = { refused: 'forbidden', message: 'a limit', retryAfterS: 37 } as const;
  const told = { err_type: 'forbidden', err_msg: 'a limit', retry_after_s: 37 };
  expect(errorBody(reached)).toEqual(told);
  expect(errorBody(refuseTooOften('too much', 1))).not.toHaveProperty('retry_after_s');
});
