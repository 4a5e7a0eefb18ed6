/** What a node says when it finds what no honest node does, and what a party signs of it. */
import { ByteWriter, type Bytes } from './bytes.js';
import { sha256 } from './hash.js';
import type { PartyNumber } from './parties.js';

/** Public words: the log's `event`, and what an alarm is listed under. docs/how-to/runbooks/ has a page for each. */
export const ALARM_KINDS = [
  /** A party sent what no honest party sends. */
  'party_misbehaved',
  /** A party sends more than it may. */
  'party_floods',
  /** A batch in a queue that no gateway made. */
  'forged_job',
  /** An answer or a stored result that its lead did not make, or whose signature is wrong. */
  'forged_result',
  /** A stored row that no party writes. */
  'unreadable_row',
  /** A party has signed for a ledger that is not the one in the database. */
  'other_history',
  /** The ledger is not one that this node can follow: it has stopped. */
  'ledger_fault',
  /** Records that a party had anchored are gone, or are other ones: the party has stopped. */
  'records_lost',
  /** A replica of a party cannot commit anything: it signs nothing meanwhile. */
  'records_unwritable',
  /** A node's disk does not take its pin, or what lies beside it: nothing new rests on that. */
  'pin_unwritable',
  /** An entry of the ledger found a fault of this release: it was refused, and could not be judged. */
  'entry_not_judged',
  /** This node's clock and the ledger's time differ by more than a minute. */
  'clock_differs',
  /** A change waits that two parties should have judged long ago. */
  'governance_stuck',
] as const;

export type AlarmKind = (typeof ALARM_KINDS)[number];

/** Whose statement an alarm is: one gateway speaks for all, for none has an identity. */
export type Accuser = 'gateway' | `party_${PartyNumber}`;

/** Of evidence no more is kept, bytes. */
export const MAX_ALARM_EVIDENCE = 8 * 1024;
/** Of a reason no more is kept, characters. */
export const MAX_ALARM_REASON = 300;

export interface AlarmStatement {
  /** UUID. */
  readonly id: string;
  readonly accuser: Accuser;
  /** One of {@link ALARM_KINDS}, or of another release's. */
  readonly kind: string;
  /** Whom it accuses; null where that cannot be told. */
  readonly party: PartyNumber | null;
  /** When it was found, or the first of them, ms. */
  readonly at: number;
  /** UUID. */
  readonly requestId: string | null;
  /** Public text. */
  readonly reason: string;
  /** How often, where the same came again and again. */
  readonly count: number;
  /** The beginning of what was sent; null for nothing. */
  readonly evidence: Bytes | null;
  /** Length of the whole of it. */
  readonly evidenceBytes: number;
}

/** `genesisHash`: hex. Throws for numbers that have no place in it. */
export function alarmMessage(statement: AlarmStatement, genesisHash: string): Buffer {
  return new ByteWriter()
    .field('countersign alarm v1')
    .field(genesisHash)
    .field(statement.id)
    .field(statement.accuser)
    .field(statement.kind)
    .u8(statement.party ?? 0)
    .u64(statement.at)
    .field(statement.requestId ?? '')
    .field(statement.reason)
    .u32(statement.count)
    .u64(statement.evidenceBytes)
    .fixed(sha256(statement.evidence ?? Buffer.alloc(0)))
    .bytes();
}
