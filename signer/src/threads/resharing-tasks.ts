/** What the main thread and the signing thread say to each other in a resharing. */
import type { KeyType } from '@countersign/core/signature-schemes.js';
import type { PartyNumber } from '@countersign/core/parties.js';

/** Names one resharing. Everything that its parties commit to or compare is bound to it. */
export interface ResharingContext {
  readonly session: string;
  readonly keyId: string;
  /** Of the new shares. */
  readonly version: number;
  readonly type: KeyType;
  /** As the ledger has it; see `StoredKey.publicKey`. */
  readonly publicKey: Uint8Array;
  /** The two parties whose old shares the new ones come from, in ascending order. */
  readonly dealers: readonly [PartyNumber, PartyNumber];
}

export interface FromParty {
  readonly party: PartyNumber;
  readonly bytes: Uint8Array;
}

/** What one dealer says to one party. */
export interface ResharingDeal {
  readonly dealer: PartyNumber;
  /** The same for all. */
  readonly published: Uint8Array;
  /** For this party alone. Secret. */
  readonly piece: Uint8Array;
}

/** What a dealer says to both others, in one message each. */
export interface OwnDeal {
  readonly published: Uint8Array;
  /** One for each other party. Secret, as the pieces of both dealers make a share. */
  readonly pieces: readonly FromParty[];
}

interface OfSession {
  readonly session: string;
}

export type ResharingRevealInput = OfSession & {
  /** The words of the other dealer, or of both. */
  readonly words: readonly FromParty[];
};
export type ResharingTakeInput = OfSession & { readonly deals: readonly ResharingDeal[] };
export type ResharingFinishInput = OfSession & {
  /** Of both other parties. */
  readonly statements: readonly FromParty[];
};

/** Somebody does not follow the protocol; see `ResharingError`. */
export interface ResharingFault {
  readonly ok: false;
  /** Public text. */
  readonly reason: string;
  readonly party: PartyNumber | undefined;
}

export type TakenResult = { readonly ok: true; readonly statement: Uint8Array } | ResharingFault;
