/** The rising number of a venue key, as two parties choose and check it over their own databases. */
import { randomBytes } from 'node:crypto';
import { createLimitRows } from '../../../test/support/limit-rows.js';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { NO_PRICE_FEED } from '@countersign/runtime/prices/price-feed.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { createLedgerBuilder, type LedgerBuilder } from '../../../test/support/ledger-builder.js';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';
import type { Contribution, PartyMessage } from '../channel/messages.js';
import { createRequestMemory } from '../requests/request-memory.js';
import { createNonceStore } from '../records/venue-nonce-store.js';
import type { RecordEntry } from '../records/record-entry.js';
import type { LeadItem } from '../threads/thread-tasks.js';
import { primaryTrust } from '../party/head-trust.js';
import { createGivenContributions } from './given-contributions.js';
import type { PartyContext } from './party-context.js';
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { createReleaseGate } from './release-gate.js';
import { signAsLead } from './sign-as-lead.js';
import { signAsPartner } from './sign-as-partner.js';

const PARTIES = [1, 2, 3] as const;
const REPLICAS = PARTIES.map((party) => startReplica(party, 'a'));
const LEAD_MS = 60_000;

let servers: TestServers;
let owner: pg.Pool;
const pools = new Map<PartyNumber, pg.Pool>();
let ledger: LedgerBuilder;
let parties: readonly Party[];

beforeAll(async () => {
  servers = await openTestServers();
  owner = new pg.Pool({ connectionString: servers.ownerUrl, max: 1 });
  for (const party of PARTIES) {
    const connectionString = servers.roleUrls[`party_${party}`];
    pools.set(party, new pg.Pool({ connectionString, max: 1 }));
  }
}, 60_000);
afterAll(async () => {
  for (const pool of [owner, ...pools.values()]) await pool?.end();
  await servers?.close();
}, 60_000);

beforeEach(() => {
  ledger = createLedgerBuilder();
  parties = PARTIES.map(openParty);
});

interface Party {
  readonly context: PartyContext;
  /** ms by which its clock is ahead of the ledger's. */
  aheadMs: number;
  /** What its threads were given to do as a lead. */
  readonly combined: LeadItem[];
  readonly recorded: RecordEntry[];
  /** What it told its lead last. */
  told: Contribution;
}

/** A party as it is, save that its threads and records are the test's. */
function openParty(party: PartyNumber): Party {
  const now = () => ledger.now + opened.aheadMs;
  const threads = {
    async partner(items: readonly unknown[]) {
      return items.map(() => ({ ok: true, contribution: randomBytes(32) }));
    },
    async lead(items: readonly LeadItem[]) {
      opened.combined.push(...items);
      return items.map(() => ({ ok: true, signature: SIG, passphrase: '' }));
    },
  };
  const signIdentity = async (messages: readonly unknown[]) => messages.map(() => SIG);
  const follower = {
    get state() {
      return ledger.state;
    },
    get view() {
      return ledger.view;
    },
    confirmedMsAgo: 0,
    catchUp: async () => undefined,
    waitUntil: async () => true,
  };
  const context = {
    self: REPLICAS[party - 1]!,
    follower,
    trust: primaryTrust({ pinnedSeq: Infinity, pinTrouble: undefined }),
    heads: { isSuperseded: () => false },
    gate: createReleaseGate(),
    given: createGivenContributions(),
    threads: { ...threads, signIdentity },
    requests: createRequestMemory({ takenBefore: 0 }),
    recordedDenials: new BoundedMap(10_000),
    deniedBatches: new BoundedMap(10_000),
    limits: createLimitRows().openLimits(party, now),
    verifyParty: () => true,
    alarms: { raise: () => undefined },
    shares: {
      load: async (keys: readonly { keyId: string; session: string }[]) =>
        new Map(keys.map((key) => [key.keyId, { ...key, version: 1, wrappedDek: SIG }])),
    },
    nonces: createNonceStore(pools.get(party)!, party),
    records: {
      async write(entries: readonly RecordEntry[]) {
        opened.recorded.push(...entries);
        return entries.map(() => undefined);
      },
    },
    evidenceKeys: ledger.keys,
    prices: NO_PRICE_FEED,
    logger: createLogger('test', 'silent'),
    signingLog: { note: () => undefined },
    now,
    leaseClock: now,
    async send(_to: unknown, message: PartyMessage) {
      if (message.kind === 'contribution') opened.told = message;
    },
  } as unknown as PartyContext;
  const opened: Party = { context, aheadMs: 0, combined: [], recorded: [], told: NOTHING };
  return opened;
}

const SIG = Buffer.alloc(64, 1);
const NOTHING: Contribution = { givenAt: 0, treeSignature: SIG, parts: [] };

interface VenueCase {
  readonly venueId: string;
  readonly encoding: string;
  /** Numbers per ms. */
  readonly perMs: bigint;
  readonly path: string;
}

const VENUES: readonly VenueCase[] = [
  { venueId: 'kraken', encoding: 'base64', perMs: 1_000n, path: '/0/private/Balance' },
  { venueId: 'bitfinex', encoding: 'utf8', perMs: 1_000n, path: '/v2/auth/r/wallets' },
  { venueId: 'gemini', encoding: 'utf8', perMs: 1n, path: '/v1/balances' },
];

const partyOf = (party: PartyNumber): Party => parties[party - 1]!;

function batchFor(
  lead: PartyNumber,
  partner: PartyNumber,
  requests: readonly { readonly keyId: string; readonly path: string }[],
): SignBatch {
  return {
    version: 1,
    batchId: randomBytes(16).toString('hex'),
    gatewayId: 'gateway',
    lead: REPLICAS[lead - 1]!,
    partner: REPLICAS[partner - 1]!,
    ledgerSeq: ledger.state.seq,
    ledgerHash: ledger.state.headHash,
    items: requests.map(({ keyId, path }) => {
      const body = { venue_request: { channel: 'rest', method: 'POST', path } };
      const evidence = ledger.evidenceOf(ledger.admin, 'POST', `/v1/keys/${keyId}/sign`, body);
      const submission = randomBytes(16).toString('hex');
      return { evidence, receivedAt: ledger.now, nonce: 0n, submission };
    }),
  };
}

const borrowed = { take: async () => [], receive: () => undefined, forget: () => undefined };

/** One request, signed by a pair. */
async function signBy(
  lead: PartyNumber,
  partner: PartyNumber,
  keyId: string,
  path: string,
): Promise<SignOutcome> {
  const batch = batchFor(lead, partner, [{ keyId, path }]);
  const { context } = partyOf(partner);
  await signAsPartner(context, borrowed, batch);
  const outcomes = await signAsLead(partyOf(lead).context, batch, partyOf(partner).told);
  expect(outcomes).toHaveLength(1);
  return outcomes[0]!;
}

/** The last number of the key that the party has kept. */
async function lastOf(party: PartyNumber, keyId: string): Promise<bigint | undefined> {
  const { rows } = await owner.query<{ last: string }>(
    `SELECT last FROM party_${party}.venue_nonce WHERE key_id = $1`,
    [keyId],
  );
  return rows[0] === undefined ? undefined : BigInt(rows[0].last);
}

/** As if the party had given or taken this number before. */
async function keepAt(party: PartyNumber, keyId: string, last: bigint): Promise<void> {
  await owner.query(`INSERT INTO party_${party}.venue_nonce (key_id, last) VALUES ($1, $2)`, [
    keyId,
    last.toString(),
  ]);
}

function proposedBy(party: PartyNumber): bigint {
  const part = partyOf(party).told.parts[0];
  if (part?.kind !== 'contributed') throw new Error('nothing was proposed');
  return part.nonce;
}

describe.each(VENUES)('a number for $venueId', (venue) => {
  let keyId: string;
  let clock: bigint;
  let bound: bigint;

  beforeEach(() => {
    keyId = makeReadingKey(ledger, venue.venueId, venue.encoding);
    clock = BigInt(ledger.now) * venue.perMs;
    bound = clock + BigInt(LEAD_MS) * venue.perMs;
  });
  const signs = (lead: PartyNumber, partner: PartyNumber) =>
    signBy(lead, partner, keyId, venue.path);

  it('is the clock, and one above the last when that is not below the clock', async () => {
    expect(await signs(1, 2)).toMatchObject({ outcome: 'signed' });
    expect(proposedBy(2)).toBe(clock);
    expect([await lastOf(1, keyId), await lastOf(2, keyId)]).toEqual([clock, clock]);
    expect(await signs(1, 2)).toMatchObject({ outcome: 'signed' });
    expect(proposedBy(2)).toBe(clock + 1n);
    expect([await lastOf(1, keyId), await lastOf(3, keyId)]).toEqual([clock + 1n, undefined]);
  });

  it('that is a minute ahead of the lead is signed, and kept by both', async () => {
    await keepAt(2, keyId, bound - 1n);
    expect(await signs(1, 2)).toMatchObject({ outcome: 'signed' });
    expect(proposedBy(2)).toBe(bound);
    expect([await lastOf(1, keyId), await lastOf(2, keyId)]).toEqual([bound, bound]);
  });

  it('that is further ahead is refused, and leaves no trace at the lead', async () => {
    await keepAt(2, keyId, bound);
    expect(await signs(1, 2)).toMatchObject({ outcome: 'retry' });
    expect(proposedBy(2)).toBe(bound + 1n);
    const { combined, recorded } = partyOf(1);
    expect([combined, recorded]).toEqual([[], []]);
    expect(await lastOf(1, keyId)).toBeUndefined();
  });

  it('is still to be had from the two others when one party is too far ahead', async () => {
    await keepAt(2, keyId, bound + 1_000_000n);
    for (const [lead, partner] of [
      [1, 2],
      [3, 2],
    ] as const) {
      expect(await signs(lead, partner)).toMatchObject({ outcome: 'retry' });
    }
    for (const [lead, partner, expected] of [
      [1, 3, clock],
      [3, 1, clock + 1n],
    ] as const) {
      expect(await signs(lead, partner)).toMatchObject({ outcome: 'signed' });
      expect(proposedBy(partner)).toBe(expected);
    }
  });

  it('of a lead that is ahead itself is taken from nobody below it', async () => {
    await keepAt(1, keyId, bound + 5n);
    expect(await signs(1, 2)).toMatchObject({ outcome: 'retry' });
    expect(partyOf(1).combined).toEqual([]);
    expect(await lastOf(1, keyId)).toBe(bound + 5n);
  });

  it('is in time once the clock has come near it', async () => {
    await keepAt(2, keyId, bound);
    expect(await signs(1, 2)).toMatchObject({ outcome: 'retry' });
    // a number that was refused is used up all the same: the next one is higher
    ledger.now += 5;
    expect(await signs(1, 2)).toMatchObject({ outcome: 'signed' });
    expect(proposedBy(2)).toBe(bound + 2n);
  });

  it('is dated by a partner whose clock is within five seconds, and by no other', async () => {
    partyOf(2).aheadMs = 4_999;
    expect(await signs(1, 2)).toMatchObject({ outcome: 'signed' });
    partyOf(3).aheadMs = 5_000;
    expect(await signs(1, 3)).toMatchObject({ outcome: 'retry' });
    expect(await lastOf(1, keyId)).toBe(clock + 4_999n * venue.perMs);
  });
});

describe('a number that the database does not give', () => {
  it('costs its own request alone: the others of the batch are signed', async () => {
    const [one, other] = VENUES.slice(0, 2).map((venue) => ({
      ...venue,
      keyId: makeReadingKey(ledger, venue.venueId, venue.encoding),
    }));
    const { context } = partyOf(2);
    const nonces = {
      ...context.nonces,
      take: async (keyId: string, time: bigint) => {
        if (keyId === one!.keyId) throw new Error('a number was given twice');
        return context.nonces.take(keyId, time);
      },
    };
    await signAsPartner({ ...context, nonces }, borrowed, batchFor(1, 2, [one!, other!]));
    expect(partyOf(2).told.parts.map(({ kind }) => kind)).toEqual(['retry', 'contributed']);
  });
});
