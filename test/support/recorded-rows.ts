/** The recorded ledger of release zero: its rows with what they came to, as recorded once and as folded now. Loads no catalogue. */
import { readFileSync } from 'node:fs';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { rechain } from './chained-rows.ts';

export interface RecordedRow {
  /** Base64. */
  readonly body: string;
  readonly hash: string;
  readonly kind: string;
  readonly operation?: string;
  readonly refused?: string;
  /** When it was judged, ms. */
  readonly at: number;
  /** By which rules and parties; absent for what needs no judging. */
  readonly rules?: number;
  readonly countersigned_by?: readonly number[];
  /** Of the state, and of the newest state where it is another, after this row was folded. */
  readonly state_hash: string;
  readonly optimistic_hash?: string;
}

export interface RecordedLedger {
  readonly about: string;
  /** Base64. */
  readonly evidence_key: string;
  readonly entries: readonly RecordedRow[];
}

export const RECORDED_FILE = new URL('../vectors/release-zero-ledger.json', import.meta.url);

/** A party is replaced, and shares are refreshed. */
export const SUCCESSION_FILE = new URL('../vectors/party-succession-ledger.json', import.meta.url);
export const ADDRESS_BOOK_FILE = new URL('../vectors/address-book-ledger.json', import.meta.url);
export const OIDC_PEOPLE_FILE = new URL('../vectors/oidc-people-ledger.json', import.meta.url);
export const ALLOWED_ADDRESSES_FILE = new URL(
  '../vectors/allowed-addresses-ledger.json',
  import.meta.url,
);

/** Rows that no release reads: of those, the bodies alone are recorded. */
export const UNREADABLE_FILE = new URL('../vectors/before-release-zero.json', import.meta.url);

export function readRecordedLedger(file: URL = RECORDED_FILE): RecordedLedger {
  return JSON.parse(readFileSync(file, 'utf8')) as RecordedLedger;
}

/** The rows of a recorded ledger, with the keys that open them. */
export function recordedRows(file: URL = RECORDED_FILE): {
  readonly rows: readonly EntryRow[];
  readonly keys: EvidenceKeys;
} {
  const { evidence_key: key, entries } = JSON.parse(readFileSync(file, 'utf8')) as RecordedLedger;
  const keys = createEvidenceKeys([Buffer.from(key, 'base64')]);
  return { rows: rechain(entries.map(({ body }) => Buffer.from(body, 'base64'))), keys };
}

export const verdictOf = ({ operation, refusal, judgedBy }: EntryOutcome) => ({
  ...(operation !== undefined && { operation: operation.id }),
  ...(refusal !== undefined && { refused: refusal.refused }),
  ...(judgedBy !== undefined && { rules: judgedBy.rules }),
});

export interface Refolded {
  readonly rows: readonly RecordedRow[];
  readonly outcomes: readonly EntryOutcome[];
  readonly state: VaultState;
}

/** Folded from the genesis on, row by row. The nth row is told with the nth outcome. */
export function refold(chain: readonly EntryRow[], keys: EvidenceKeys): Refolded {
  const fold = createFold({ keys, findChanges: findRowChanges });
  const outcomes: EntryOutcome[] = [];
  const hashes = chain.map((row) => {
    outcomes.push(...fold.advance([row]));
    const { state, optimistic } = fold.view;
    const hash = stateHash(state);
    return {
      state_hash: hash,
      ...(optimistic !== state && { optimistic_hash: stateHash(optimistic) }),
    };
  });
  const rows = outcomes.map((outcome, index) => ({
    body: Buffer.from(chain[index]!.body).toString('base64'),
    hash: Buffer.from(outcome.hash).toString('hex'),
    kind: outcome.kind,
    ...verdictOf(outcome),
    at: outcome.at,
    ...(outcome.judgedBy !== undefined && {
      countersigned_by: outcome.judgedBy.countersignatures.map(({ party }) => party),
    }),
    ...hashes[index]!,
  }));
  return { rows, outcomes, state: fold.view.state };
}
