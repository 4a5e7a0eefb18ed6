/** One row judged by itself over a state, as two parties would who agree on a time: no countersignatures are needed. */
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { readEntry } from '@countersign/vault/ledger/logged-entry.js';
import type { Judgement } from '@countersign/vault/ledger/judging.js';
import { rulesVersion1 } from '@countersign/vault/ledger/rules-version-1.js';
import type { VaultState } from '@countersign/vault/state/state.js';

/** Undefined for a row that cannot be read. `clock`: the time by which it must be fresh; `at`: the one written down. */
export function judgeRow(
  state: VaultState,
  row: EntryRow,
  keys: EvidenceKeys,
  { clock, at }: { readonly clock: number; readonly at: number },
): Judgement | undefined {
  const entry = readEntry(row, keys);
  return entry === undefined
    ? undefined
    : rulesVersion1.judge(state, entry, { clock, at, place: row.seq });
}
