import type { Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { encodeEvidenceEntry } from './write-entry.js';
import type { EntryFacts } from './entry-outcome.js';
import { guardRules } from './guard-rules.js';
import type { LedgerView } from './fold.js';
import { readEntry } from './logged-entry.js';
import { RULES } from './rules.js';

const NO_HASH = Buffer.alloc(32);

/**
 * What two parties would answer to a request if they judged it now (ms). Nothing is written: it gives a fast refusal.
 * Throws UnknownEvidenceKeyError.
 */
export function rehearseRequest(
  { state, rules }: LedgerView,
  evidence: Evidence,
  keys: EvidenceKeys,
  now: number,
): EntryFacts {
  const body = encodeEvidenceEntry(now, evidence, keys);
  const row = { seq: state.seq + 1, prevHash: NO_HASH, hash: NO_HASH, body };
  const entry = readEntry(row, keys);
  if (entry === undefined) throw new Error('evidence that cannot be read again');
  const inForce = guardRules(RULES.find(({ version }) => version === rules) ?? RULES[0]!);
  return inForce.judge(state, entry, { clock: now, at: now, place: row.seq }).facts;
}
