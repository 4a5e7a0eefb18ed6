import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ALARM_KINDS } from '@countersign/core/alarm-statement.js';
import { createLogger } from '../process/logger.js';
import type { SignedAlarm } from './alarm-store.js';
import type { Alarm } from './alarms.js';
import { openRecordedAlarms, tellBeforeFailing, type RecordedAlarms } from './recorded-alarms.js';
import { openUnwrittenAlarms, type UnwrittenAlarms } from './unwritten-alarms.js';

const alarm: Alarm = {
  kind: 'party_misbehaved',
  party: 2,
  requestId: 'b7a69584-7362-8150-8f3e-2d1c0b9a8f7e',
  reason: 'partner-share',
  evidence: Buffer.from('what was sent'),
};

let folder: string;
let now: number;
/** The table of alarms, and whether it can be reached. */
let rows: SignedAlarm[];
let isAway: boolean;
/** Stopped after each test alone: until then one that was left is like a process that was killed. */
const opened: RecordedAlarms[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-alarms-'));
  now = 1_000_000;
  rows = [];
  logged = [];
  isAway = false;
});

afterEach(async () => {
  isAway = false;
  await Promise.all(opened.splice(0).map((alarms) => alarms.stop()));
  rmSync(folder, { recursive: true });
});

const path = () => join(folder, 'pin.json.alarms');
const onDisk = () => openUnwrittenAlarms(path(), 'party_1');

const writer = {
  store: {
    async insert(alarms: readonly SignedAlarm[]) {
      if (isAway) throw new Error('the database is away');
      rows.push(...alarms);
    },
  },
  sign: async (statements: readonly { readonly reason: string }[]) =>
    statements.map(({ reason }) => Buffer.from(`signed ${reason}`)),
};

/** Lines of the log that say `alarm`. */
let logged: string[];

/** A process; `kept`: what it keeps across a restart. */
async function start(kept: UnwrittenAlarms | undefined = onDisk()): Promise<RecordedAlarms> {
  const logger = createLogger('test', 'error', { write: (line) => void logged.push(line) });
  const alarms = await openRecordedAlarms({
    accuser: 'party_1',
    logger,
    now: () => now,
    elapsed: () => now,
    file: kept,
  });
  opened.push(alarms);
  return alarms;
}

const told = () =>
  rows.map(({ statement, signature }) => [statement.reason, statement.count, String(signature)]);

it('are counted by kind whenever they are raised, told or not', async () => {
  isAway = true;
  const alarms = await start();
  expect(alarms.accuser).toBe('party_1');
  expect(Object.keys(alarms.counts).toSorted()).toEqual([...ALARM_KINDS].toSorted());
  for (let time = 0; time < 3; time++) alarms.raise(alarm);
  alarms.raise({ kind: 'clock_differs', reason: 'by an hour' });
  expect(alarms.counts).toMatchObject({ party_misbehaved: 3, clock_differs: 1, forged_job: 0 });
});

describe('an alarm', () => {
  it('is a row, signed, and nothing is left of it on the disk', async () => {
    const alarms = await start();
    alarms.writeBy(writer);
    alarms.raise(alarm);
    await alarms.settle();
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      statement: { ...alarm, accuser: 'party_1', at: now, count: 1 },
      signature: Buffer.from('signed partner-share'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that says the same a thousand times in a minute is one line of the log', async () => {
    const alarms = await start();
    for (let count = 0; count < 1_000; count++) alarms.raise(alarm);
    expect(logged).toHaveLength(1);
    alarms.raise({ ...alarm, party: 3 });
    expect(logged).toHaveLength(2);
    now += 60_000;
    await alarms.settle();
    now += 60_000;
    await alarms.settle();
    alarms.raise(alarm);
    expect(logged).toHaveLength(3);
  });

  it('waits where the process does not know its vault yet, and is written once it does', async () => {
    const alarms = await start();
    alarms.raise(alarm);
    await alarms.settle();
    expect(rows).toEqual([]);
    alarms.writeBy(writer);
    await alarms.settle();
    expect(told()).toEqual([['partner-share', 1, 'signed partner-share']]);
  });

  it('is written after a restart, where the database was away until the process was killed', async () => {
    isAway = true;
    const before = await start();
    before.writeBy(writer);
    before.raise(alarm);
    await before.settle();
    const also = await start();
    also.writeBy(writer);
    await also.settle();
    isAway = false;
    expect(rows).toEqual([]);
    const after = await start();
    after.writeBy(writer);
    await after.settle();
    expect(rows).toHaveLength(1);
    expect(rows[0]!.statement).toMatchObject({ ...alarm, at: now });
    expect(existsSync(path())).toBe(false);
  });

  it('waits in memory where the process keeps nothing, and its number with it', async () => {
    isAway = true;
    const alarms = await start(undefined);
    alarms.writeBy(writer);
    for (let i = 0; i < 500; i++) alarms.raise(alarm);
    await alarms.settle();
    isAway = false;
    await alarms.stop();
    expect(told()).toEqual([['partner-share', 500, 'signed partner-share']]);
  });

  it('is told again, and not lost, where the answer of the database was', async () => {
    const alarms = await start();
    const insert = writer.store.insert;
    alarms.writeBy({
      store: {
        async insert(given) {
          await insert(given);
          if (rows.length === 1) throw new Error('the connection was lost');
        },
      },
    });
    alarms.raise(alarm);
    await alarms.settle();
    await alarms.settle();
    expect(rows).toHaveLength(2);
    expect(rows[1]!.statement.id).toBe(rows[0]!.statement.id); // which the table takes once
  });

  it('stops nothing, whatever fails', async () => {
    const broken: UnwrittenAlarms = {
      read: () => Promise.reject(new Error('no disk')),
      keep: () => Promise.reject(new Error('no disk')),
    };
    const alarms = await start(broken);
    alarms.writeBy({ ...writer, sign: () => Promise.reject(new Error('no thread')) });
    alarms.raise(alarm);
    alarms.raise({ ...alarm, reason: null as never });
    await alarms.settle();
    alarms.writeBy(writer);
    await alarms.settle();
    expect(told()).toEqual([['partner-share', 1, 'signed partner-share']]);
  });
});

describe('what lies on the disk', () => {
  it('is read again whatever id a row named, of any version or none', async () => {
    const requestId = 'ffffffff-0000-0000-0000-000000000001';
    const first = await start();
    first.raise({ kind: 'unreadable_row', reason: 'a row', requestId });
    await first.settle();
    const next = await start();
    next.writeBy(writer);
    await next.settle();
    expect(rows.map(({ statement }) => statement.requestId)).toEqual([requestId]);
  });

  it('is set aside where it holds no alarms, and the process goes on', async () => {
    for (const text of ['{', '[{}]', '[{"id":"x"}]']) {
      writeFileSync(path(), text);
      const alarms = await start();
      alarms.writeBy(writer);
      await alarms.settle();
      expect(existsSync(path())).toBe(false);
      expect(readFileSync(`${path()}.unreadable`, 'utf8')).toBe(text);
    }
    expect(rows).toEqual([]);
  });

  it('is there before the database is asked: a process that dies meanwhile has not forgotten', async () => {
    const alarms = await start();
    const seen: string[] = [];
    alarms.writeBy({
      store: {
        async insert() {
          seen.push(existsSync(path()) ? readFileSync(path(), 'utf8') : 'no file');
        },
      },
    });
    alarms.raise(alarm);
    await alarms.settle();
    expect(seen).toEqual([expect.stringContaining('partner-share')]);
  });
});

describe('work that fails with an alarm', () => {
  it('has told it when it ends: its process ends with it', async () => {
    const alarms = await start();
    const fails = async () => {
      alarms.raise({ kind: 'ledger_fault', reason: 'rolled back', isLasting: true });
      throw new Error('rolled back');
    };
    await expect(tellBeforeFailing(alarms, fails())).rejects.toThrow('rolled back');
    expect(readFileSync(path(), 'utf8')).toContain('ledger_fault');
    await expect(tellBeforeFailing(alarms, Promise.resolve(7))).resolves.toBe(7);
  });
});
