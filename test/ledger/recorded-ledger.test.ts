/**
 * The recorded ledger of release zero, folded again by today's code. It is never recorded anew: a release that judges
 * otherwise adds a version of the rules, with a recorded ledger of its own.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { SIGNING_HOLDS } from '@countersign/vault/operations/signing-holds.js';
import { refoldRecorded, verdictOf, type RecordedRow } from '../support/recorded-rows.ts';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { rechain } from '../support/ledger-builder.ts';
import { tellReleaseZeroStory } from '../support/release-zero-story.ts';

interface Recorded {
  readonly evidence_key: string;
  readonly entries: readonly RecordedRow[];
}

function read(name: string): Recorded {
  const file = new URL(`../vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Recorded;
}

const recorded = read('release-zero-ledger');
const { entries } = recorded;
const verdicts = entries.map(({ operation, refused, rules }) => ({ operation, refused, rules }));

describe('the recorded ledger of release zero', () => {
  const folded = refoldRecorded(recorded);

  it('is judged as it was, and comes to the recorded states after every row', () => {
    expect(folded.rows).toEqual(entries);
  });

  it('told anew is accepted and refused alike', () => {
    expect(tellReleaseZeroStory().outcomes.map(verdictOf)).toEqual(verdicts);
    expect(new Set(verdicts.map(({ rules }) => rules))).toEqual(new Set([null, 1]));
  });

  it('holds every operation, signatures that wait included, accepted', () => {
    const accepted = new Set(
      verdicts.flatMap(({ operation, refused, rules }) =>
        refused === null && rules === 1 ? [operation] : [],
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

describe('a ledger that was made before release zero', () => {
  it('is not read: the node says so in one sentence', () => {
    const { evidence_key: key, entries: old } = read('before-release-zero');
    const rows = rechain(old.map(({ body }) => Buffer.from(body, 'base64')));
    const fold = createFold({ keys: createEvidenceKeys([Buffer.from(key, 'base64')]) });
    expect(() => fold.advance(rows)).toThrow('made before release zero is made anew');
  });
});
