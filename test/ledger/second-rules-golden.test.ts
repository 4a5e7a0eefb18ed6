/**
 * A recorded ledger that begins under the first rules and goes on to the second, folded again by today's code. It is
 * never recorded anew: see `test/ledger/countersigned-golden.test.ts` for the ledger of the first rules alone.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { refoldRecorded, verdictOf, type RecordedRow } from '../support/recorded-rows.ts';
import { tellSecondRulesStory } from '../support/second-rules-story.ts';

const FILE = new URL('../vectors/second-rules-ledger.json', import.meta.url);
const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as {
  readonly evidence_key: string;
  readonly entries: readonly RecordedRow[];
};

const verdicts = recorded.entries.map(({ operation, refused, rules }) => ({
  operation,
  refused,
  rules,
}));

describe('the recorded ledger that goes on to the second rules', () => {
  it('is judged as it was, and comes to the recorded states after every row', () => {
    expect(refoldRecorded(recorded).rows).toEqual(recorded.entries);
  });

  it('told anew is accepted and refused alike, by both rules', () => {
    expect(tellSecondRulesStory().outcomes.map(verdictOf)).toEqual(verdicts);
    expect(new Set(verdicts.map(({ rules }) => rules))).toEqual(new Set([null, 1, 2]));
  });
});
