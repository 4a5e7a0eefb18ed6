/**
 * A recorded ledger that begins under the first rules and goes on to the second, folded again by today's code. It is
 * never recorded anew: see `test/ledger/countersigned-golden.test.ts` for the ledger of the first rules alone.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { rechain } from '../support/ledger-builder.ts';
import { tellSecondRulesStory } from '../support/second-rules-story.ts';

interface RecordedEntry {
  /** Base64. */
  readonly body: string;
  /** Of the state, and of the newest state, after this row was folded. */
  readonly state_hash: string;
  readonly tip_hash: string;
  readonly operation: string | null;
  readonly refused: string | null;
  readonly rules: number | null;
}

const FILE = new URL('../vectors/second-rules-ledger.json', import.meta.url);
const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as {
  readonly evidence_key: string;
  readonly entries: readonly RecordedEntry[];
};

const verdictOf = ({ operation, refusal, judgedBy }: EntryOutcome) => ({
  operation: operation?.id ?? null,
  refused: refusal?.refused ?? null,
  rules: judgedBy?.rules ?? null,
});
const verdicts = recorded.entries.map(({ operation, refused, rules }) => ({
  operation,
  refused,
  rules,
}));

describe('the recorded ledger that goes on to the second rules', () => {
  it('is judged as it was, and comes to the recorded states after every row', () => {
    const keys = createEvidenceKeys([Buffer.from(recorded.evidence_key, 'base64')]);
    const fold = createFold({ keys });
    const outcomes: EntryOutcome[] = [];
    const hashes = rechain(recorded.entries.map(({ body }) => Buffer.from(body, 'base64'))).map(
      (row) => {
        outcomes.push(...fold.advance([row]));
        const { state, tip } = fold.view;
        return [stateHash(state), stateHash(tip)];
      },
    );
    const judged = outcomes.map((outcome) => ({
      ...verdictOf(outcome),
      hash: Buffer.from(outcome.hash).toString('hex'),
      kind: outcome.kind,
      at: outcome.at,
      countersigned_by: (outcome.judgedBy?.countersignatures ?? []).map(({ party }) => party),
    }));
    expect(judged).toEqual(
      recorded.entries.map(
        ({ body: _body, state_hash: _state, tip_hash: _tip, ...judgement }) => judgement,
      ),
    );
    expect(hashes).toEqual(recorded.entries.map((entry) => [entry.state_hash, entry.tip_hash]));
  });

  it('told anew is accepted and refused alike, by both rules', () => {
    expect(tellSecondRulesStory().outcomes.map(verdictOf)).toEqual(verdicts);
    expect(new Set(verdicts.map(({ rules }) => rules))).toEqual(new Set([null, 1, 2]));
  });
});
