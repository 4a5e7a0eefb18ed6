/** What an export can be found guilty of, each by a name of its own. */

export type FaultName =
  /** A line is none of an export. */
  | 'line-unreadable'
  /** The export has nothing of the ledger. */
  | 'genesis-missing'
  /** The first entry is not the genesis that the verifier was given. */
  | 'genesis-forged'
  /** An entry's hash is not that of its contents. */
  | 'entry-edited'
  | 'entry-missing'
  | 'entry-repeated'
  /** An entry names another entry before it than the one that is there. */
  | 'entry-out-of-place'
  /** A party's signature, on a statement or a receipt, is for another log than this one. */
  | 'history-rewritten'
  /** Somebody speaks of entries that the export does not have. */
  | 'ledger-truncated'
  /** An entry is told as judged, and no two parties have countersigned it. */
  | 'not-countersigned'
  /** Who countersigned, when, or under which rules, is not as the log has it. */
  | 'countersignatures-differ'
  /** What an entry is told to have come to is not what the fold makes of it. */
  | 'verdict-differs'
  | 'statement-forged'
  | 'anchor-forged'
  | 'rules-unknown'
  /** A record's hash is not that of its contents, or its line tells something else. */
  | 'record-edited'
  | 'record-missing'
  | 'record-repeated'
  | 'record-out-of-place'
  /** A party anchored a record that the export does not have. */
  | 'anchored-record-missing'
  /** A party anchored another record than the one that the export has in its place. */
  | 'anchored-record-changed'
  /** A party led a signature that its partner has no record of. */
  | 'partner-record-missing'
  /** Two parties' records of one signature say different things. */
  | 'records-disagree'
  /** Two messages of one request were signed, or one party gave its part to both. */
  | 'two-messages'
  /** A signature has no receipt, and no removal of old requests leaves that behind. */
  | 'receipt-missing'
  | 'receipt-forged'
  /** A receipt says something else than the record of its signature. */
  | 'receipt-differs'
  | 'rule-not-in-force';

export interface AuditFault {
  readonly name: FaultName;
  /** Chain and place, e.g. `ledger 17`. */
  readonly where: string;
  readonly what: string;
}
