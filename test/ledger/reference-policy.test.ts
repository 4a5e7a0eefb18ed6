/** The policy engine against an evaluator written apart from it; a hundred thousand requests in workshop/slow. */
import { expect, it } from '@jest/globals';
import { compareWithReference } from '../support/random-policies.ts';

it('decides as the reference does, 4,800 random requests long', () => {
  const { allowed, denied, asked, askedBeyondLimit, differences } = compareWithReference(1, 480);
  expect(differences.slice(0, 1)).toEqual([]);
  expect(Math.min(allowed, denied)).toBeGreaterThan(400);
  expect(asked).toBeGreaterThan(100);
  expect(askedBeyondLimit).toBeGreaterThan(5);
});
