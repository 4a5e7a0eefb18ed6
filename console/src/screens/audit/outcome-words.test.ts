import { expect, it } from '@jest/globals';
import { outcomeWords } from './outcome-words.js';

it.each([
  ['allowed', {}, { mood: 'good', words: 'allowed' }],
  ['denied', { reason: 'frozen' }, { mood: 'bad', words: 'denied' }],
  ['failed', {}, { mood: 'warn', words: 'failed' }],
  ['allowed', { waits_for: 'approvals' }, { mood: 'plain', words: 'waits: approvals' }],
  ['allowed', { waits_for: 'delay' }, { mood: 'plain', words: 'waits: delay' }],
] as const)('says what came of an entry: %s %j', (outcome, details, words) => {
  expect(outcomeWords({ outcome, details })).toEqual(words);
});
