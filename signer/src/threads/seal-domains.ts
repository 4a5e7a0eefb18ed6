/**
 * All that a party seals under its KEK, by purpose. The text is the first thing that the seal authenticates: what was
 * sealed for one purpose opens for no other, whichever row the database returns it in. Above all, a share of a key must
 * not pass as one in stock: it would come back as another key.
 *
 * No text here is the beginning of another's use. Each purpose has its own, and whoever seals something new adds a
 * line. The first text is older than the other purposes and unchanged, so that existing keys stay valid.
 */
export const SEAL_DOMAINS = {
  /** A key of the ledger; named by the key's id. */
  'key share': 'countersign share seal v1',
  /** An RSA key made ahead, which the ledger does not know yet; named by its id in stock. */
  'stock share': 'countersign stock share seal v1',
  /** The private half of an HPKE key for imports; named by its id. */
  'import recipient': 'countersign import recipient seal v1',
} as const;

export type SealPurpose = keyof typeof SEAL_DOMAINS;
