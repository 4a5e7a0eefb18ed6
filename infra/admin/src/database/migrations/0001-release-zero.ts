import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ALARM_SCHEMA } from './0001-alarms.js';
import { LEDGER_SCHEMA } from './0001-ledger.js';
import { LIMIT_SCHEMA } from './0001-limits.js';
import { PARTY_SCHEMAS } from './0001-parties.js';
import { REQUEST_SCHEMA } from './0001-requests.js';
import { ROLES } from './0001-roles.js';
import { WEBHOOK_SCHEMA } from './0001-webhooks.js';

/** The schema of release zero: ledger, requests, alarms, webhooks, one schema for each party, and what each role may do. */
export class ReleaseZero1800000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [
      ...ROLES,
      ...LEDGER_SCHEMA,
      ...REQUEST_SCHEMA,
      ...PARTY_SCHEMAS,
      ...LIMIT_SCHEMA,
      ...ALARM_SCHEMA,
      ...WEBHOOK_SCHEMA,
    ]) {
      await runner.query(statement);
    }
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}
