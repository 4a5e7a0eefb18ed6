/**
 * All that a party seals under its KEK, by what it is for. The text is the first thing that the seal
 * authenticates: what was sealed for one purpose opens for no other, whichever row the database hands it out
 * in. A share in stock, above all, must not be made of a key's: it would come back as another key.
 *
 * No text here is the beginning of another's use: each purpose has its own, and whoever seals something new
 * adds a line. The first is as it was while there was but one purpose, so that keys stay what they are.
 */
export const SEAL_DOMAINS = {
  /** A key of the ledger; named by the key's id. */
  'key share': 'countersign share seal v1',
  /** An RSA key made ahead, of which the ledger knows nothing yet; named by its id in stock. */
  'stock share': 'countersign stock share seal v1',
  /** The private half of an HPKE key for imports; named by its id. */
  'import recipient': 'countersign import recipient seal v1',
} as const;

export type SealPurpose = keyof typeof SEAL_DOMAINS;
