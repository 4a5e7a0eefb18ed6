import type { MigrationInterface, QueryRunner } from 'typeorm';

const PARTIES = [1, 2, 3] as const;

/** The first schema: ledger, requests, one schema per party, and what each role may do. */
export class First1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...ROLES, ...LEDGER, ...REQUESTS, ...PARTIES.flatMap(partySchema)]) {
      await runner.query(statement);
    }
  }

  async down(): Promise<void> {
    throw new Error('the ledger cannot be migrated away');
  }
}

/** Roles belong to the cluster, not to one database: they may exist. Logins are the operator's. */
const ROLES = [
  ...['gateway', 'party_1', 'party_2', 'party_3', 'auditor'].map(
    (name) => `DO $$ BEGIN
      CREATE ROLE countersign_${name} NOLOGIN;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  ),
  'REVOKE ALL ON SCHEMA public FROM PUBLIC',
  `GRANT USAGE ON SCHEMA public TO countersign_gateway, countersign_auditor,
     countersign_party_1, countersign_party_2, countersign_party_3`,
];

const EVERY_PARTY = 'countersign_party_1, countersign_party_2, countersign_party_3';

/**
 * An appender gives the body alone. The trigger numbers and chains it under a lock, so appends are
 * totally ordered without gaps and a row outside the chain cannot be inserted. Every node checks the
 * chain again for itself.
 */
const LEDGER = [
  `CREATE TABLE ledger_entry (
     seq bigint PRIMARY KEY,
     prev_hash bytea NOT NULL,
     hash bytea NOT NULL UNIQUE,
     body bytea NOT NULL CHECK (octet_length(body) BETWEEN 1 AND 1048576),
     inserted_at timestamptz NOT NULL DEFAULT clock_timestamp()
   )`,
  `CREATE FUNCTION countersign_little_endian(value bigint, width int) RETURNS bytea
   LANGUAGE plpgsql IMMUTABLE STRICT AS $$
   DECLARE result bytea := decode(repeat('00', width), 'hex');
   BEGIN
     FOR i IN 0..width - 1 LOOP
       result := set_byte(result, i, ((value >> (8 * i)) & 255)::int);
     END LOOP;
     RETURN result;
   END $$`,
  `CREATE FUNCTION countersign_chain_entry() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE head record;
   BEGIN
     PERFORM pg_advisory_xact_lock(7041776, 1);
     SELECT seq, hash INTO head FROM ledger_entry ORDER BY seq DESC LIMIT 1;
     NEW.seq := coalesce(head.seq, 0) + 1;
     NEW.prev_hash := coalesce(head.hash, decode(repeat('00', 32), 'hex'));
     NEW.inserted_at := clock_timestamp();
     NEW.hash := sha256('\\x01'::bytea || countersign_little_endian(NEW.seq, 8) || NEW.prev_hash
       || countersign_little_endian(octet_length(NEW.body), 4) || NEW.body);
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER chain_entry BEFORE INSERT ON ledger_entry
   FOR EACH ROW EXECUTE FUNCTION countersign_chain_entry()`,
  `CREATE FUNCTION countersign_announce_entries() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_notify('countersign_ledger', '');
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER announce_entries AFTER INSERT ON ledger_entry
   FOR EACH STATEMENT EXECUTE FUNCTION countersign_announce_entries()`,
  `CREATE FUNCTION countersign_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
   END $$`,
  appendOnly('ledger_entry'),
  `GRANT SELECT ON ledger_entry TO countersign_gateway, countersign_auditor, ${EVERY_PARTY}`,
  `GRANT INSERT (body) ON ledger_entry TO countersign_gateway, ${EVERY_PARTY}`,
];

const REQUESTS = [
  // a signing request that was answered 202: what a sweeper or another gateway needs to go on
  `CREATE TABLE signing_request (
     request_id uuid PRIMARY KEY,
     submission bytea NOT NULL,
     operation text NOT NULL,
     created_by uuid NOT NULL,
     created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL,
     evidence bytea NOT NULL
   )`,
  'CREATE INDEX signing_request_expires ON signing_request (expires_at)',
  // one row per request that came to an end: the primary key is what makes an effect happen once
  `CREATE TABLE request_result (
     request_id uuid PRIMARY KEY,
     submission bytea NOT NULL,
     operation text NOT NULL,
     created_by uuid NOT NULL,
     received_at timestamptz NOT NULL,
     completed_at timestamptz NOT NULL,
     lead smallint NOT NULL,
     outcome text NOT NULL CHECK (outcome IN ('signed', 'denied')),
     payload bytea NOT NULL,
     evidence bytea NOT NULL
   )`,
  `CREATE TABLE idempotency_key (
     created_by uuid NOT NULL,
     key text NOT NULL,
     body_sha256 bytea NOT NULL,
     request_id uuid NOT NULL,
     created_at timestamptz NOT NULL,
     PRIMARY KEY (created_by, key)
   )`,
  // that a request's one-time secret was shown
  'CREATE TABLE secret_reveal (request_id uuid PRIMARY KEY, revealed_at timestamptz NOT NULL)',
  // authenticated requests that were refused before any party or ledger saw them
  `CREATE TABLE refused_request (
     ${recordColumns()}
     action text NOT NULL,
     actor uuid NOT NULL,
     request_id uuid NOT NULL,
     err_type text NOT NULL,
     reason text NOT NULL,
     policy text,
     vault_id uuid,
     wallet_address text,
     key_id uuid,
     PRIMARY KEY (chain_id, seq)
   )`,
  'CREATE INDEX refused_request_time ON refused_request (at DESC, chain_id, seq)',
  appendOnly('signing_request'),
  appendOnly('request_result'),
  appendOnly('secret_reveal'),
  appendOnly('refused_request'),
  `GRANT SELECT, INSERT ON signing_request, secret_reveal, refused_request TO countersign_gateway`,
  'GRANT SELECT, INSERT, UPDATE ON idempotency_key TO countersign_gateway',
  'GRANT SELECT ON request_result TO countersign_gateway',
  `GRANT SELECT, INSERT ON request_result TO ${EVERY_PARTY}`,
  'GRANT SELECT ON signing_request, request_result, refused_request TO countersign_auditor',
];

function partySchema(party: number): string[] {
  const schema = `party_${party}`;
  const role = `countersign_${schema}`;
  return [
    `CREATE SCHEMA ${schema}`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}, countersign_gateway, countersign_auditor`,
    `CREATE TABLE ${schema}.key_share (
       key_id uuid NOT NULL,
       session text NOT NULL,
       scheme text NOT NULL,
       version int NOT NULL,
       kek_id text NOT NULL,
       wrapped_dek bytea NOT NULL,
       sealed bytea NOT NULL,
       public_package bytea NOT NULL,
       created_at timestamptz NOT NULL,
       PRIMARY KEY (key_id, session)
     )`,
    `CREATE TABLE ${schema}.sign_record (
       ${recordColumns()}
       request_id uuid NOT NULL,
       role text NOT NULL CHECK (role IN ('lead', 'partner')),
       outcome text NOT NULL CHECK (outcome IN ('signed', 'contributed', 'denied')),
       action text NOT NULL,
       actor uuid NOT NULL,
       key_id uuid,
       vault_id uuid,
       wallet_address text,
       message_sha256 bytea,
       policy text,
       ledger_seq bigint NOT NULL,
       parties text NOT NULL,
       reason text,
       PRIMARY KEY (chain_id, seq)
     )`,
    `CREATE INDEX sign_record_time ON ${schema}.sign_record (at DESC, chain_id, seq)`,
    `CREATE INDEX sign_record_request ON ${schema}.sign_record (request_id)`,
    appendOnly(`${schema}.sign_record`),
    `GRANT SELECT, INSERT, DELETE ON ${schema}.key_share TO ${role}`,
    `GRANT SELECT, INSERT ON ${schema}.sign_record TO ${role}`,
    `GRANT SELECT ON ${schema}.sign_record TO countersign_gateway, countersign_auditor`,
  ];
}

/** Columns of a hash-chained record: one chain per writing process. */
function recordColumns(): string {
  return ['chain_id text', 'seq bigint', 'prev_hash bytea', 'hash bytea', 'at timestamptz']
    .map((column) => `${column} NOT NULL,`)
    .join('\n');
}

function appendOnly(table: string): string {
  return `CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
          FOR EACH STATEMENT EXECUTE FUNCTION countersign_refuse_change()`;
}
