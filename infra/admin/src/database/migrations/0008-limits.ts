import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What counts against velocity limits: each party writes what it signs for, and reads what its partner wrote. */
export class Limits1700000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of LIMITS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('a vault is never migrated down: restore a backup instead');
  }
}

const PARTIES = [1, 2, 3] as const;
const EVERY_PARTY = PARTIES.map((party) => `countersign_party_${party}`).join(', ');

/** Sum of what a pair of parties has in a bucket's window beside the request: each request once, as the larger of the two. */
const USED = `CREATE FUNCTION countersign_limit_used(
     pair smallint[], of_bucket bytea, beside uuid, since bigint) RETURNS numeric LANGUAGE sql STABLE
   SET search_path = pg_catalog, public, pg_temp AS $$
     SELECT coalesce(sum(each.amount), 0) FROM (
       SELECT max(claim.amount) AS amount FROM (
         ${PARTIES.map(
           (party) => `SELECT request_id, amount FROM party_${party}.limit_claim
           WHERE ${party} = ANY (pair) AND bucket = of_bucket AND at > since AND holders > 0`,
         ).join(' UNION ALL ')}
       ) AS claim
       WHERE claim.request_id <> beside
       GROUP BY claim.request_id
     ) AS each
   $$`;

/**
 * Writes each claim that its limit has room for, and says which. Replicas of one party take turns for a bucket, by a row
 * of their party: in one order, so that none waits for another that waits for it. The loop's statements see what was
 * committed before their turn.
 */
const claimFunction = (party: number) => `CREATE FUNCTION party_${party}.claim_limits(
     partner smallint, at_ms bigint,
     buckets bytea[], requests uuid[], amounts numeric[], limits numeric[], since bigint[])
   RETURNS boolean[] LANGUAGE plpgsql
   SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '1s' AS $$
   DECLARE
     admitted boolean[] := '{}';
     has_room boolean;
   BEGIN
     INSERT INTO party_${party}.limit_turn (bucket)
       SELECT DISTINCT each FROM unnest(buckets) AS each ORDER BY each
       ON CONFLICT (bucket) DO UPDATE SET bucket = excluded.bucket;
     DELETE FROM party_${party}.limit_claim AS old USING (
         SELECT DISTINCT * FROM unnest(buckets, since) AS each (bucket, since)) AS window_of
       WHERE old.bucket = window_of.bucket AND old.at <= window_of.since - 3600000;
     FOR i IN 1 .. cardinality(buckets) LOOP
       has_room := amounts[i] + public.countersign_limit_used(
         ARRAY[${party}, partner]::smallint[], buckets[i], requests[i], since[i]) <= limits[i];
       IF has_room THEN
         INSERT INTO party_${party}.limit_claim AS known (bucket, request_id, amount, at, holders)
           VALUES (buckets[i], requests[i], amounts[i], at_ms, 1)
           ON CONFLICT (bucket, request_id) DO UPDATE SET
             amount = greatest(known.amount, excluded.amount),
             at = greatest(known.at, excluded.at),
             holders = known.holders + 1;
       END IF;
       admitted := admitted || has_room;
     END LOOP;
     RETURN admitted;
   END $$`;

/** In the party's own schema: others read claims, and can lock nothing that the party needs. */
function partyTables(party: number): string[] {
  const schema = `party_${party}`;
  return [
    `CREATE TABLE ${schema}.limit_turn (
       bucket bytea PRIMARY KEY CHECK (octet_length(bucket) = 32)
     )`,
    // holders: attempts at the request that may come to a signature; 0 counts for nothing
    `CREATE TABLE ${schema}.limit_claim (
       bucket bytea NOT NULL CHECK (octet_length(bucket) = 32),
       request_id uuid NOT NULL,
       amount numeric NOT NULL CHECK (amount >= 0 AND amount < 1e41 AND scale(amount) <= 40),
       at bigint NOT NULL,
       holders int NOT NULL CHECK (holders >= 0),
       PRIMARY KEY (bucket, request_id)
     )`,
    `CREATE INDEX limit_claim_window ON ${schema}.limit_claim (bucket, at)
       INCLUDE (request_id, amount) WHERE holders > 0`,
    `GRANT SELECT, INSERT, UPDATE ON ${schema}.limit_turn TO countersign_${schema}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.limit_claim TO countersign_${schema}`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${EVERY_PARTY}`,
    `GRANT SELECT ON ${schema}.limit_claim TO ${EVERY_PARTY}`,
  ];
}

function claimRights(party: number): string[] {
  const name = `party_${party}.claim_limits(smallint, bigint, bytea[], uuid[], numeric[], numeric[], bigint[])`;
  return [
    claimFunction(party),
    `REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${name} TO countersign_party_${party}`,
  ];
}

const LIMITS = [
  ...PARTIES.flatMap(partyTables),
  USED,
  'REVOKE ALL ON FUNCTION countersign_limit_used(smallint[], bytea, uuid, bigint) FROM PUBLIC',
  `GRANT EXECUTE ON FUNCTION countersign_limit_used(smallint[], bytea, uuid, bigint) TO ${EVERY_PARTY}`,
  ...PARTIES.flatMap(claimRights),
];
