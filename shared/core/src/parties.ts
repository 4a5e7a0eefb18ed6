/** The three signer parties. Any two of them sign. */
export type PartyNumber = 1 | 2 | 3;
export const PARTY_NUMBERS: readonly PartyNumber[] = [1, 2, 3];

/** A party in the genesis. */
export interface PartyIdentity {
  readonly party: PartyNumber;
  /** Ed25519, 32 bytes, base64: signs attestations and receipts. */
  readonly identityPublicKey: string;
  /** X25519, 32 bytes, base64: party-to-party messages. */
  readonly exchangePublicKey: string;
}
