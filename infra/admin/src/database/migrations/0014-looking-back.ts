import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is kept of the past: more of what gateways refused, and of what the notifier sent no longer than it is asked for. */
export class LookingBack1700000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of LOOKING_BACK) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}

const LOOKING_BACK = [
  // for trying other policies on it; whoever may ask for nothing can be refused as often as they like: a row stays small
  'ALTER TABLE refused_request ADD COLUMN evidence bytea CHECK (octet_length(evidence) <= 8192)',
  // the notifier takes away what is settled and old
  'GRANT DELETE ON webhook_delivery TO countersign_notifier',
];
