/** Evidence keys in entries of the ledger. `evidence-key.ts` has the seals and the key file. */
import { toHex, type Bytes } from './bytes.js';
import * as r from './records.js';

export type { EvidenceKeys } from './evidence-seal-types.js';

export const KEY_ID_BYTES = 8;

/** The seal is not one of ours. */
export class EvidenceSealError extends Error {}

/** The key that made this seal is not in our key file: an operator's mistake, never a caller's. */
export class UnknownEvidenceKeyError extends Error {}

/** The id (hex) that a seal begins with. Throws EvidenceSealError if the seal is too short to name one. */
export function evidenceKeyIdOf(sealed: Bytes): string {
  if (sealed.length < KEY_ID_BYTES) throw new EvidenceSealError('evidence seal too short');
  return toHex(sealed.subarray(0, KEY_ID_BYTES));
}

export const EVIDENCE_KEY = { party: r.party, evidenceKeyId: r.hex(KEY_ID_BYTES) };

/** A party's statement about an evidence key. */
export type EvidenceKeyFact = r.Recorded<typeof EVIDENCE_KEY>;

/** What a party signs to say that it holds an evidence key. Once all three have said so, entries sealed under it count. */
export const evidenceKeyMessage = r.statementMessage('countersign evidence key v1', EVIDENCE_KEY);

/**
 * What a party signs to say that it no longer trusts an evidence key. Once two have said so, nothing new that is sealed
 * under it counts.
 */
export const evidenceKeyWithdrawalMessage = r.statementMessage(
  'countersign evidence key withdrawal v1',
  EVIDENCE_KEY,
);
