import { expect, test } from '@jest/globals';
import { rulesVersion1 } from '../ledger/rules-version-1.js';
import { ANSWERS } from './answers.js';
import { CHECKS } from './check-request.js';

const judged = rulesVersion1.operations.map(({ id }) => id);

test('what is judged is answered, and nothing else is', () => {
  expect([...ANSWERS.keys()].toSorted()).toEqual(judged.toSorted());
});

test('nothing is checked before it is appended that nobody judges', () => {
  expect([...CHECKS.keys()].filter((id) => !judged.includes(id))).toEqual([]);
});
