import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each filter of the audit log finds its newest rows by an index, whatever else is on record. Every signature pays for them
 * twice, so none has more in it than it needs: rows of one moment are put in order when they are read. The index by time
 * loses what it had beyond the time. Ascending, though the newest are read first: what is new then comes after its like, where
 * a page is not split in the middle. Writers wait while these are made.
 */
export class AuditFilters1700000000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const statements = [
      ...[1, 2, 3].flatMap((party) => filterIndexes(`party_${party}`, 'sign_record')),
      ...filterIndexes('public', 'refused_request'),
      ...[1, 2, 3].map(
        (party) =>
          `CREATE INDEX sign_record_denied ON party_${party}.sign_record (at) WHERE outcome = 'denied'`,
      ),
      `CREATE INDEX refused_request_failure ON refused_request (at)
         WHERE err_type IN ('internal_server_error', 'gateway_timeout')`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}

function filterIndexes(schema: string, table: string): string[] {
  const on = `ON ${schema}.${table}`;
  return [
    `DROP INDEX ${schema}.${table}_time`,
    `CREATE INDEX ${table}_time ${on} (at)`,
    // with the key, since a user and a key that never met is what is asked of frequent ones
    `CREATE INDEX ${table}_actor ${on} (actor, at, key_id)`,
    `CREATE INDEX ${table}_action ${on} (action, at)`,
    `CREATE INDEX ${table}_key ${on} (key_id, at) WHERE key_id IS NOT NULL`,
    `CREATE INDEX ${table}_vault ${on} (vault_id, at) WHERE vault_id IS NOT NULL`,
    // of a refused request it is any text of any length, and an index entry has an end
    `CREATE INDEX ${table}_wallet ${on} (left(wallet_address, 200), at)
       WHERE wallet_address IS NOT NULL`,
  ];
}
