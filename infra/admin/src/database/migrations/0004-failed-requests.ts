import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests that ended without a result go on record once: this is how it is seen that one is there. */
export class FailedRequests1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX refused_request_failed ON refused_request (request_id)
      WHERE err_type = 'gateway_timeout'`);
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}
