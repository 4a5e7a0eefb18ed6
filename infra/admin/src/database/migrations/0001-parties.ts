/** One schema for each party: its key shares, its records and its memory. */
import { filterIndexes, recordColumns } from './0001-records.js';
import { appendOnly, EVERY_PARTY, PARTIES } from './0001-roles.js';

function keyTables(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.key_share (
       key_id uuid NOT NULL,
       session text NOT NULL,
       scheme text NOT NULL,
       version int NOT NULL,
       kek_id text NOT NULL,
       wrapped_dek bytea NOT NULL,
       sealed bytea NOT NULL,
       created_at timestamptz NOT NULL,
       PRIMARY KEY (key_id, session)
     )`,
    // HPKE keys to which importing clients seal this party's part; deleted some time after they expire
    `CREATE TABLE ${schema}.import_recipient (
       recipient_id uuid PRIMARY KEY,
       wrapped_dek bytea NOT NULL,
       sealed bytea NOT NULL,
       expires_at timestamptz NOT NULL
     )`,
    // the last of the rising numbers that a venue was given with a key
    `CREATE TABLE ${schema}.venue_nonce (
       key_id uuid PRIMARY KEY,
       last bigint NOT NULL
     )`,
    // RSA keys made ahead, for keys that the ledger will name
    `CREATE TABLE ${schema}.rsa_stock (
       stock_id uuid PRIMARY KEY,
       wrapped_dek bytea NOT NULL,
       sealed bytea NOT NULL,
       created_at timestamptz NOT NULL
     )`,
    // what one replica of the party is at; good until it expires, and renewed meanwhile
    `CREATE TABLE ${schema}.key_lease (
       name text PRIMARY KEY,
       holder uuid NOT NULL,
       expires_at timestamptz NOT NULL
     )`,
    `GRANT SELECT, INSERT, DELETE ON ${schema}.key_share, ${schema}.import_recipient, ${schema}.rsa_stock
     TO countersign_${schema}`,
    `GRANT SELECT, INSERT, UPDATE ON ${schema}.venue_nonce TO countersign_${schema}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.key_lease TO countersign_${schema}`,
  ];
}

function signRecordTable(schema: string): string[] {
  return [
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
    ...filterIndexes(schema, 'sign_record'),
    `CREATE INDEX sign_record_denied ON ${schema}.sign_record (at) WHERE outcome = 'denied'`,
    `CREATE INDEX sign_record_request ON ${schema}.sign_record (request_id)`,
    appendOnly(`${schema}.sign_record`),
    `GRANT SELECT, INSERT ON ${schema}.sign_record TO countersign_${schema}`,
    `GRANT SELECT ON ${schema}.sign_record TO countersign_gateway, countersign_auditor`,
  ];
}

/**
 * The one message that the party contributed to for a request: never changed, and never taken away. By the time at which the
 * caller signed the request, so that what is new comes after its like: by digests alone each row goes to a page of its own of
 * an index that is as large as the vault is old, and the first row on a page after a checkpoint writes all of it to the
 * write-ahead log. As safe as the id alone: the id is a digest of what the caller signed, time included, and a party takes
 * both from the one evidence that it has in hand, so a pair is there twice just when the id is.
 */
function messageTable(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.request_message (
       request_id uuid NOT NULL,
       signed_at bigint NOT NULL,
       nonce bigint NOT NULL,
       message_sha256 bytea NOT NULL,
       asked_at bigint NOT NULL CHECK (asked_at > 0),
       PRIMARY KEY (asked_at, request_id)
     )`,
    appendOnly(`${schema}.request_message`),
    `GRANT SELECT, INSERT ON ${schema}.request_message TO countersign_${schema}`,
  ];
}

/** The other parties read what was claimed in a limit. They can lock nothing that the party needs. */
export const PARTY_SCHEMAS = PARTIES.map((party) => `party_${party}`).flatMap((schema) => [
  `CREATE SCHEMA ${schema}`,
  `GRANT USAGE ON SCHEMA ${schema} TO countersign_gateway, countersign_auditor, ${EVERY_PARTY}`,
  ...keyTables(schema),
  ...signRecordTable(schema),
  ...messageTable(schema),
]);
