/** Rows of a ledger with what they came to, as recorded once and as folded now. */
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { rechain } from './ledger-builder.ts';

export interface RecordedRow {
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

export const verdictOf = ({ operation, refusal, judgedBy }: EntryOutcome) => ({
  operation: operation?.id ?? null,
  refused: refusal?.refused ?? null,
  rules: judgedBy?.rules ?? null,
});

/** The nth row with the nth outcome: each is told of once. `evidence_key`: base64. */
export function refoldRecorded({
  evidence_key: key,
  entries,
}: {
  readonly evidence_key: string;
  readonly entries: readonly Pick<RecordedRow, 'body'>[];
}): { readonly rows: readonly RecordedRow[]; readonly state: VaultState } {
  const fold = createFold({ keys: createEvidenceKeys([Buffer.from(key, 'base64')]) });
  const outcomes: EntryOutcome[] = [];
  const hashes = rechain(entries.map(({ body }) => Buffer.from(body, 'base64'))).map((row) => {
    outcomes.push(...fold.advance([row]));
    const { state, tip } = fold.view;
    const hash = stateHash(state);
    return { state_hash: hash, tip_hash: tip === state ? hash : stateHash(tip) };
  });
  const rows = outcomes.map((outcome, index) => ({
    body: entries[index]!.body,
    hash: Buffer.from(outcome.hash).toString('hex'),
    kind: outcome.kind,
    at: outcome.at,
    countersigned_by: (outcome.judgedBy?.countersignatures ?? []).map(({ party }) => party),
    ...verdictOf(outcome),
    ...hashes[index]!,
  }));
  return { rows, state: fold.view.state };
}
