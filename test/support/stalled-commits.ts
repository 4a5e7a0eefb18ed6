/** Commits that nobody answers in time, although their rows come to stand: what a standby that stalls does to them. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type pg from 'pg';

export interface CommitStall {
  /** Resolves once the commits that were held up are done, and none is any more. */
  end(): Promise<void>;
}

/**
 * From now on a commit with sign records of the party takes so long. No timeout of a statement ends it: those hold until
 * the commit begins. `owner`: of the tables.
 */
export async function stallCommits(
  owner: Pick<pg.Client, 'query'>,
  party: PartyNumber,
  seconds: number,
): Promise<CommitStall> {
  const table = `party_${party}.sign_record`;
  const wait = `party_${party}.wait_at_commit`;
  await owner.query(
    `CREATE FUNCTION ${wait}() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END $$`,
  );
  await owner.query(`GRANT EXECUTE ON FUNCTION ${wait}() TO PUBLIC`);
  await owner.query(
    `CREATE CONSTRAINT TRIGGER stalled AFTER INSERT ON ${table} DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION ${wait}()`,
  );
  return {
    async end() {
      // waits for whoever holds rows of the table
      await owner.query(`DROP TRIGGER stalled ON ${table}`);
      await owner.query(`DROP FUNCTION ${wait}()`);
    },
  };
}
