/** Requests: what was asked for, what came of it, and what was refused. */
import { filterIndexes, recordColumns } from './0001-records.js';
import { appendOnly, EVERY_PARTY, PARTIES } from './0001-roles.js';

/**
 * What callers asked for, and what came of it, may be taken away once it is old: by the owner alone, who says so in the
 * transaction that does it. Records of parties and gateways, which are chained, and what stands against a second message of a
 * request are append-only.
 */
function removableByOwner(table: string): string[] {
  return [
    `CREATE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON ${table}
       FOR EACH STATEMENT EXECUTE FUNCTION countersign_refuse_change()`,
    `CREATE TRIGGER refuse_removal BEFORE DELETE ON ${table} FOR EACH STATEMENT
       WHEN (current_setting('countersign.retention', true) IS DISTINCT FROM 'on')
       EXECUTE FUNCTION countersign_refuse_change()`,
  ];
}

/** An item of a batch has no evidence of its own, but a place in its batch. */
const ITEM_COLUMNS = `batch_id uuid,
     batch_index smallint,
     CHECK ((evidence IS NULL) = (batch_id IS NOT NULL)),
     CHECK ((batch_id IS NULL) = (batch_index IS NULL))`;

/** An index over ranges of pages (brin) costs a signature next to nothing. */
export const REQUEST_SCHEMA = [
  // a signing request that was answered 202: what a sweeper or another gateway needs to go on
  `CREATE TABLE signing_request (
     request_id uuid PRIMARY KEY,
     submission bytea NOT NULL,
     operation text NOT NULL,
     created_by uuid NOT NULL,
     created_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL,
     evidence bytea,
     ${ITEM_COLUMNS}
   )`,
  'CREATE INDEX signing_request_expires ON signing_request (expires_at)',
  // A row is what the party in `lead` says, and its payload carries the proof. So that a party cannot stand in the way of
  // another's result, each has its own row of a request: readers check them all, and take the one that holds.
  // A payload is a signature, its receipt and its proofs; evidence is a request as the gateway takes it, and what seals it.
  `CREATE TABLE request_result (
     request_id uuid NOT NULL,
     operation text NOT NULL,
     created_by uuid NOT NULL,
     received_at timestamptz NOT NULL,
     completed_at timestamptz NOT NULL,
     lead smallint NOT NULL,
     outcome text NOT NULL CHECK (outcome IN ('signed', 'denied')),
     payload bytea NOT NULL CHECK (octet_length(payload) <= 16384),
     evidence bytea CHECK (octet_length(evidence) <= 1048576),
     ${ITEM_COLUMNS},
     PRIMARY KEY (request_id, lead)
   )`,
  `CREATE INDEX request_result_completed ON request_result
     USING brin (completed_at) WITH (autosummarize = on)`,
  'ALTER TABLE request_result ENABLE ROW LEVEL SECURITY',
  'CREATE POLICY anybody_reads ON request_result FOR SELECT USING (true)',
  ...PARTIES.map(
    (party) => `CREATE POLICY party_${party}_leads ON request_result FOR INSERT
      TO countersign_party_${party} WITH CHECK (lead = ${party})`,
  ),
  // The evidence of a batch, once for each writer: a party (1 to 3) with its first result of an item, a gateway (0) where
  // it was answered 202. Whoever reads an item reads its writer's.
  `CREATE TABLE batch_evidence (
     batch_id uuid NOT NULL,
     writer smallint NOT NULL,
     written_at timestamptz NOT NULL,
     evidence bytea NOT NULL CHECK (octet_length(evidence) <= 1048576),
     PRIMARY KEY (batch_id, writer)
   )`,
  `CREATE INDEX batch_evidence_written ON batch_evidence
     USING brin (written_at) WITH (autosummarize = on)`,
  'ALTER TABLE batch_evidence ENABLE ROW LEVEL SECURITY',
  'CREATE POLICY anybody_reads ON batch_evidence FOR SELECT USING (true)',
  `CREATE POLICY gateway_writes ON batch_evidence FOR INSERT
     TO countersign_gateway WITH CHECK (writer = 0)`,
  ...PARTIES.map(
    (party) => `CREATE POLICY party_${party}_writes ON batch_evidence FOR INSERT
      TO countersign_party_${party} WITH CHECK (writer = ${party})`,
  ),
  `CREATE TABLE idempotency_key (
     created_by uuid NOT NULL,
     key text NOT NULL,
     body_sha256 bytea NOT NULL,
     request_id uuid NOT NULL,
     created_at timestamptz NOT NULL,
     PRIMARY KEY (created_by, key)
   )`,
  `CREATE INDEX idempotency_key_created ON idempotency_key
     USING brin (created_at) WITH (autosummarize = on)`,
  // that a repeat of a request was answered 202 with the id of the first, of which nothing else may be known yet
  `CREATE TABLE promised_request (
     request_id uuid PRIMARY KEY,
     operation text NOT NULL,
     created_by uuid NOT NULL,
     created_at timestamptz NOT NULL
   )`,
  `CREATE INDEX promised_request_created ON promised_request
     USING brin (created_at) WITH (autosummarize = on)`,
  // that a request's one-time secret was shown
  'CREATE TABLE secret_reveal (request_id uuid PRIMARY KEY, revealed_at timestamptz NOT NULL)',
  // Authenticated requests that were refused before any party or ledger saw them. The evidence is for trying other policies
  // on it; whoever may ask for nothing can be refused as often as they like: a row stays small.
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
     evidence bytea CHECK (octet_length(evidence) <= 8192),
     PRIMARY KEY (chain_id, seq)
   )`,
  ...filterIndexes('public', 'refused_request'),
  // its answer named it
  'CREATE INDEX refused_request_id ON refused_request (request_id)',
  // requests that ended without a result go on record once: this is how it is seen that one is there
  `CREATE INDEX refused_request_failed ON refused_request (request_id)
     WHERE err_type = 'gateway_timeout'`,
  `CREATE INDEX refused_request_failure ON refused_request (at)
     WHERE err_type IN ('internal_server_error', 'gateway_timeout')`,
  ...removableByOwner('signing_request'),
  ...removableByOwner('request_result'),
  ...removableByOwner('batch_evidence'),
  ...removableByOwner('promised_request'),
  appendOnly('secret_reveal'),
  appendOnly('refused_request'),
  `GRANT SELECT, INSERT ON signing_request, promised_request, secret_reveal, refused_request,
     batch_evidence TO countersign_gateway`,
  'GRANT SELECT, INSERT, UPDATE ON idempotency_key TO countersign_gateway',
  'GRANT SELECT ON request_result TO countersign_gateway',
  `GRANT SELECT, INSERT ON request_result, batch_evidence TO ${EVERY_PARTY}`,
  `GRANT SELECT ON signing_request, request_result, refused_request, batch_evidence
     TO countersign_auditor`,
];
