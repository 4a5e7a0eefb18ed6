/**
 * The counts of a party against velocity limits, in rows that it alone writes and the other parties read.
 *
 * Each party of a signature first writes its claim. The lead, which comes second, reads what both wrote once more after
 * its own is committed. Of any requests that were signed, take the one whose second claim was committed last. Any two
 * pairs have a party in common, so by then each of the others had a row at one of this pair's parties, and was counted.
 * So no window holds more than its limit, whichever pairs and replicas signed.
 */
import type { PartyNumber } from '@countersign/core/parties.js';
import type pg from 'pg';
import type { RequestClaim } from './own-counts.js';

export interface LimitStore {
  /** Returns for each claim whether its limit has room; if so, it is written. `at`: ms. */
  claim(partner: PartyNumber, claims: readonly RequestClaim[], at: number): Promise<boolean[]>;
  /** Returns for each written claim whether its limit still has room, beside all that was committed before. */
  confirm(partner: PartyNumber, claims: readonly RequestClaim[], at: number): Promise<boolean[]>;
  /** Takes back claims that came to nothing. */
  giveBack(claims: readonly RequestClaim[]): Promise<void>;
}

export function createLimitStore(pool: Pick<pg.Pool, 'query'>, party: PartyNumber): LimitStore {
  return {
    async claim(partner, claims, at) {
      const { rows } = await pool.query<{ admitted: boolean[] }>({
        name: 'claim_limits',
        text: `SELECT party_${party}.claim_limits($1::smallint, $2::bigint,
                 $3::bytea[], $4::uuid[], $5::numeric[], $6::numeric[], $7::bigint[]) AS admitted`,
        values: [partner, at, ...columnsOf(claims, at)],
      });
      return requireOneEach(rows[0]!.admitted, claims);
    },
    async confirm(partner, claims, at) {
      const { rows } = await pool.query<{ has_room: boolean }>({
        name: `confirm_limits_${partner}`,
        // looks claim by claim only where the sums leave no room, and takes the partner's amount if that is more:
        // prices may have moved between the two
        text: `SELECT CASE WHEN bound.used <= "limit" THEN true
                 ELSE greatest(amount, (
                   SELECT claim.amount FROM party_${partner}.limit_claim AS claim
                   WHERE claim.bucket = asked.bucket AND claim.request_id = asked.request_id
                     AND claim.holders > 0)) + countersign_limit_used(
                 ARRAY[$1, $2]::smallint[], asked.bucket, asked.request_id, asked.since) <= "limit"
                 END AS has_room
               FROM unnest($3::bytea[], $4::uuid[], $5::numeric[], $6::numeric[], $7::bigint[])
                 WITH ORDINALITY AS asked (bucket, request_id, amount, "limit", since, place)
               JOIN (
                 SELECT bucket, sum(amount) + countersign_limit_bound($1, $2, bucket, min(since)) AS used
                 FROM unnest($3::bytea[], $5::numeric[], $7::bigint[]) AS each (bucket, amount, since)
                 GROUP BY bucket
               ) AS bound USING (bucket)
               ORDER BY place`,
        values: [party, partner, ...columnsOf(claims, at)],
      });
      const answers = rows.map((row) => row.has_room);
      return requireOneEach(answers, claims);
    },
    async giveBack(claims) {
      await pool.query({
        name: 'give_back_limits',
        text: `UPDATE party_${party}.limit_claim AS claim SET holders = greatest(holders - given.times, 0)
               FROM (SELECT bucket, request_id, count(*)::int AS times
                 FROM unnest($1::bytea[], $2::uuid[]) AS each (bucket, request_id)
                 GROUP BY bucket, request_id) AS given
               WHERE claim.bucket = given.bucket
                 AND claim.request_id = given.request_id`,
        values: columnsOf(claims, 0).slice(0, 2),
      });
    },
  };
}

/** Bucket, request, amount, limit, and the moment after which a row counts, each as an array. */
function columnsOf(claims: readonly RequestClaim[], at: number): unknown[] {
  return [
    claims.map(({ bucket }) => Buffer.from(bucket, 'hex')),
    claims.map(({ requestId }) => requestId),
    claims.map(({ amount }) => amount),
    claims.map(({ limit }) => limit),
    claims.map(({ windowMs }) => at - windowMs),
  ];
}

/** A missing answer of the database does not count as room. */
function requireOneEach(answers: readonly boolean[], claims: readonly RequestClaim[]): boolean[] {
  if (answers.length !== claims.length) throw new Error('the database did not answer each claim');
  return answers.map((answer) => answer === true);
}
