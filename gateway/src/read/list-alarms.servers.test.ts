/** The table of alarms: who may write what into it, how much, and what a reader is shown. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { alarmPage, listAlarmsQuery, type AlarmView } from '@countersign/api/alarm-schema.js';
import {
  alarmMessage,
  type Accuser,
  type AlarmStatement,
} from '@countersign/core/alarm-statement.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { createAlarmStore, type AlarmStore } from '@countersign/runtime/alarms/alarm-store.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import pg from 'pg';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { createCursors } from './cursor.js';
import type { ReadContext } from './read-operation.js';
import { listAlarms } from './list-alarms.js';

const WRITERS = ['gateway', 'party_1', 'party_2', 'party_3'] as const;
const GENESIS_HASH = 'ab'.repeat(32);
const pairs = PARTY_NUMBERS.map((party) => ({ party, ...generateKeyPairSync('ed25519') }));
const state = {
  ...EMPTY_STATE,
  genesisHash: GENESIS_HASH,
  parties: pairs.map(({ party, publicKey }) => ({
    party,
    identityPublicKey: publicKey
      .export({ format: 'der', type: 'spki' })
      .subarray(-32)
      .toString('base64'),
    exchangePublicKey: '',
  })),
};

let servers: TestServers;
let owner: pg.Pool;
const pools = new Map<string, pg.Pool>();

beforeAll(async () => {
  servers = await openTestServers();
  owner = new pg.Pool({ connectionString: servers.ownerUrl, max: 1 });
  for (const role of [...WRITERS, 'auditor'] as const) {
    pools.set(role, new pg.Pool({ connectionString: servers.roleUrls[role], max: 1 }));
  }
}, 60_000);

afterEach(async () => {
  await owner.query('ALTER TABLE alarm DISABLE TRIGGER refuse_change');
  await owner.query('TRUNCATE alarm');
  await owner.query('ALTER TABLE alarm ENABLE TRIGGER refuse_change');
});

afterAll(async () => {
  await Promise.all([...pools.values(), owner].map((pool) => pool?.end()));
  await servers?.close();
}, 60_000);

const storeOf = (role: string): AlarmStore => createAlarmStore(pools.get(role)!);

let clock = 1_767_614_400_000;

function statementOf(change: Partial<AlarmStatement> = {}): AlarmStatement {
  return {
    id: randomUUID(),
    accuser: 'party_1',
    kind: 'party_misbehaved',
    party: 2,
    at: clock++,
    requestId: null,
    reason: 'partner-share',
    count: 1,
    evidence: Buffer.from('what was sent'),
    evidenceBytes: 13,
    ...change,
  };
}

function signedAlarm(change: Partial<AlarmStatement> = {}) {
  const statement = statementOf(change);
  const pair = pairs.find(({ party }) => statement.accuser === `party_${party}`);
  const message = alarmMessage(statement, GENESIS_HASH);
  return { statement, signature: pair === undefined ? null : sign(null, message, pair.privateKey) };
}

interface Page {
  readonly results: AlarmView[];
  readonly next_cursor: string | null;
}

async function list(query: Readonly<Record<string, string>> = {}): Promise<Page> {
  const context = {
    state,
    pool: pools.get('gateway')!,
    caller: { id: 'ada' },
    cursors: createCursors(Buffer.alloc(32)),
  } as unknown as ReadContext;
  const input = { params: {}, query: listAlarmsQuery.parse(query), body: {} };
  const page = await listAlarms.handle(context, input);
  return alarmPage.parse(page);
}

const reasons = ({ results }: Page) => results.map(({ reason }) => reason);

describe('a role', () => {
  const OTHERS = WRITERS.flatMap((role) =>
    WRITERS.filter((other) => other !== role).map((other): [string, Accuser] => [role, other]),
  );

  it.each(OTHERS)('%s cannot raise an alarm in the name of %s', async (role, accuser) => {
    await expect(storeOf(role).insert([signedAlarm({ accuser })])).rejects.toThrow(/row-level/);
    expect((await list()).results).toEqual([]);
  });

  it.each(WRITERS)('%s raises alarms in its own name, each once', async (role) => {
    const given = signedAlarm({ accuser: role });
    await storeOf(role).insert([given]);
    await storeOf(role).insert([given, signedAlarm({ accuser: role })]);
    const { results } = await list();
    expect(results.map(({ accuser }) => accuser)).toEqual([role, role]);
    expect(results[0]!.is_verified).toBe(role === 'gateway' ? null : true);
  });

  it("cannot keep out another's alarm by taking its id", async () => {
    const id = randomUUID();
    for (const accuser of ['party_3', 'party_1'] as const) {
      await storeOf(accuser).insert([signedAlarm({ accuser, id })]);
    }
    expect((await list()).results.map(({ accuser }) => accuser)).toEqual(['party_1', 'party_3']);
  });

  it.each([...WRITERS, 'auditor'])('%s changes and deletes none', async (role) => {
    await storeOf('party_1').insert([signedAlarm()]);
    for (const text of [
      "UPDATE alarm SET reason = ''",
      'DELETE FROM alarm',
      'TRUNCATE alarm',
      'INSERT INTO alarm (seq) OVERRIDING SYSTEM VALUE VALUES (1)',
    ]) {
      await expect(pools.get(role)!.query(text)).rejects.toThrow(/permission denied/);
    }
  });

  it('reads them as gateway or auditor, and not as a party', async () => {
    await storeOf('party_1').insert([signedAlarm()]);
    const read = async (role: string) =>
      (await pools.get(role)!.query('SELECT reason FROM alarm')).rowCount;
    for (const role of ['gateway', 'auditor']) expect(await read(role)).toBe(1);
    for (const role of ['party_1', 'party_2']) {
      await expect(read(role)).rejects.toThrow(/permission denied/);
    }
  });

  it.each<[string, Partial<AlarmStatement>]>([
    ['evidence of more than 8 KiB', { evidence: Buffer.alloc(8_193) }],
    ['a reason of more than 300 characters', { reason: 'x'.repeat(301) }],
    ['a kind that is no statement', { kind: 'a b' }],
    ['a kind without end', { kind: 'x'.repeat(41) }],
    ['a count of none', { count: 0 }],
    ['a party that is none', { party: 4 as never }],
  ])('cannot write %s', async (_what, change) => {
    const given = { statement: statementOf(change), signature: null };
    await expect(storeOf('party_1').insert([given])).rejects.toThrow(/check constraint/);
  });

  it('that writes without end is stopped within a minute, and takes no room from another', async () => {
    const many = (accuser: Accuser, count: number) =>
      Array.from({ length: count }, () => signedAlarm({ accuser }));
    await storeOf('party_3').insert(many('party_3', 200));
    const more = storeOf('party_3').insert(many('party_3', 41));
    await expect(more).rejects.toThrow(/no more alarms of .*party_3/);
    await storeOf('party_3').insert(many('party_3', 40));
    await expect(storeOf('party_3').insert(many('party_3', 1))).rejects.toThrow(/no more alarms/);
    await storeOf('party_1').insert(many('party_1', 100));
    expect((await list({ accuser: 'party_1', limit: '100' })).results).toHaveLength(100);
    // a minute later
    await owner.query('ALTER TABLE alarm DISABLE TRIGGER refuse_change');
    await owner.query("UPDATE alarm SET written_at = written_at - interval '61 seconds'");
    await storeOf('party_3').insert(many('party_3', 1));
  });
});

describe('the list of alarms', () => {
  it('is read page by page, the newest first, also while more are written', async () => {
    const write = (...names: string[]) =>
      storeOf('party_1').insert(names.map((reason) => signedAlarm({ reason })));
    await write('1', '2', '3', '4', '5');
    const first = await list({ limit: '2' });
    expect(reasons(first)).toEqual(['5', '4']);
    await write('6');
    const second = await list({ limit: '2', cursor: first.next_cursor! });
    expect(reasons(second)).toEqual(['3', '2']);
    const third = await list({ limit: '2', cursor: second.next_cursor! });
    expect(reasons(third)).toEqual(['1']);
    expect(third.next_cursor).toBeNull();
  });

  it('has what matches every filter, with any time that a query can name', async () => {
    const at = Date.parse('2026-11-22T12:00:00Z');
    await storeOf('party_1').insert([
      signedAlarm({ reason: 'a', at }),
      signedAlarm({ reason: 'b', at: at + 1_000, party: 3 }),
      signedAlarm({ reason: 'c', at: at + 2_000, party: null, kind: 'forged_job' }),
    ]);
    await storeOf('gateway').insert([signedAlarm({ reason: 'd', at, accuser: 'gateway' })]);
    const found = async (query: Record<string, string>) => reasons(await list(query));
    expect(await found({ kind: 'forged_job' })).toEqual(['c']);
    expect(await found({ party: '2' })).toEqual(['d', 'a']);
    expect(await found({ party: '2', accuser: 'party_1' })).toEqual(['a']);
    expect(await found({ from: '2026-11-22T12:00:01Z' })).toEqual(['c', 'b']);
    expect(await found({ to: '2026-11-22T12:00:01Z' })).toEqual(['d', 'a']);
    for (const query of [
      { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999Z' },
      { from: '0001-01-01T14:00:00+14:00', to: '9999-12-31T11:59:59.999-12:00' },
    ]) {
      expect(await found(query)).toHaveLength(4);
    }
  });

  it('shows a row that its writer never signed, among those that are good', async () => {
    const good = signedAlarm({ reason: 'good' });
    const forged = { ...signedAlarm({ reason: 'forged' }), signature: Buffer.alloc(64) };
    const strange = {
      statement: statementOf({ kind: 'strange', reason: '\u202e"<b>' }),
      signature: null,
    };
    const huge = {
      statement: statementOf({ at: 253_402_300_799_999, count: 2 ** 31 - 1 }),
      signature: null,
    };
    await storeOf('party_1').insert([good, forged, strange, huge, signedAlarm({ reason: 'last' })]);
    const { results } = await list();
    expect(results.map(({ is_verified }) => is_verified)).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(results.map(({ kind }) => kind)).toContain('unknown');
  });
});
