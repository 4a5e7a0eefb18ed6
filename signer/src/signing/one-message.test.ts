/** One request, one message, whatever a gateway asks, whoever is restarted, and if the database forgets. */
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Evidence } from '@countersign/core/evidence.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import fc from 'fast-check';
import { createLedgerBuilder, type LedgerBuilder } from '../../../test/support/ledger-builder.js';
import {
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
  type LetOut,
  type ReplicaOptions,
  type SharedStore,
  type SigningReplica,
} from '../../../test/support/signing-replicas.js';
import type { RequestMessage, TimedRequest } from '../requests/request-memory.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';

interface VenueRead {
  readonly keyId: string;
  readonly method: string;
  readonly path: string;
}

let ledger: LedgerBuilder;
let venues: readonly VenueRead[];
let start: number;

/** Gemini wants a rising number, Binance the time: both messages depend on the moment. */
beforeAll(() => {
  ledger = createLedgerBuilder();
  venues = [
    { keyId: makeReadingKey(ledger, 'gemini'), method: 'POST', path: '/v1/balances' },
    { keyId: makeReadingKey(ledger, 'binance'), method: 'GET', path: '/api/v3/account' },
  ];
  start = ledger.now;
});

function requestAt(timestampMs: number, { keyId, method, path }: VenueRead): Evidence {
  const body = { venue_request: { channel: 'rest', method, path } };
  return ledger.evidenceOf(ledger.admin, 'POST', `/v1/keys/${keyId}/sign`, body, { timestampMs });
}

/** One thing that a hostile gateway, a hostile party or the weather does. */
const deed = fc.record({
  lead: fc.constantFrom(...PARTY_NUMBERS),
  partner: fc.constantFrom(...PARTY_NUMBERS),
  names: fc.constantFrom('aa', 'ab', 'ba', 'bb'),
  /** ms that pass before it. */
  wait: fc.constantFrom(0, 1, 900, 2_100, 20_000),
  /** By which the gateway lies about the time of arrival. */
  shift: fc.constantFrom(0, 0, 0, -3_000, 3_000, 10_000),
  hint: fc.constantFrom(0, 0, 1, 5_000, -20_000, 1e9),
  isTold: fc.boolean(),
  restart: fc.boolean(),
  forgets: fc.boolean(),
});
const story = fc.record({
  venue: fc.constantFrom(0, 1),
  /** Of the caller's clock, ms. */
  aheadMs: fc.constantFrom(0, 1_900, 2_500, 200_000, -10_000),
  deeds: fc.array(deed, { minLength: 4, maxLength: 16 }),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** All that left the replicas. */
async function tell({ venue, aheadMs, deeds }: Story, mayForget: boolean): Promise<LetOut[]> {
  ledger.now = start;
  const store = createSharedStore();
  const nonces = new Map(PARTY_NUMBERS.map((party) => [party, createNoncesInMemory()]));
  const replicas = new Map<string, SigningReplica>();
  const startReplica = (party: PartyNumber, name: string) =>
    replicas.set(`${party}${name}`, openReplica(store, party, name, nonces.get(party)!));
  for (const party of PARTY_NUMBERS) for (const name of ['a', 'b']) startReplica(party, name);
  ledger.now += 3_000;
  const evidence = requestAt(ledger.now + aheadMs, venues[venue]!);
  const letOut: LetOut[] = [];
  for (const { lead, partner, names, wait, shift, hint, isTold, ...change } of deeds) {
    ledger.now += wait;
    if (change.restart) startReplica(partner, names[1]!);
    if (change.forgets && mayForget) store.forget();
    if (lead === partner) continue;
    const receivedAt = ledger.now + shift;
    const nonce = hint === 0 ? 0n : BigInt(ledger.now + hint);
    const submission = randomBytes(16).toString('hex');
    const pair = {
      lead: replicas.get(`${lead}${names[0]}`)!,
      partner: replicas.get(`${partner}${names[1]}`)!,
    };
    const item = { submission, receivedAt, nonce, evidence };
    letOut.push(...(await signTogether(ledger, pair, [item], isTold)).letOut);
  }
  return letOut;
}

function openReplica(
  store: SharedStore,
  party: PartyNumber,
  name: string,
  nonces: ReturnType<typeof createNoncesInMemory>,
  more: Pick<ReplicaOptions, 'durable'> = {},
): SigningReplica {
  const takenBefore = ledger.now;
  return openSigningReplica({ party, name, ledger, store, nonces, takenBefore, ...more });
}

/** The same, at a moment at which its threads can give nothing. */
function withoutMaths({ context, ...replica }: SigningReplica): SigningReplica {
  const partner = async (items: readonly unknown[]) =>
    items.map(() => ({ ok: false as const, reason: 'unavailable' }));
  const threads = { ...context.threads, partner } as unknown as typeof context.threads;
  return { ...replica, context: { ...context, threads } };
}

/** How many messages the owner of the most has. */
function mostMessages(letOut: readonly LetOut[], ownerOf: (one: LetOut) => string): number {
  const messages = new Map<string, Set<string>>();
  for (const one of letOut) {
    const owner = `${ownerOf(one)} ${one.requestId}`;
    messages.set(owner, (messages.get(owner) ?? new Set()).add(one.messageSha256));
  }
  return Math.max(0, ...[...messages.values()].map(({ size }) => size));
}

describe('one request', () => {
  it('has one message of each party, in whichever of its replicas', async () => {
    let signed = 0;
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const letOut = await tell(told, false);
        signed += letOut.length;
        expect(mostMessages(letOut, ({ party }) => `${party}`)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
    expect(signed).toBeGreaterThan(30);
  });

  it('has one of each replica where the database forgets, however often that is restarted', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const letOut = await tell(told, true);
        expect(mostMessages(letOut, ({ party, name }) => `${party}${name}`)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 100 },
    );
  });

  it('has the message of the result that a replica handed on, also when the database forgets that', async () => {
    type Deed = Story['deeds'][number];
    const quiet = { wait: 0, shift: 0, hint: 0, restart: false, forgets: false } as const;
    const deed: Deed = { lead: 3, partner: 1, names: 'aa', isTold: true, ...quiet };
    const forgetting: Deed = { ...deed, partner: 3, forgets: true };
    const deeds: Deed[] = [
      { ...deed, lead: 1, partner: 2 },
      forgetting,
      deed,
      // finds the result of the other replica, which leads to what it has not signed itself
      { ...deed, names: 'bb' },
      forgetting,
      { ...deed, lead: 1, partner: 3, names: 'bb' },
    ];
    const letOut = await tell({ venue: 0, aheadMs: 0, deeds }, true);
    expect(letOut.filter(({ party, name }) => `${party}${name}` === '3b')).toHaveLength(2);
    expect(mostMessages(letOut, ({ party, name }) => `${party}${name}`)).toBe(1);
  });

  it('that is tried again by others is signed with the message that one of them gave', async () => {
    for (const venue of venues) {
      ledger.now = start;
      const store = createSharedStore();
      const [one, two, three] = PARTY_NUMBERS.map((party) =>
        openReplica(store, party, 'a', createNoncesInMemory()),
      ) as [SigningReplica, SigningReplica, SigningReplica];
      ledger.now += 3_000;
      const item = {
        submission: '0a'.repeat(16),
        receivedAt: ledger.now,
        nonce: 0n,
        evidence: requestAt(ledger.now, venue),
      };
      const lost = await signTogether(ledger, { lead: one, partner: two }, [item], false);
      ledger.now += 50;
      const second = await signTogether(ledger, { lead: two, partner: one }, [item]);
      const [outcome] = second.outcomes;
      // the number of the first try is another one: whoever is asked next is told it
      const nonce = outcome?.outcome === 'retry' ? outcome.nonce : 0n;
      expect(nonce > 0n).toBe(venue === venues[0]);
      const third = await signTogether(ledger, { lead: two, partner: three }, [{ ...item, nonce }]);
      expect(third.outcomes).toMatchObject([{ outcome: 'signed' }]);
      expect(third.letOut[0]!.messageSha256).toBe(lost.letOut[0]!.messageSha256);
    }
  });

  it('that a primary replica wrote down and never gave has the message of the replica that gave one', async () => {
    ledger.now = start;
    const store = createSharedStore();
    const written: (TimedRequest & { readonly message: RequestMessage })[] = [];
    const durable = () => ({
      add: async (entry: (typeof written)[number]) => void written.push(entry),
      earlier: [...written],
    });
    const startPrimary = () =>
      openReplica(store, 2, 'a', createNoncesInMemory(), { durable: durable() });
    const lead = openReplica(store, 1, 'a', createNoncesInMemory());
    const other = openReplica(store, 2, 'b', createNoncesInMemory());
    const primary = startPrimary();
    ledger.now += 3_000;
    const evidence = requestAt(ledger.now + 2_500, venues[1]!);
    const ask = async (partner: SigningReplica) => {
      ledger.now += 100;
      const item = { submission: '0a'.repeat(16), receivedAt: ledger.now, nonce: 0n, evidence };
      return (await signTogether(ledger, { lead, partner }, [item], false)).letOut;
    };
    expect(await ask(withoutMaths(primary))).toEqual([]);
    expect(written).toHaveLength(1);
    ledger.now += 2_000;
    const given = [...(await ask(other))];
    expect(given).toHaveLength(1);
    for (const partner of [primary, primary, startPrimary(), other])
      given.push(...(await ask(partner)));
    expect(mostMessages(given, ({ party }) => `${party}`)).toBe(1);

    store.forget();
    for (const partner of [startPrimary(), other]) given.push(...(await ask(partner)));
    expect(mostMessages(given, ({ party, name }) => `${party}${name}`)).toBe(1);
    expect(mostMessages(given, ({ party }) => `${party}`)).toBe(2);
  });

  it('that was signed is answered with the same signature, whoever is asked', async () => {
    ledger.now = start;
    const store = createSharedStore();
    const [one, two, three] = PARTY_NUMBERS.map((party) =>
      openReplica(store, party, 'a', createNoncesInMemory()),
    ) as [SigningReplica, SigningReplica, SigningReplica];
    ledger.now += 3_000;
    const evidence = requestAt(ledger.now, venues[1]!);
    const item = { submission: '0a'.repeat(16), receivedAt: ledger.now, nonce: 0n, evidence };
    const first = await signTogether(ledger, { lead: one, partner: two }, [item]);
    const again = await signTogether(ledger, { lead: three, partner: one }, [
      { ...item, submission: '0b'.repeat(16) },
    ]);
    expect(first.outcomes).toMatchObject([{ outcome: 'signed', submission: item.submission }]);
    expect(again.outcomes).toEqual(first.outcomes);
  });
});
