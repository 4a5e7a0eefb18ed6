import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was asked for, of requests for signatures that a gateway's look at the policies refused: for trying other policies on them. */
export class RefusedEvidence1700000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // whoever may ask for nothing can be refused as often as they like: a row stays small
    await runner.query(
      'ALTER TABLE refused_request ADD COLUMN evidence bytea CHECK (octet_length(evidence) <= 8192)',
    );
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}
