/**
 * A ledger that was recorded before parties countersigned: each entry was judged where it stood, at the date that
 * its appender gave it. What the rules say to an entry is the same now as then: only who says when has changed.
 */
import { toHex } from '@countersign/core/bytes.js';
import { refuse } from '@countersign/core/errors.js';
import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import { decodeEntryBody, type EntryRow } from '@countersign/vault/ledger/entry.js';
import type { EntryFacts, EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { genesisState } from '@countersign/vault/ledger/genesis-state.js';
import { readEntry } from '@countersign/vault/ledger/logged-entry.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { judgeRow } from './judge-row.ts';

export interface RecordedEntry extends EntryFacts {
  readonly row: EntryRow;
  readonly kind: EntryOutcome['kind'];
  /** After the entry. */
  readonly state: VaultState;
}

/** How far the clocks of two appenders could disagree then. */
const APPEND_SKEW_MS = 5_000;

/** What came of a row over the state before it. */
export function judgeAsRecorded(
  before: VaultState,
  row: EntryRow,
  keys: EvidenceKeys,
): RecordedEntry {
  const judged = judgeOne(before, row, keys);
  return { ...judged, row, state: { ...judged.state, seq: row.seq, headHash: toHex(row.hash) } };
}

function judgeOne(
  state: VaultState,
  row: EntryRow,
  keys: EvidenceKeys,
): EntryFacts & Pick<RecordedEntry, 'kind' | 'state'> {
  const entry = readEntry(row, keys, 1);
  if (entry === undefined) {
    return { kind: 'unreadable', state, refusal: refuse('parse_error', 'unreadable entry') };
  }
  const { appendedAt } = decodeEntryBody(row.body);
  const { content } = entry;
  const at = Math.max(appendedAt, state.time);
  if (state.time - appendedAt > APPEND_SKEW_MS) {
    const refusal = refuse('unauthorized', 'the time of the entry goes back');
    return { kind: content.kind, state, refusal };
  }
  if (content.kind === 'genesis' && row.seq === 1) {
    const first = genesisState(state, content.genesis, row.hash, at);
    return { kind: 'genesis', state: { ...first, time: at } };
  }
  const { state: after = state, facts } = judgeRow(state, row, keys, { clock: appendedAt, at })!;
  // a party's word was signed without a date: it did not move the time of the vault
  const movesTime = after !== state && content.kind === 'evidence';
  return { ...facts, kind: content.kind, state: movesTime ? { ...after, time: at } : after };
}
