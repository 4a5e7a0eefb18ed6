/** docs/explanation/threats.md, role by role: what a login of the database may not do, tried with that very login. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ROLE_NAMES, type RoleName } from '../infra/admin/dist/database/role-logins.js';
import { query } from './support/signing-load.ts';
import { openTestServers, type TestServers } from './support/test-servers.ts';

const DENIED = /permission denied|must be owner|row-level security/;
const PARTIES = [1, 2, 3] as const;
const ID = '01234567-89ab-4cde-8f01-abcdefabcdef';

let servers: TestServers;

beforeAll(async () => {
  servers = await openTestServers();
  // rows to be changed and deleted: what cannot be reached because nothing is there proves nothing
  await query(servers.ownerUrl, `INSERT INTO ledger_entry (body) VALUES ('a body')`);
  await query(
    servers.ownerUrl,
    `INSERT INTO webhook_delivery (webhook_id, event_id, event_type, source, source_seq, status)
     VALUES ('${ID}', '${ID}', 'x', 'ledger', 1, 'delivered')`,
  );
}, 60_000);
afterAll(() => servers?.close(), 60_000);

const changes = (table: string, column: string): string[] => [
  `UPDATE ${table} SET ${column} = ${column}`,
  `DELETE FROM ${table}`,
  `TRUNCATE ${table}`,
];
const everything = (table: string, column: string): string[] => [
  `SELECT ${column} FROM ${table}`,
  `INSERT INTO ${table} (${column}) VALUES (DEFAULT)`,
  ...changes(table, column),
];
const ofParty = (party: number, table: string) => `party_${party}.${table}`;

/** What nobody but the owner may do, whatever they may do besides. */
const FOR_NOBODY: readonly string[] = [
  ...changes('ledger_entry', 'body'),
  `INSERT INTO ledger_entry (body) VALUES ('x')`,
  ...changes('request_result', 'payload'),
  ...changes('signing_request', 'evidence'),
  ...changes('refused_request', 'reason'),
  ...changes('secret_reveal', 'request_id'),
  ...changes('alarm', 'reason'),
  'SELECT * FROM ledger_turn',
  'CREATE TABLE mine (x int)',
  'ALTER TABLE ledger_entry DISABLE TRIGGER ALL',
  'ALTER TABLE request_result DISABLE ROW LEVEL SECURITY',
  'DROP TABLE ledger_entry',
  ...PARTIES.flatMap((party) => [
    ...changes(ofParty(party, 'sign_record'), 'reason'),
    ...changes(ofParty(party, 'request_message'), 'nonce'),
  ]),
];

/** Tables of a party that only it reads, with a column of each. */
const PRIVATE_TABLES = [
  ['key_share', 'sealed'],
  ['rsa_stock', 'sealed'],
  ['import_recipient', 'sealed'],
  ['venue_nonce', 'last'],
  ['request_message', 'nonce'],
  ['key_lease', '*'],
  ['limit_turn', 'bucket'],
] as const;

const readsOf = (party: number): string[] =>
  PRIVATE_TABLES.map(([table, column]) => `SELECT ${column} FROM ${ofParty(party, table)}`);
const writesInto = (party: number): string[] => [
  `INSERT INTO ${ofParty(party, 'sign_record')} (request_id) VALUES ('${ID}')`,
  `INSERT INTO ${ofParty(party, 'request_message')} (request_id) VALUES ('${ID}')`,
  `INSERT INTO ${ofParty(party, 'key_share')} (key_id) VALUES ('${ID}')`,
  `DELETE FROM ${ofParty(party, 'key_share')}`,
  ...changes(ofParty(party, 'limit_claim'), 'holders'),
  ...changes(ofParty(party, 'limit_sum'), 'total'),
  `SELECT ${ofParty(party, 'claim_limits')}(1::smallint, 0, '{}', '{}', '{}', '{}', '{}')`,
];

const alarmOf = (accuser: string) =>
  `INSERT INTO alarm (alarm_id, accuser, kind, at, reason, count, evidence_bytes)
   VALUES ('${ID}', '${accuser}', 'x', now(), 'x', 1, 0)`;
const resultOf = (lead: number) =>
  `INSERT INTO request_result (request_id, operation, created_by, received_at, completed_at, lead, outcome, payload, evidence)
   VALUES ('${ID}', 'x', '${ID}', now(), now(), ${lead}, 'signed', 'x', 'x')`;
const results = PARTIES.map(resultOf);
const REQUESTS = [
  `INSERT INTO signing_request (request_id) VALUES ('${ID}')`,
  `INSERT INTO refused_request (request_id) VALUES ('${ID}')`,
  `INSERT INTO secret_reveal (request_id) VALUES ('${ID}')`,
  `INSERT INTO idempotency_key (request_id) VALUES ('${ID}')`,
];
const READS_OF_REQUESTS = [
  'signing_request',
  'refused_request',
  'secret_reveal',
  'idempotency_key',
].map((table) => `SELECT * FROM ${table}`);
const EVENTS = [
  `INSERT INTO webhook_delivery (event_id) VALUES ('${ID}')`,
  ...changes('webhook_delivery', 'status'),
  ...everything('webhook_cursor', 'position'),
  'SELECT * FROM webhook_resend',
  'DELETE FROM webhook_resend',
];
const APPEND = `SELECT countersign_append('{}'::bytea[])`;

function forbiddenToParty(party: number): string[] {
  const others = PARTIES.filter((other) => other !== party);
  return [
    ...others.flatMap(readsOf),
    ...others.flatMap(writesInto),
    ...others.map(resultOf),
    ...others.map((other) => alarmOf(`party_${other}`)),
    ...others.map((other) => `SELECT * FROM ${ofParty(other, 'sign_record')}`),
    alarmOf('gateway'),
    'SELECT * FROM alarm',
    ...REQUESTS,
    ...READS_OF_REQUESTS,
    ...EVENTS,
    `INSERT INTO webhook_resend (webhook_id, from_seq, to_seq) VALUES ('${ID}', 1, 1)`,
    'SELECT * FROM webhook_delivery',
  ];
}

const FORBIDDEN: Readonly<Record<RoleName, readonly string[]>> = {
  gateway: [
    ...PARTIES.flatMap(readsOf),
    ...PARTIES.flatMap(writesInto),
    ...PARTIES.map((party) => alarmOf(`party_${party}`)),
    ...PARTIES.map((party) => `SELECT * FROM ${ofParty(party, 'limit_claim')}`),
    ...PARTIES.map((party) => `SELECT * FROM ${ofParty(party, 'limit_sum')}`),
    ...results,
    ...EVENTS,
    'DELETE FROM idempotency_key',
  ],
  party_1: forbiddenToParty(1),
  party_2: forbiddenToParty(2),
  party_3: forbiddenToParty(3),
  auditor: [
    ...PARTIES.flatMap(readsOf),
    ...PARTIES.flatMap(writesInto),
    ...results,
    ...REQUESTS,
    ...EVENTS,
    alarmOf('gateway'),
    APPEND,
    `INSERT INTO webhook_resend (webhook_id, from_seq, to_seq) VALUES ('${ID}', 1, 1)`,
  ],
  notifier: [
    ...PARTIES.flatMap(readsOf),
    ...PARTIES.flatMap(writesInto),
    ...PARTIES.map((party) => `SELECT * FROM ${ofParty(party, 'sign_record')}`),
    ...results,
    'SELECT * FROM request_result',
    ...REQUESTS,
    ...READS_OF_REQUESTS,
    alarmOf('gateway'),
    APPEND,
    'UPDATE webhook_delivery SET event_id = event_id',
    'UPDATE webhook_delivery SET event_type = event_type',
    'UPDATE webhook_delivery SET webhook_id = webhook_id',
    'UPDATE webhook_delivery SET source_seq = source_seq',
    'TRUNCATE webhook_delivery',
    'DELETE FROM webhook_cursor',
    `INSERT INTO webhook_resend (webhook_id, from_seq, to_seq) VALUES ('${ID}', 1, 1)`,
  ],
};

describe.each(ROLE_NAMES)('the login of %s', (role) => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client({ connectionString: servers.roleUrls[role] });
    await client.connect();
  });
  afterAll(() => client?.end());

  /** What came of it; nothing of it stays. */
  async function outcomeOf(text: string): Promise<string> {
    await client.query('BEGIN');
    return client
      .query(text)
      .then(
        () => 'done',
        (error: Error) => error.message,
      )
      .finally(() => client.query('ROLLBACK'));
  }

  it('is let in', async () => {
    const { rows } = await client.query('SELECT session_user AS role FROM ledger_entry');
    expect(rows).toEqual([{ role: `countersign_${role}` }]);
  });

  it('may do none of this', async () => {
    const done: string[] = [];
    for (const text of [...FOR_NOBODY, ...FORBIDDEN[role]]) {
      const outcome = await outcomeOf(text);
      if (!DENIED.test(outcome)) done.push(`${text}: ${outcome}`);
    }
    expect(done).toEqual([]);
  });
});
