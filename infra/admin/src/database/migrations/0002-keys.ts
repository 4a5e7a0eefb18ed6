import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What imported keys, venue requests and generated RSA keys need at each party. */
export class Keys1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const party of [1, 2, 3]) {
      for (const statement of partyTables(party)) await runner.query(statement);
    }
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}

function partyTables(party: number): string[] {
  const schema = `party_${party}`;
  const role = `countersign_${schema}`;
  return [
    `ALTER TABLE ${schema}.key_share DROP COLUMN public_package`,
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
    `GRANT SELECT, INSERT, DELETE ON ${schema}.import_recipient, ${schema}.rsa_stock TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE ON ${schema}.venue_nonce TO ${role}`,
  ];
}
