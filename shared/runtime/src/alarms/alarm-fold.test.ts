import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ALARM_KINDS,
  MAX_ALARM_EVIDENCE,
  MAX_ALARM_REASON,
  type AlarmStatement,
} from '@countersign/core/alarm-statement.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { AlarmFold, OTHER_REASONS } from './alarm-fold.js';
import type { Alarm } from './alarms.js';

const MINUTE = 60_000;
const alarm: Alarm = { kind: 'forged_job', reason: 'does not open' };

let fold: AlarmFold;
beforeEach(() => {
  fold = new AlarmFold('party_1');
});

const count = (statements: readonly AlarmStatement[]) =>
  statements.reduce((sum, statement) => sum + statement.count, 0);

describe('alarms that say the same', () => {
  it('are the first of them at once, and the rest of the minute as a number', () => {
    expect(fold.add({ ...alarm, evidence: Buffer.from('first') }, 5)).toBe(true);
    for (let i = 1; i < 1_000; i++) expect(fold.add(alarm, 5 + i)).toBe(false);
    const [first, ...none] = fold.take(1_005);
    expect(none).toEqual([]);
    expect(first).toMatchObject({
      accuser: 'party_1',
      kind: 'forged_job',
      party: null,
      at: 5,
      count: 1,
      evidence: Buffer.from('first'),
      evidenceBytes: 5,
    });
    expect(fold.take(MINUTE + 4)).toEqual([]);
    const [rest] = fold.take(MINUTE + 5);
    expect(rest).toMatchObject({ at: 6, count: 999, reason: alarm.reason, evidence: null });
    expect(rest!.id).not.toBe(first!.id);
    expect(fold.take(3 * MINUTE)).toEqual([]);
  });

  it('go on as one row a minute, as long as they come', () => {
    const rows: AlarmStatement[] = [];
    for (let now = 0; now < 10 * MINUTE; now += 1_000) {
      fold.add(alarm, now);
      rows.push(...fold.take(now));
    }
    fold.close();
    rows.push(...fold.take(10 * MINUTE));
    expect(rows).toHaveLength(11);
    expect(count(rows)).toBe(600);
  });

  it('are told at once again after a silence', () => {
    fold.add(alarm, 0);
    fold.take(0);
    fold.take(2 * MINUTE);
    expect(fold.add(alarm, 2 * MINUTE)).toBe(true);
    expect(fold.take(2 * MINUTE)).toMatchObject([{ at: 2 * MINUTE, count: 1 }]);
  });

  it('is told by its own time, and anew after a minute, also where the clock was set back', () => {
    const hour = 60 * MINUTE;
    expect(fold.add(alarm, 0, 10 * hour)).toBe(true);
    expect(fold.take(0)).toMatchObject([{ at: 10 * hour }]);
    fold.take(MINUTE);
    expect(fold.add(alarm, MINUTE, 9 * hour)).toBe(true);
    expect(fold.take(MINUTE)).toMatchObject([{ at: 9 * hour }]);
  });

  it('are one while they cannot be told, and nothing of their number is lost', () => {
    for (let minute = 0; minute < 100; minute++) {
      fold.add(alarm, minute * MINUTE);
      fold.add(alarm, minute * MINUTE + 1);
      fold.giveBack(fold.take(minute * MINUTE + 2));
    }
    fold.close();
    const rows = fold.take(200 * MINUTE);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ at: 0, count: 200, reason: alarm.reason });
  });

  it('that come at each start are one row, by its id, and are not counted', () => {
    const lasting: Alarm = { kind: 'records_lost', reason: 'record 3', isLasting: true };
    fold.add(lasting, 0);
    fold.add(lasting, 1);
    const [row, ...none] = fold.take(2 * MINUTE);
    expect(none).toEqual([]);
    expect(row!.count).toBe(1);
    const later = new AlarmFold('party_1');
    later.giveBack([row!]);
    later.add(lasting, 9 * MINUTE);
    expect(later.take(9 * MINUTE)).toEqual([row]);
    const other = new AlarmFold('party_2');
    other.add(lasting, 0);
    expect(other.take(0)[0]!.id).not.toBe(row!.id);
  });
});

describe('whoever sets off alarms by the thousand', () => {
  function flood(now: number): void {
    for (let i = 0; i < 20_000; i++) {
      fold.add({ kind: 'party_floods', party: 2, reason: randomBytes(8).toString('hex') }, now);
    }
  }

  it('gets a few rows, and pushes out no alarm of another kind or about another party', () => {
    flood(0);
    const others = [
      { kind: 'party_floods', party: 3, reason: 'a' },
      { kind: 'forged_result', party: 2, reason: 'b' },
      { kind: 'forged_job', reason: 'c' },
    ] as const;
    for (const other of others) expect(fold.add(other, 1)).toBe(true);
    const rows = fold.take(1);
    for (const other of others) expect(rows).toContainEqual(expect.objectContaining(other));
    expect(rows).toHaveLength(4 + others.length);
    expect(count([...rows, ...fold.take(MINUTE)])).toBe(20_000 + others.length);
  });

  it('fills no memory while nothing can be told', () => {
    for (let minute = 0; minute < 5; minute++) {
      flood(minute * MINUTE);
      fold.giveBack(fold.take(minute * MINUTE));
    }
    fold.close();
    const rows = fold.take(10 * MINUTE);
    expect(rows.length).toBeLessThanOrEqual(4);
    expect(rows.map(({ reason }) => reason)).toContain(OTHER_REASONS);
    expect(count(rows)).toBe(100_000);
  });

  it('gets fewer rows in a minute than the database takes of a login, whatever it sets off', () => {
    for (const kind of ALARM_KINDS) {
      for (const party of [undefined, ...PARTY_NUMBERS]) {
        for (let i = 0; i < 50; i++) fold.add({ kind, party, reason: `reason ${i}` }, 0);
      }
    }
    expect(fold.take(0).length).toBeLessThanOrEqual(240);
  });
});

describe('what an alarm holds', () => {
  const only = (given: Partial<Alarm>) => {
    fold.add({ ...alarm, ...given }, 0);
    const [row] = fold.take(0);
    return row!;
  };

  it('is bounded: the beginning of what was sent, with the length of the whole', () => {
    const evidence = randomBytes(3 * MAX_ALARM_EVIDENCE);
    const row = only({ evidence, reason: 'x'.repeat(10_000) });
    expect(row.evidence).toEqual(evidence.subarray(0, MAX_ALARM_EVIDENCE));
    expect(row.evidenceBytes).toBe(evidence.length);
    expect(row.reason).toHaveLength(MAX_ALARM_REASON);
  });

  it('is a copy: what was sent may be wiped', () => {
    const evidence = Buffer.from('sent');
    fold.add({ ...alarm, evidence }, 0);
    evidence.fill(0);
    expect(fold.take(0)[0]!.evidence).toEqual(Buffer.from('sent'));
  });

  it('is text that a database gives back as it was, on one line', () => {
    const reason = `a\u0000b\nc\u2028d ${'x'.repeat(MAX_ALARM_REASON - 9)}\u{1f600}`;
    const row = only({ reason });
    expect(row.reason).toMatch(/^a b c d x+\ufffd$/);
    expect(Buffer.from(row.reason).toString()).toBe(row.reason);
  });

  it('names a request by its id alone', () => {
    const requestId = 'b7a69584-7362-8150-8f3e-2d1c0b9a8f7e';
    expect(only({ requestId }).requestId).toBe(requestId);
    expect(only({ requestId: 'x', reason: 'other' }).requestId).toBeNull();
  });
});
