/**
 * Folds alarms that say the same: the first is told at once, and one more row gives the number of those in the minute
 * after it. Each kind has room of its own for each party that it accuses. So whoever sets off alarms by the thousand
 * fills neither memory nor table, and displaces no alarm of another kind or about another party.
 */
import { randomUUID } from 'node:crypto';
import {
  MAX_ALARM_EVIDENCE,
  MAX_ALARM_REASON,
  type Accuser,
  type AlarmStatement,
} from '@countersign/core/alarm-statement.js';
import { sha256, UUID_PATTERN, uuidFromHash } from '@countersign/core/hash.js';
import type { Alarm } from './alarms.js';

const MINUTE_MS = 60_000;
/**
 * How many reasons of one kind about one party are told apart at a time. With all kinds, these are fewer rows than a
 * login may write.
 */
const MAX_REASONS = 3;
export const OTHER_REASONS = 'for other reasons than those that are told beside it';
const MAX_COUNT = 2 ** 31 - 1;

/** The alarms of one reason, for one kind and party. */
interface Slot {
  /** The alarm to tell next. */
  due: AlarmStatement | undefined;
  /** Alarms in the minute after one that was told, or is to be. */
  repeated: AlarmStatement | undefined;
  /** When that minute ends, ms, by a clock that nobody sets: one that is set back would keep alarms silent for as long. */
  until: number;
}

export class AlarmFold {
  readonly #accuser: Accuser;
  /** Keyed by kind and party, then by reason. */
  readonly #slots = new Map<string, Map<string, Slot>>();

  constructor(accuser: Accuser) {
    this.#accuser = accuser;
  }

  /** True if the alarm is new, or was not raised in the last minute. `now`: monotonic, ms, as in `take`; `at`: its time. */
  add(alarm: Alarm, now: number, at = now): boolean {
    const statement = this.#statementOf(alarm, at);
    const slot = this.#slotOf(statement);
    if (now >= slot.until && slot.repeated === undefined) {
      slot.until = now + MINUTE_MS;
      if (slot.due !== undefined && alarm.isLasting === true) return true;
      slot.due = merged(slot.due, statement);
      return true;
    }
    if (alarm.isLasting !== true) slot.repeated = merged(slot.repeated, statement);
    return false;
  }

  /** Takes the alarms to tell now, and forgets them: `giveBack` returns those that could not be told. */
  take(now: number): AlarmStatement[] {
    const taken: AlarmStatement[] = [];
    for (const [pair, slots] of this.#slots) {
      for (const [reason, slot] of slots) {
        if (now >= slot.until) endMinute(slot, now);
        if (slot.due !== undefined) taken.push(slot.due);
        slot.due = undefined;
        if (now >= slot.until) slots.delete(reason);
      }
      if (slots.size === 0) this.#slots.delete(pair);
    }
    return taken;
  }

  giveBack(statements: readonly AlarmStatement[]): void {
    for (const statement of statements) {
      const slot = this.#slotOf(statement);
      slot.due = slot.due === undefined ? statement : merged(statement, slot.due);
    }
  }

  /** Ends the minutes that have begun, so that their numbers are told. */
  close(): void {
    for (const slots of this.#slots.values()) {
      for (const slot of slots.values()) endMinute(slot, 0);
    }
  }

  #statementOf(alarm: Alarm, at: number): AlarmStatement {
    const { kind, party = null, requestId = '', evidence, isLasting } = alarm;
    const reason = publicText(alarm.reason);
    const accuser = this.#accuser;
    return {
      id:
        isLasting === true
          ? uuidFromHash(sha256(JSON.stringify(['lasting alarm', accuser, kind, party, reason])))
          : randomUUID(),
      accuser,
      kind,
      party,
      at,
      requestId: UUID_PATTERN.test(requestId) ? requestId : null,
      reason,
      count: 1,
      evidence:
        evidence === undefined || evidence.length === 0
          ? null
          : Buffer.from(evidence.subarray(0, MAX_ALARM_EVIDENCE)),
      evidenceBytes: evidence?.length ?? 0,
    };
  }

  #slotOf({ kind, party, reason }: AlarmStatement): Slot {
    const pair = `${kind} ${party}`;
    const slots = this.#slots.get(pair) ?? new Map<string, Slot>();
    this.#slots.set(pair, slots);
    const told = slots.has(reason) || slots.size < MAX_REASONS ? reason : OTHER_REASONS;
    const slot = slots.get(told) ?? { due: undefined, repeated: undefined, until: 0 };
    slots.set(told, slot);
    return slot;
  }
}

function endMinute(slot: Slot, now: number): void {
  if (slot.repeated === undefined) return;
  slot.due = merged(slot.due, slot.repeated);
  slot.repeated = undefined;
  // one row a minute, as long as it goes on
  slot.until = now + MINUTE_MS;
}

/** The earlier alarm with the sum of both counts. It is a new row, since one of them may be written already. */
function merged(earlier: AlarmStatement | undefined, later: AlarmStatement): AlarmStatement {
  if (earlier === undefined) return later;
  const count = Math.min(earlier.count + later.count, MAX_COUNT);
  const isSame = earlier.reason === later.reason;
  return {
    ...earlier,
    id: randomUUID(),
    reason: isSame ? earlier.reason : OTHER_REASONS,
    requestId: earlier.requestId === later.requestId ? earlier.requestId : null,
    count,
  };
}

function publicText(reason: string): string {
  const short = reason.slice(0, MAX_ALARM_REASON).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
  // half a character at the end is not valid in UTF-8: the database would give back another text than was signed
  return Buffer.from(short).toString();
}
