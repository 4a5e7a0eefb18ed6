import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A party's messages by the time at which their callers signed the requests, so that what is new comes after its like: by
 * digests alone each row goes to a page of its own of an index that is as large as the vault is old, and the first row on a
 * page after a checkpoint writes all of it to the write-ahead log.
 *
 * As safe as the id alone. The id is a digest of what the caller signed, time included, and a party takes both from the one
 * evidence that it has in hand: requests of one id have one time, so that a pair is there twice just when the id is. Messages
 * from before have no time (0), and count for every time that is asked for. A party of an earlier release cannot write any
 * more: the time has no default.
 */
export class MessageTimes1700000000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [1, 2, 3].flatMap(messageTimes)) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}

function messageTimes(party: number): string[] {
  const table = `party_${party}.request_message`;
  return [
    `ALTER TABLE ${table} ADD COLUMN asked_at bigint NOT NULL DEFAULT 0`,
    `ALTER TABLE ${table} ALTER COLUMN asked_at DROP DEFAULT`,
    // of rows that are written from now on
    `ALTER TABLE ${table} ADD CHECK (asked_at > 0) NOT VALID`,
    `ALTER TABLE ${table} DROP CONSTRAINT request_message_pkey`,
    `ALTER TABLE ${table} ADD PRIMARY KEY (asked_at, request_id)`,
  ];
}
