/** The three signer parties. Any two of them sign. */
export type PartyNumber = 1 | 2 | 3;

/** A party as the genesis names it, or the entry that replaced it. */
export interface PartyIdentity {
  readonly party: PartyNumber;
  /** Ed25519, 32 bytes, base64: signs attestations and receipts. */
  readonly identityPublicKey: string;
  /** X25519, 32 bytes, base64: party-to-party messages. */
  readonly exchangePublicKey: string;
}

/** Keys that a party had before it was replaced: what they sign counts for what was before that alone. */
export interface FormerParty extends PartyIdentity {
  /** The place in the ledger from which on other keys are the party's. */
  readonly until: number;
  /** The ledger's time of that place, ms. */
  readonly replacedAt: number;
}
