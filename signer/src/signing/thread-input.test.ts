import { expect, it } from '@jest/globals';
import { forgetWrongShares } from './thread-input.js';

it('has the shares read anew that do not open, and no others', () => {
  const forgotten: (readonly string[])[] = [];
  const shares = { forget: (keyIds: readonly string[]) => void forgotten.push(keyIds) };
  const jobs = ['a', 'b', 'c'].map((keyId) => ({ key: { keyId } }));
  forgetWrongShares(shares, jobs, [
    { ok: true },
    { ok: false, reason: 'share' },
    { ok: false, reason: 'partner-share' },
  ]);
  expect(forgotten).toEqual([['b']]);
  forgetWrongShares(shares, jobs, [{ ok: true }, { ok: true }, { ok: true }]);
  expect(forgotten).toEqual([['b']]);
});
