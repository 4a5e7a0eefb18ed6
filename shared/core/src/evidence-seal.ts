/** Evidence keys in entries of the ledger. `evidence-key.ts` has the seals and the key file. */
import { toHex, type Bytes } from './bytes.js';
import type { PartyNumber } from './parties.js';
import * as r from './records.js';

export const KEY_ID_BYTES = 8;

export interface EvidenceKeys {
  /** Ids (hex) of all keys held, the one that seals first. */
  readonly ids: readonly [string, ...string[]];
  /** Id of the key's salted seals (8 bytes) ‖ a seal of `SaltedSeals`. For everything but entries of the ledger. */
  seal(plaintext: Bytes, associatedData: Bytes): Buffer;
  /** Key id (8 bytes) ‖ GCM nonce (12) ‖ ciphertext ‖ tag (16). For entries of the ledger alone. */
  sealEntry(plaintext: Bytes, associatedData: Bytes): Buffer;
  /** Opens seals of either form. Throws EvidenceSealError when the seal does not open. */
  open(sealed: Bytes, associatedData: Bytes): Buffer;
  /**
   * The id (hex) by which the ledger knows the key that a seal of either form names, whether or not that key made it.
   * Throws EvidenceSealError and UnknownEvidenceKeyError.
   */
  declaredIdOf(sealed: Bytes): string;
  /** 32 bytes, the same on every node that holds the key named in `sealed`. */
  derive(sealed: Bytes, label: string, context: Bytes): Buffer;
}

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

const heldMessage = r.statementMessage('countersign evidence key v1', EVIDENCE_KEY);
const withdrawnMessage = r.statementMessage('countersign evidence key withdrawal v1', EVIDENCE_KEY);

/**
 * What a party signs to say that it holds an evidence key. Once all three have said so, entries sealed under it count.
 * `genesisHash` and `evidenceKeyId`: hex.
 */
export function evidenceKeyMessage(
  evidenceKeyId: string,
  party: PartyNumber,
  genesisHash: string,
): Buffer {
  return heldMessage({ party, evidenceKeyId }, genesisHash);
}

/**
 * What a party signs to say that it no longer trusts an evidence key. Once two have said so, nothing new that is sealed
 * under it counts.
 */
export function evidenceKeyWithdrawalMessage(
  evidenceKeyId: string,
  party: PartyNumber,
  genesisHash: string,
): Buffer {
  return withdrawnMessage({ party, evidenceKeyId }, genesisHash);
}
