/** Commits that wait until they are let go, and then come to stand all at once: what a standby that stalls does to them. */
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import pg from 'pg';

export interface HeldCommits {
  /** From now on no commit with sign records ends, of any party; no timeout of a statement ends it either. */
  hold(): Promise<void>;
  letGo(): Promise<void>;
  close(): Promise<void>;
}

/** No role of a party may take such a lock: the function does it as the owner. */
const LOCK = 7_261;

export async function openHeldCommits(ownerUrl: string): Promise<HeldCommits> {
  const owner = new pg.Client(ownerUrl);
  await owner.connect();
  for (const party of PARTY_NUMBERS) {
    const wait = `party_${party}.wait_at_commit`;
    await owner.query(
      `CREATE FUNCTION ${wait}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
         $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${LOCK}); RETURN NULL; END $$;
       GRANT EXECUTE ON FUNCTION ${wait}() TO PUBLIC;
       CREATE CONSTRAINT TRIGGER held AFTER INSERT ON party_${party}.sign_record
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${wait}()`,
    );
  }
  return {
    async hold() {
      await owner.query('SELECT pg_advisory_lock($1)', [LOCK]);
    },
    async letGo() {
      await owner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    },
    close: () => owner.end(),
  };
}
