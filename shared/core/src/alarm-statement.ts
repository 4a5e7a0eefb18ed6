/** A node's statement when it finds what no honest node does, and the part of it that a party signs. */
import { ByteWriter, type Bytes } from './bytes.js';
import { sha256 } from './hash.js';
import type { PartyNumber } from './parties.js';

/**
 * Public words: the log's `event`, and the name under which an alarm is listed. docs/how-to/runbooks/ has a page for
 * each.
 */
export const ALARM_KINDS = [
  /** A party sent what no honest party sends. */
  'party_misbehaved',
  /** A party sends more than it may. */
  'party_floods',
  /** A queue held a batch that no gateway made. */
  'forged_job',
  /** Its lead did not make an answer or a stored result, or its signature is wrong. */
  'forged_result',
  /** No party writes such a stored row. */
  'unreadable_row',
  /** A party has signed for a ledger that is not the one in the database. */
  'other_history',
  /** This node cannot follow the ledger, and has stopped. */
  'ledger_fault',
  /** Records that a party had anchored are gone or differ: the party has stopped. */
  'records_lost',
  /** A replica of a party cannot commit anything, and signs nothing meanwhile. */
  'records_unwritable',
  /** A node's disk does not take its pin, or a file beside it: nothing new rests on that. */
  'pin_unwritable',
  /** An entry of the ledger met a fault of this release: it was refused, and could not be judged. */
  'entry_not_judged',
  /** This node's clock and the ledger's time differ by more than a minute. */
  'clock_differs',
  /** A waiting change should have been judged by two parties long ago. */
  'governance_stuck',
] as const;

export type AlarmKind = (typeof ALARM_KINDS)[number];

/** Who makes the statement: one gateway speaks for all, since none has an identity. */
export type Accuser = 'gateway' | `party_${PartyNumber}`;

/** Longer evidence is cut, bytes. */
export const MAX_ALARM_EVIDENCE = 8 * 1024;
/** Longer reasons are cut, characters. */
export const MAX_ALARM_REASON = 300;

export interface AlarmStatement {
  /** UUID. */
  readonly id: string;
  readonly accuser: Accuser;
  /** One of {@link ALARM_KINDS}, or of another release's. */
  readonly kind: string;
  /** The accused; null if unknown. */
  readonly party: PartyNumber | null;
  /** When it, or the first of them, was found, ms. */
  readonly at: number;
  /** UUID. */
  readonly requestId: string | null;
  /** Public text. */
  readonly reason: string;
  /** How often the same was found. */
  readonly count: number;
  /** The beginning of the message; null for none. */
  readonly evidence: Bytes | null;
  /** Length of the whole message. */
  readonly evidenceBytes: number;
}

/** `genesisHash`: hex. Throws for numbers that are out of range. */
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
