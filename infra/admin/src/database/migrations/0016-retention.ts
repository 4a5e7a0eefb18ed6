import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What callers asked for, and what came of it, may be taken away once it is old: by the owner alone, who says so in the
 * transaction that does it. Records of parties and gateways, which are chained, and what stands against a second message of a
 * request are append-only as before. An index over ranges of pages costs a signature next to nothing.
 */
export class Retention1700000000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of RETENTION) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}

const RETENTION = [
  ...['signing_request', 'request_result'].flatMap((table) => [
    `DROP TRIGGER refuse_change ON ${table}`,
    `CREATE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON ${table}
       FOR EACH STATEMENT EXECUTE FUNCTION countersign_refuse_change()`,
    `CREATE TRIGGER refuse_removal BEFORE DELETE ON ${table} FOR EACH STATEMENT
       WHEN (current_setting('countersign.retention', true) IS DISTINCT FROM 'on')
       EXECUTE FUNCTION countersign_refuse_change()`,
  ]),
  `CREATE INDEX request_result_completed ON request_result
     USING brin (completed_at) WITH (autosummarize = on)`,
  `CREATE INDEX idempotency_key_created ON idempotency_key
     USING brin (created_at) WITH (autosummarize = on)`,
];
