import type { MigrationInterface, QueryRunner } from 'typeorm';

const EVERY_LOGIN = [
  'countersign_gateway',
  ...[1, 2, 3].map((party) => `countersign_party_${party}`),
  'countersign_notifier',
];

/** Each process checks at its start that the schema is its release's: it may read which migrations have run. */
export class SchemaIsReadable1700000000019 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`GRANT SELECT ON countersign_migration TO ${EVERY_LOGIN.join(', ')}`);
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}
