import type { MigrationInterface, QueryRunner } from 'typeorm';

const PARTIES = [1, 2, 3] as const;

/** One request, one message: what a party remembers of it, and results that nobody writes in another's name. */
export class OneMessage1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...RESULTS, ...PARTIES.flatMap(partyTables)]) {
      await runner.query(statement);
    }
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}

/**
 * A row is what the party in `lead` says, and its payload carries the proof. So that a party cannot stand in the way of
 * another's result, each has its own row of a request: readers check them all, and take the one that holds.
 */
const RESULTS = [
  'ALTER TABLE request_result DROP CONSTRAINT request_result_pkey',
  'ALTER TABLE request_result ADD PRIMARY KEY (request_id, lead)',
  'ALTER TABLE request_result DROP COLUMN submission',
  // a signature, its receipt and its proofs; a request as the gateway takes it, and what seals it
  'ALTER TABLE request_result ADD CHECK (octet_length(payload) <= 16384)',
  'ALTER TABLE request_result ADD CHECK (octet_length(evidence) <= 1048576)',
  'ALTER TABLE request_result ENABLE ROW LEVEL SECURITY',
  'CREATE POLICY anybody_reads ON request_result FOR SELECT USING (true)',
  ...PARTIES.map(
    (party) => `CREATE POLICY party_${party}_leads ON request_result FOR INSERT
      TO countersign_party_${party} WITH CHECK (lead = ${party})`,
  ),
];

function partyTables(party: number): string[] {
  const schema = `party_${party}`;
  return [
    // the one message that the party contributed to for a request: never changed, and never taken away
    `CREATE TABLE ${schema}.request_message (
       request_id uuid PRIMARY KEY,
       signed_at bigint NOT NULL,
       nonce bigint NOT NULL,
       message_sha256 bytea NOT NULL
     )`,
    `CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.request_message
     FOR EACH STATEMENT EXECUTE FUNCTION countersign_refuse_change()`,
    `GRANT SELECT, INSERT ON ${schema}.request_message TO countersign_${schema}`,
  ];
}
