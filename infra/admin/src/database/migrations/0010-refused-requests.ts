import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A refused request is looked up by its id, which its answer named. */
export class RefusedRequests1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX refused_request_id ON refused_request (request_id)');
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}
