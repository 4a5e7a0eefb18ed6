/**
 * A recorded ledger that goes on from the second rules to the third, folded again by today's code. It is never recorded anew: a
 * release that judges otherwise adds a version of the rules.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { SIGNING_HOLDS } from '@countersign/vault/operations/signing-holds.js';
import { refoldRecorded, verdictOf, type RecordedRow } from '../support/recorded-rows.ts';
import { tellThirdRulesStory } from '../support/third-rules-story.ts';

const FILE = new URL('../vectors/third-rules-ledger.json', import.meta.url);
const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as {
  readonly evidence_key: string;
  readonly entries: readonly RecordedRow[];
};
const { entries } = recorded;
const verdicts = entries.map(({ operation, refused, rules }) => ({ operation, refused, rules }));

describe('the recorded ledger that goes on to the third rules', () => {
  const folded = refoldRecorded(recorded);

  it('is judged as it was, and comes to the recorded states after every row', () => {
    expect(folded.rows).toEqual(entries);
  });

  it('told anew is accepted and refused alike, by both rules', () => {
    expect(tellThirdRulesStory().outcomes.map(verdictOf)).toEqual(verdicts);
    expect(new Set(verdicts.map(({ rules }) => rules))).toEqual(new Set([null, 2, 3]));
  });

  it('holds every operation of these rules, signatures that wait included, accepted by them', () => {
    const accepted = new Set(
      verdicts.flatMap(({ operation, refused, rules }) =>
        refused === null && rules === 3 ? [operation] : [],
      ),
    );
    const all = [...LEDGER_OPERATIONS, ...SIGNING_HOLDS].map(({ id }) => id);
    expect(all.filter((id) => !accepted.has(id))).toEqual([]);
  });

  it('holds every end of what waits, and many kinds of refusal', () => {
    const ends = [...folded.state.heldRequests.rows.values()];
    const endsOf = (isSigning: boolean) =>
      [
        ...new Set(
          ends.flatMap(({ status, signing }) =>
            (signing !== undefined) === isSigning ? [status] : [],
          ),
        ),
      ].toSorted();
    expect(endsOf(false)).toEqual(['applied', 'cancelled', 'expired', 'failed', 'rejected']);
    expect(endsOf(true)).toEqual(['cancelled', 'expired', 'rejected', 'released', 'waiting']);
    expect([...new Set(entries.flatMap(({ refused }) => refused ?? []))].toSorted()).toEqual([
      'forbidden',
      'invalid_inputs',
      'not_found',
      'parse_error',
      'resource_conflict',
      'resource_not_found',
      'unauthorized',
    ]);
  });
});
