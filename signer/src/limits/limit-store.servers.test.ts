import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import pg from 'pg';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { createLimitStore } from './limit-store.js';
import { createLimits, type Limits } from './limits.js';
import type { RequestClaim } from './own-counts.js';

let servers: TestServers;
const pools = new Map<PartyNumber, pg.Pool>();

beforeAll(async () => {
  servers = await openTestServers();
  for (const party of PARTY_NUMBERS) {
    const connectionString = servers.roleUrls[`party_${party}`];
    pools.set(party, new pg.Pool({ connectionString, max: 4 }));
  }
}, 60_000);
afterAll(async () => {
  for (const pool of pools.values()) await pool.end();
  await servers?.close();
}, 60_000);

const NOW = Date.UTC(2026, 10, 22);
const newBucket = () => randomUUID().replaceAll('-', '').repeat(2);
const claimIn = (bucket: string, amount = '1', limit = '3'): RequestClaim => ({
  bucket,
  requestId: randomUUID(),
  amount,
  limit,
  windowMs: 60_000,
});
const storeOf = (party: PartyNumber) => createLimitStore(pools.get(party)!, party);

describe('claims on a limit in the database', () => {
  it('are written as long as there is room, in the order in which they are asked', async () => {
    const bucket = newBucket();
    const claims = Array.from({ length: 5 }, () => claimIn(bucket, '0.75'));
    expect(await storeOf(1).claim(2, claims, NOW)).toEqual([true, true, true, true, false]);
    // a request that has its place keeps it, and both parties of a pair count it once
    expect(await storeOf(2).claim(1, claims, NOW)).toEqual([true, true, true, true, false]);
    expect(await storeOf(2).confirm(1, claims.slice(0, 4), NOW)).toEqual([true, true, true, true]);
    // the third party counts with its partner
    expect(await storeOf(3).claim(2, [claimIn(bucket)], NOW)).toEqual([false]);
    expect(await storeOf(3).confirm(1, [claimIn(bucket, '0.000001')], NOW)).toEqual([false]);
  });

  it('leave the window when it has passed, and make room when they are given back', async () => {
    const bucket = newBucket();
    const first = claimIn(bucket, '3');
    const store = storeOf(1);
    expect(await store.claim(2, [first], NOW)).toEqual([true]);
    expect(await store.claim(2, [claimIn(bucket)], NOW + 59_999)).toEqual([false]);
    expect(await store.claim(2, [claimIn(bucket)], NOW + 60_000)).toEqual([true]);
    const again = newBucket();
    const held = { ...claimIn(again, '3') };
    expect(await store.claim(2, [held], NOW)).toEqual([true]);
    expect(await store.claim(2, [held], NOW)).toEqual([true]);
    await store.giveBack([held]);
    expect(await store.claim(2, [claimIn(again)], NOW)).toEqual([false]);
    await store.giveBack([held]);
    expect(await store.claim(2, [claimIn(again)], NOW)).toEqual([true]);
  });

  it('take any amount that a request may carry, to the last digit', async () => {
    const bucket = newBucket();
    const [whole, fraction] = ['9'.repeat(40), `0.${'0'.repeat(39)}1`];
    const store = storeOf(1);
    expect(await store.claim(2, [claimIn(bucket, whole, whole)], NOW)).toEqual([true]);
    expect(await store.claim(2, [claimIn(bucket, fraction, whole)], NOW)).toEqual([false]);
  });

  it('are confirmed at the larger of what the pair wrote for a request', async () => {
    const bucket = newBucket();
    const known = claimIn(bucket, '50', '100');
    await storeOf(2).claim(1, [{ ...known, amount: '60' }], NOW);
    expect(await storeOf(1).claim(2, [known], NOW)).toEqual([true]);
    // beside it came one with which 50 has room, and 60 has none
    await storeOf(1).claim(3, [claimIn(bucket, '45', '100')], NOW);
    expect(await storeOf(1).confirm(2, [known], NOW)).toEqual([false]);
    // what the third party wrote of it is nobody else's business
    expect(await storeOf(1).confirm(3, [known], NOW)).toEqual([true]);
  });

  it('are a party’s own: no other writes, changes or takes them away, or keeps its turn', async () => {
    const bucket = newBucket();
    const claim = claimIn(bucket, '3');
    await storeOf(1).claim(2, [claim], NOW);
    const other = pools.get(2)!;
    const hex = `'\\x${bucket}'`;
    for (const change of [
      `INSERT INTO party_1.limit_claim VALUES (${hex}, '${randomUUID()}', 1, 0, 1)`,
      `UPDATE party_1.limit_claim SET holders = 0 WHERE bucket = ${hex}`,
      `DELETE FROM party_1.limit_claim WHERE bucket = ${hex}`,
      `SELECT FROM party_1.limit_claim WHERE bucket = ${hex} FOR UPDATE`,
      `SELECT FROM party_1.limit_turn`,
      'DO $$ BEGIN LOCK TABLE party_1.limit_claim IN ROW SHARE MODE; END $$',
      'DO $$ BEGIN LOCK TABLE party_1.limit_turn IN ACCESS SHARE MODE; END $$',
    ]) {
      await expect(other.query(change)).rejects.toThrow('permission denied');
    }
    await expect(createLimitStore(other, 1).claim(2, [claimIn(bucket)], NOW)).rejects.toThrow(
      'permission denied',
    );
    expect(await storeOf(1).claim(2, [claimIn(bucket)], NOW)).toEqual([false]);
  });
});

it('a limit is not passed by three pairs of two replicas each that claim at one time', async () => {
  const bucket = newBucket();
  const LIMIT = 25;
  const replicas = PARTY_NUMBERS.map((party) =>
    [0, 1].map(() =>
      createLimits(
        storeOf(party),
        () => NOW,
        (error) => {
          throw error;
        },
      ),
    ),
  );
  const replicaOf = (party: PartyNumber, at: number): Limits => replicas[party - 1]![at % 2]!;
  const pairs: [PartyNumber, PartyNumber][] = [
    [1, 2],
    [2, 3],
    [3, 1],
  ];
  const attempt = async (at: number): Promise<boolean> => {
    const [lead, partner] = pairs[at % 3]!;
    const claim = [claimIn(bucket, '1', `${LIMIT}`)];
    const [given] = await replicaOf(partner, at >> 1).take('partner', lead, claim);
    if (given !== true) return false;
    return (await replicaOf(lead, at).take('lead', partner, claim))[0] === true;
  };
  // one has the place to itself: all at one time may stand in each other's way
  expect(await attempt(0)).toBe(true);
  const crowd = Array.from({ length: 239 }, (_, at) => attempt(at + 1));
  const signed = 1 + (await Promise.all(crowd)).filter(Boolean).length;
  expect(signed).toBeLessThanOrEqual(LIMIT);
}, 60_000);
