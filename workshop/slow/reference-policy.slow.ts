/** The policy engine against an evaluator written apart from it: `FIRST_SEED` chooses other policies and requests. */
import { expect, it } from '@jest/globals';
import { compareWithReference } from '../../test/support/random-policies.ts';

const FIRST_SEED = Number(process.env['FIRST_SEED'] ?? 1_000_000);

it('decides as the reference does, 100,000 random requests long', () => {
  const { allowed, denied, asked, askedBeyondLimit, differences } = compareWithReference(
    FIRST_SEED,
    10_000,
  );
  expect(differences.slice(0, 1)).toEqual([]);
  expect(Math.min(allowed, denied)).toBeGreaterThan(10_000);
  expect(asked).toBeGreaterThan(2_000);
  expect(askedBeyondLimit).toBeGreaterThan(50);
});
