/**
 * A recorded ledger with its countersignatures, folded again by today's code: what was judged, when, by whom and by
 * which rules, and what came of it. It is never recorded anew: a release that judges otherwise adds a version of the
 * rules, and this file stays as it is.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { createFold, type LedgerView } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { rechain } from '../support/ledger-builder.ts';

interface RecordedLedger {
  readonly about: string;
  /** Base64. */
  readonly evidence_key: string;
  readonly entries: readonly RecordedEntry[];
}

interface RecordedEntry {
  /** Base64. */
  readonly body: string;
  readonly hash: string;
  readonly kind: string;
  readonly operation: string | null;
  readonly refused: string | null;
  /** When it was judged, ms. */
  readonly at: number;
  readonly rules: number | null;
  readonly countersigned_by: readonly number[];
  /** Of the state, and of the newest state, after this row was folded. */
  readonly state_hash: string;
  readonly tip_hash: string;
}

const FILE = new URL('../vectors/countersigned-ledger.json', import.meta.url);

let recorded: RecordedLedger;
let outcomes: EntryOutcome[];
let views: LedgerView[];

beforeAll(() => {
  recorded = JSON.parse(readFileSync(FILE, 'utf8')) as RecordedLedger;
  const keys = createEvidenceKeys([Buffer.from(recorded.evidence_key, 'base64')]);
  const fold = createFold({ keys });
  outcomes = [];
  views = rechain(recorded.entries.map(({ body }) => Buffer.from(body, 'base64'))).map((row) => {
    outcomes.push(...fold.advance([row]));
    return fold.view;
  });
});

describe('the recorded ledger with its countersignatures', () => {
  it('is judged as it was: verdict, time, rules and parties', () => {
    const judged = outcomes.map(({ hash, kind, operation, refusal, at, judgedBy }) => ({
      hash: Buffer.from(hash).toString('hex'),
      kind,
      operation: operation?.id ?? null,
      refused: refusal?.refused ?? null,
      at,
      rules: judgedBy?.rules ?? null,
      countersigned_by: (judgedBy?.countersignatures ?? []).map(({ party }) => party),
    }));
    expect(judged).toEqual(
      recorded.entries.map(
        ({ body: _body, state_hash: _state, tip_hash: _tip, ...judgement }) => judgement,
      ),
    );
  });

  it('comes to the recorded states after every row', () => {
    const hashes = views.map(({ state, tip }) => {
      const hash = stateHash(state);
      return [hash, tip === state ? hash : stateHash(tip)];
    });
    expect(hashes).toEqual(recorded.entries.map((entry) => [entry.state_hash, entry.tip_hash]));
  });
});
