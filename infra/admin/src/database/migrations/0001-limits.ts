/**
 * What counts against velocity limits: each party writes what it signs for, in its own schema, and reads what its partner
 * wrote. How much a window holds at most is told by a few sums instead of all its claims: where that leaves room no claim is
 * looked at. What the sums do not settle is counted claim by claim.
 */
import { EVERY_PARTY, PARTIES, SAFE_PATH } from './0001-roles.js';

/** So many to a window: of what it left a slice counts too long, at most. */
const SLICES = 16;
/** For how long what has left a window stays, ms: clocks differ. */
const KEPT_MS = 3_600_000;

function claimTables(schema: string): string[] {
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
    // one for what is counted and for what is taken away; without holders, so that giving back changes no index
    `CREATE INDEX limit_claim_window ON ${schema}.limit_claim (bucket, at)`,
    `GRANT SELECT, INSERT, UPDATE ON ${schema}.limit_turn TO countersign_${schema}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.limit_claim TO countersign_${schema}`,
    `GRANT SELECT ON ${schema}.limit_claim TO ${EVERY_PARTY}`,
  ];
}

/**
 * A slice of a window, by the last moment that is in it. `total`: each time that a claim is written, what it then amounts
 * to, in the slice of its moment; nothing is ever taken off it. `copied`: how much of that the party beside it had written
 * for the same request by then, in the slice before the earlier of the two moments: so it counts only as long as both
 * totals do that have it.
 */
function sumTable(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.limit_sum (
       bucket bytea NOT NULL CHECK (octet_length(bucket) = 32),
       up_to bigint NOT NULL,
       beside smallint NOT NULL,
       total numeric NOT NULL CHECK (total >= 0 AND total < 1e60),
       copied numeric NOT NULL CHECK (copied >= 0 AND copied < 1e60),
       PRIMARY KEY (bucket, up_to, beside)
     ) WITH (fillfactor = 50)`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.limit_sum TO countersign_${schema}`,
    `GRANT SELECT ON ${schema}.limit_sum TO ${EVERY_PARTY}`,
  ];
}

/** Sum of what a pair of parties has in a bucket's window beside the request: each request once, as the larger of the two. */
const USED = `CREATE FUNCTION countersign_limit_used(
     pair smallint[], of_bucket bytea, beside uuid, since bigint) RETURNS numeric LANGUAGE sql STABLE
   ${SAFE_PATH} AS $$
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
 * What a pair has in a bucket's window, or more. A request that both have is counted once, less what the copies leave
 * out; never less than the asking party has by itself, whatever its partner says that was copied.
 */
const BOUND = `CREATE FUNCTION countersign_limit_bound(
     own smallint, partner smallint, of_bucket bytea, since bigint) RETURNS numeric LANGUAGE plpgsql STABLE
   ${SAFE_PATH} AS $$
   BEGIN
     RETURN (SELECT greatest(
         coalesce(sum(total) FILTER (WHERE party = own), 0),
         coalesce(sum(total), 0) - coalesce(sum(copied) FILTER (WHERE beside IN (own, partner)), 0))
       FROM (${PARTIES.map(
         (party) => `SELECT ${party} AS party, beside, total, copied FROM party_${party}.limit_sum
         WHERE ${party} IN (own, partner) AND bucket = of_bucket AND up_to > since`,
       ).join(' UNION ALL ')}) AS each);
   END $$`;

/** Writes the claims of these buckets, and adds them to their sums, all in one statement. */
const writeFunction = (party: number) => `CREATE FUNCTION party_${party}.write_limit_claims(
     partner smallint, at_ms bigint, of_buckets bytea[],
     buckets bytea[], requests uuid[], amounts numeric[], since bigint[])
   RETURNS void LANGUAGE plpgsql ${SAFE_PATH} AS $$
   BEGIN
     WITH asked AS (
       SELECT bucket, request_id, max(amount) AS amount, count(*)::int AS times,
           greatest(min(at_ms - each.since) / ${SLICES}, 1) AS width
         FROM unnest(buckets, requests, amounts, since) AS each (bucket, request_id, amount, since)
         WHERE bucket = ANY (of_buckets) GROUP BY bucket, request_id
     ), written AS (
       INSERT INTO party_${party}.limit_claim AS known (bucket, request_id, amount, at, holders)
         SELECT bucket, request_id, amount, at_ms, times FROM asked
         ON CONFLICT (bucket, request_id) DO UPDATE SET
           amount = greatest(known.amount, excluded.amount),
           at = greatest(known.at, excluded.at),
           holders = known.holders + excluded.holders
         RETURNING bucket, request_id, amount, at
     ), claim AS (
       SELECT written.*, width FROM written JOIN asked USING (bucket, request_id)
     ), part AS (
       SELECT bucket, at / width + 1 AS slice, width, amount AS total, 0 AS copied FROM claim
       ${PARTIES.filter((other) => other !== party)
         .map(
           (other) => `UNION ALL
       SELECT bucket, least(claim.at, theirs.at) / width, width, 0, least(claim.amount, theirs.amount)
         FROM claim JOIN party_${other}.limit_claim AS theirs USING (bucket, request_id)
         WHERE partner = ${other}`,
         )
         .join(' ')}
     )
     INSERT INTO party_${party}.limit_sum AS known (bucket, up_to, beside, total, copied)
       SELECT bucket, slice * width - 1, partner, sum(total), sum(copied)
         FROM part GROUP BY bucket, slice, width
       ON CONFLICT (bucket, up_to, beside) DO UPDATE SET
         total = known.total + excluded.total, copied = known.copied + excluded.copied;
   END $$`;

/**
 * Writes each claim that its limit has room for, and says which. Replicas of one party take turns for a bucket, by a row of their party: in one order, so
 * that none waits for another that waits for it. Statements after it see what was committed before their turn. A request
 * that comes again comes to what it was claimed for before, if that is more. What the sums leave no room for is asked
 * claim by claim.
 */
const claimFunction = (party: number) => `CREATE FUNCTION party_${party}.claim_limits(
     partner smallint, at_ms bigint,
     buckets bytea[], requests uuid[], amounts numeric[], limits numeric[], since bigint[])
   RETURNS boolean[] LANGUAGE plpgsql ${SAFE_PATH} SET lock_timeout = '1s' AS $$
   DECLARE
     roomy bytea[];
     admitted boolean[];
   BEGIN
     INSERT INTO party_${party}.limit_turn (bucket)
       SELECT DISTINCT each FROM unnest(buckets) AS each ORDER BY each
       ON CONFLICT (bucket) DO UPDATE SET bucket = excluded.bucket;
     PERFORM party_${party}.forget_limit_claims(partner, at_ms, buckets, since);
     roomy := ARRAY(SELECT each.bucket
       FROM unnest(buckets, requests, amounts, limits, since)
         AS each (bucket, request_id, amount, "limit", since)
       GROUP BY each.bucket
       HAVING sum(greatest(amount, (
           SELECT known.amount FROM party_${party}.limit_claim AS known
           WHERE known.bucket = each.bucket AND known.request_id = each.request_id))) + public.countersign_limit_bound(
         ${party}::smallint, partner, each.bucket, min(each.since)) <= min("limit"));
     PERFORM party_${party}.write_limit_claims(
       partner, at_ms, roomy, buckets, requests, amounts, since);
     FOR i IN 1 .. cardinality(buckets) LOOP
       admitted[i] := buckets[i] = ANY (roomy);
       CONTINUE WHEN admitted[i];
       admitted[i] := amounts[i] + public.countersign_limit_used(
         ARRAY[${party}, partner]::smallint[], buckets[i], requests[i], since[i]) <= limits[i];
       CONTINUE WHEN NOT admitted[i];
       PERFORM party_${party}.write_limit_claims(partner, at_ms, buckets[i:i],
         buckets[i:i], requests[i:i], amounts[i:i], since[i:i]);
     END LOOP;
     RETURN admitted;
   END $$`;

/** Once for each slice of a bucket: takes away what has left the window long ago. */
const forgetFunction = (party: number) => `CREATE FUNCTION party_${party}.forget_limit_claims(
     partner smallint, at_ms bigint, buckets bytea[], since bigint[]) RETURNS void LANGUAGE plpgsql ${SAFE_PATH} AS $$
   DECLARE
     begun record;
   BEGIN
     FOR begun IN SELECT each.bucket, min(each.since) - ${KEPT_MS} AS until
       FROM unnest(buckets, since) AS each (bucket, since)
       WHERE NOT EXISTS (SELECT FROM party_${party}.limit_sum AS known
         WHERE known.bucket = each.bucket AND known.up_to >= at_ms AND known.beside = partner)
       GROUP BY each.bucket
     LOOP
       DELETE FROM party_${party}.limit_claim AS old WHERE old.bucket = begun.bucket AND old.at <= begun.until;
       DELETE FROM party_${party}.limit_sum AS old WHERE old.bucket = begun.bucket AND old.up_to <= begun.until;
     END LOOP;
   END $$`;

/** As its own party alone. */
function functionsOf(party: number): string[] {
  const schema = `party_${party}`;
  const names = [
    `${schema}.write_limit_claims(smallint, bigint, bytea[], bytea[], uuid[], numeric[], bigint[])`,
    `${schema}.forget_limit_claims(smallint, bigint, bytea[], bigint[])`,
    `${schema}.claim_limits(smallint, bigint, bytea[], uuid[], numeric[], numeric[], bigint[])`,
  ];
  return [
    writeFunction(party),
    forgetFunction(party),
    claimFunction(party),
    ...names.flatMap((name) => [
      `REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`,
      `GRANT EXECUTE ON FUNCTION ${name} TO countersign_${schema}`,
    ]),
  ];
}

export const LIMIT_SCHEMA = [
  ...PARTIES.map((party) => `party_${party}`).flatMap((schema) => [
    ...claimTables(schema),
    ...sumTable(schema),
  ]),
  ...[
    [USED, 'countersign_limit_used(smallint[], bytea, uuid, bigint)'],
    [BOUND, 'countersign_limit_bound(smallint, smallint, bytea, bigint)'],
  ].flatMap(([definition, name]) => [
    definition!,
    `REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${name} TO ${EVERY_PARTY}`,
  ]),
  ...PARTIES.flatMap(functionsOf),
];
