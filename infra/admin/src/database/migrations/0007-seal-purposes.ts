import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each purpose has a seal of its own now, and what was sealed before under that of key shares opens no more:
 * shares in stock, and private keys for imports. Both are made anew when the parties start; key shares stay.
 */
export class SealPurposes1700000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const party of [1, 2, 3]) {
      await runner.query(`DELETE FROM party_${party}.rsa_stock`);
      await runner.query(`DELETE FROM party_${party}.import_recipient`);
    }
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}
