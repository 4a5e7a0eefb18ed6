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
       SELECT max(claim.amount) AS amount FROM public.limit_claim AS claim
       WHERE claim.party = ANY (pair) AND claim.bucket = of_bucket AND claim.at > since
         AND claim.holders > 0 AND claim.request_id <> beside
       GROUP BY claim.request_id
     ) AS each
   $$`;

/**
 * Writes each claim that its limit has room for, and says which. Replicas of one party take turns for a bucket, by a row
 * of their party that no other role can lock: in one order, so that none waits for another that waits for it. The loop's
 * statements see what was committed before their turn.
 */
const CLAIM = `CREATE FUNCTION countersign_claim_limits(
     self smallint, partner smallint, at_ms bigint,
     buckets bytea[], requests uuid[], amounts numeric[], limits numeric[], since bigint[])
   RETURNS boolean[] LANGUAGE plpgsql
   SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '1s' AS $$
   DECLARE
     admitted boolean[] := '{}';
     has_room boolean;
   BEGIN
     INSERT INTO public.limit_turn (party, bucket)
       SELECT DISTINCT self, each FROM unnest(buckets) AS each ORDER BY each
       ON CONFLICT (party, bucket) DO UPDATE SET party = excluded.party;
     DELETE FROM public.limit_claim AS old USING (
         SELECT DISTINCT * FROM unnest(buckets, since) AS each (bucket, since)) AS window_of
       WHERE old.party = self AND old.bucket = window_of.bucket AND old.at <= window_of.since - 3600000;
     FOR i IN 1 .. cardinality(buckets) LOOP
       has_room := amounts[i] + public.countersign_limit_used(
         ARRAY[self, partner], buckets[i], requests[i], since[i]) <= limits[i];
       IF has_room THEN
         INSERT INTO public.limit_claim AS known (party, bucket, request_id, amount, at, holders)
           VALUES (self, buckets[i], requests[i], amounts[i], at_ms, 1)
           ON CONFLICT (party, bucket, request_id) DO UPDATE SET
             amount = greatest(known.amount, excluded.amount),
             at = greatest(known.at, excluded.at),
             holders = known.holders + 1;
       END IF;
       admitted := admitted || has_room;
     END LOOP;
     RETURN admitted;
   END $$`;

const LIMITS = [
  `CREATE TABLE limit_turn (
     party smallint NOT NULL CHECK (party BETWEEN 1 AND 3),
     bucket bytea NOT NULL CHECK (octet_length(bucket) = 32),
     PRIMARY KEY (party, bucket)
   )`,
  // holders: attempts at the request that may come to a signature; 0 counts for nothing
  `CREATE TABLE limit_claim (
     party smallint NOT NULL CHECK (party BETWEEN 1 AND 3),
     bucket bytea NOT NULL CHECK (octet_length(bucket) = 32),
     request_id uuid NOT NULL,
     amount numeric NOT NULL CHECK (amount >= 0 AND amount < 1e41 AND scale(amount) <= 40),
     at bigint NOT NULL,
     holders int NOT NULL CHECK (holders >= 0),
     PRIMARY KEY (party, bucket, request_id)
   )`,
  `CREATE INDEX limit_claim_window ON limit_claim (party, bucket, at)
     INCLUDE (request_id, amount) WHERE holders > 0`,
  ...['limit_turn', 'limit_claim'].flatMap((table) => [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `CREATE POLICY parties_read ON ${table} FOR SELECT TO ${EVERY_PARTY} USING (true)`,
    ...PARTIES.map(
      (party) => `CREATE POLICY party_${party}_counts ON ${table} FOR ALL
        TO countersign_party_${party} USING (party = ${party}) WITH CHECK (party = ${party})`,
    ),
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${EVERY_PARTY}`,
  ]),
  USED,
  CLAIM,
  ...[
    'countersign_limit_used(smallint[], bytea, uuid, bigint)',
    'countersign_claim_limits(smallint, smallint, bigint, bytea[], uuid[], numeric[], numeric[], bigint[])',
  ].flatMap((name) => [
    `REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${name} TO ${EVERY_PARTY}`,
  ]),
];
