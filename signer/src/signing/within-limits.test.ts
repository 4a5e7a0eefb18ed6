/** Limits where requests are signed: both roles over one ledger, with what the parties' rows hold in memory. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { createLedgerBuilder, type LedgerBuilder } from '../../../test/support/ledger-builder.js';
import { createLimitRows, type LimitRows } from '../../../test/support/limit-rows.js';
import {
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
  type NamedHead,
  type SharedStore,
  type SigningReplica,
} from '../../../test/support/signing-replicas.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';

let ledger: LedgerBuilder;
let keyId: string;
let limitRows: LimitRows;
let store: SharedStore;
let one: SigningReplica;
let two: SigningReplica;
let three: SigningReplica;

const velocity = (limit: string) => ({ limit, unit: 'count', window_s: 600, per: 'key' });

/** The key's policy has these rules in the place of its own. */
function setRules(...rules: object[]): void {
  const policy = [...ledger.state.signingPolicies.rows.values()][0]!;
  ledger.must(ledger.admin, 'PUT', `/v1/signing-policies/${policy.id}`, {
    display_name: 'limited',
    version: policy.version,
    rules,
  });
}

const reading = (more: object = {}) => ({
  display_name: 'read',
  when: { operation_classes: ['read'], initiators: { user_ids: [ledger.admin.id] }, ...more },
  then: 'allow',
});

beforeEach(() => {
  ledger = createLedgerBuilder();
  keyId = makeReadingKey(ledger, 'binance');
  limitRows = createLimitRows();
  store = createSharedStore();
  [one, two, three] = [open(1), open(2), open(3)];
});

function open(party: PartyNumber, name = 'a'): SigningReplica {
  const nonces = createNoncesInMemory();
  return openSigningReplica({ party, name, ledger, store, nonces, takenBefore: 0, limitRows });
}

function newItem(): SignItem {
  const body = { venue_request: { channel: 'rest', method: 'GET', path: '/api/v3/account' } };
  const evidence = ledger.evidenceOf(ledger.admin, 'POST', `/v1/keys/${keyId}/sign`, body);
  const submission = randomBytes(16).toString('hex');
  return { submission, receivedAt: ledger.now, nonce: 0n, evidence };
}

/** A batch that is wanted whole. */
function newBatch(size: number): SignItem[] {
  const venue_request = { channel: 'rest', method: 'GET', path: '/api/v3/account' };
  const venue_requests = Array.from({ length: size }, () => venue_request);
  const body = { venue_requests, all_or_none: true };
  const evidence = ledger.evidenceOf(ledger.admin, 'POST', `/v1/keys/${keyId}/sign-batch`, body);
  return venue_requests.map((_, index) => ({ ...newItem(), evidence, index }));
}

const items = (count: number) => Array.from({ length: count }, newItem);
const outcomesOf = async (lead: SigningReplica, partner: SigningReplica, batch: SignItem[]) =>
  (await signTogether(ledger, { lead, partner }, batch)).outcomes.map(({ outcome }) => outcome);

describe('a limit where requests are signed', () => {
  it('is used up within a batch and over pairs, and then denied by both with its rule', async () => {
    setRules(reading({ velocity: velocity('3') }));
    expect(await outcomesOf(one, two, items(2))).toEqual(['signed', 'signed']);
    expect(await outcomesOf(three, two, items(2))).toEqual(['signed', 'denied']);
    const { outcomes } = await signTogether(ledger, { lead: one, partner: three }, items(1));
    expect(outcomes).toMatchObject([{ outcome: 'denied', errType: 'forbidden' }]);
    expect(outcomes[0]).toMatchObject({
      reason: expect.stringMatching(
        /rule .*: velocity: 1 asked for, 3 count allowed in 600 s, at most 1 left$/,
      ) as unknown,
    });
  });

  it('counts a request once, however often and through whichever pair it is asked for', async () => {
    setRules(reading({ velocity: velocity('2') }));
    const batch = items(1);
    for (const [lead, partner] of [
      [one, two],
      [two, three],
      [one, two],
    ] as const) {
      expect(await outcomesOf(lead, partner, [...batch])).toEqual(['signed']);
    }
    expect(await outcomesOf(one, three, items(2))).toEqual(['signed', 'denied']);
  });

  it('leaves what is beyond it to the next rule, which the receipt names', async () => {
    setRules(reading({ velocity: velocity('1') }), reading({ velocity: velocity('1') }));
    const { rules } = [...ledger.state.signingPolicies.rows.values()][0]!;
    const { outcomes } = await signTogether(ledger, { lead: one, partner: two }, items(3));
    expect(outcomes).toMatchObject([
      { outcome: 'signed', receipt: { policy: { ruleId: rules[0]!.id } } },
      { outcome: 'signed', receipt: { policy: { ruleId: rules[1]!.id } } },
      { outcome: 'denied' },
    ]);
  });

  it('is given back by a lead that signs nothing, and not by a partner that contributed', async () => {
    setRules(reading({ velocity: velocity('1') }));
    const { threads } = one.context;
    const fails = async (batch: readonly unknown[]) =>
      batch.map(() => ({ ok: false, reason: 'nonce-gone' }));
    Object.assign(one.context, { threads: { ...threads, lead: fails } });
    const batch = items(1);
    expect(await outcomesOf(one, two, [...batch])).toEqual(['retry']);
    // the lead has room; who contributed keeps its word for this request alone
    expect(await outcomesOf(one, three, items(1))).not.toContain('denied');
    expect(await outcomesOf(three, two, items(1))).not.toContain('signed');
  });

  it('is asked for by nothing that has none', async () => {
    const asked: unknown[] = [];
    for (const { context } of [one, two]) {
      const take = async (...args: unknown[]) => {
        asked.push(args);
        return [];
      };
      Object.assign(context, { limits: { take, giveBack: async () => undefined } });
    }
    expect(await outcomesOf(one, two, items(2))).toEqual(['signed', 'signed']);
    expect(asked).toEqual([]);
  });

  it('that nobody can count signs nothing', async () => {
    setRules(reading({ velocity: velocity('9') }));
    for (const { context } of [one, two]) {
      const take = () => Promise.reject(new Error('the database is away'));
      Object.assign(context, { limits: { take, giveBack: async () => undefined } });
    }
    await expect(signTogether(ledger, { lead: one, partner: two }, items(1))).rejects.toThrow(
      'away',
    );
  });
});

describe('claims that nothing was given for', () => {
  const signed = (count: number) => Array.from({ length: count }, () => 'signed');
  beforeEach(() => setRules(reading({ velocity: velocity('3') })));

  it('of items that were not sent are given back where nothing of their batch was given', async () => {
    const { threads } = two.context;
    const partner: typeof threads.partner = async (given) =>
      given.map(() => ({ ok: false, reason: 'assertion' }));
    Object.assign(two.context, { threads: { ...threads, partner } });
    expect(await outcomesOf(one, two, newBatch(3).slice(0, 1))).toEqual(['retry']);
    Object.assign(two.context, { threads });
    expect(await outcomesOf(one, two, items(3))).toEqual(signed(3));
  });

  it('of items that were not sent count once something of their batch was given', async () => {
    const batch = newBatch(3);
    expect(await outcomesOf(one, two, batch.slice(0, 1))).toEqual(['signed']);
    expect(await outcomesOf(one, two, items(1))).toEqual(['denied']);
    expect(await outcomesOf(one, two, batch.slice(1))).toEqual(signed(2));
  });

  it.each(['lead', 'partner'] as const)(
    'are given back by a %s that could not go on',
    async (role) => {
      const { context } = role === 'lead' ? one : two;
      const { shares } = context;
      const load = async () => {
        throw new Error('away');
      };
      Object.assign(context, { shares: { ...shares, load } });
      await expect(outcomesOf(one, two, items(3))).rejects.toThrow('away');
      Object.assign(context, { shares });
      // what the partner contributed counts there: the lead is asked with a party that never heard of it
      const [lead, partner] = role === 'lead' ? [one, three] : [two, three];
      expect(await outcomesOf(lead, partner, items(3))).toEqual(signed(3));
    },
  );

  it('are given back where a later claim of the same batch could not be made', async () => {
    setRules(reading({ velocity: velocity('2') }), {
      ...reading({ velocity: velocity('9') }),
      display_name: 'more',
    });
    const { limits } = one.context;
    let asked = 0;
    const take: typeof limits.take = async (...claims) => {
      asked += 1;
      if (asked === 2) throw new Error('away');
      return limits.take(...claims);
    };
    Object.assign(one.context, { limits: { ...limits, take } });
    await expect(outcomesOf(three, one, items(3))).rejects.toThrow('away');
    Object.assign(one.context, { limits });
    const { outcomes } = await signTogether(ledger, { lead: two, partner: one }, items(2));
    const rules = outcomes.map((each) => each.outcome === 'signed' && each.receipt.policy.ruleId);
    expect(new Set(rules).size).toBe(1);
    const [policy] = ledger.state.signingPolicies.rows.values();
    expect(rules[0]).toBe(policy!.rules[0]!.id);
  });
});

it('a batch that is wanted whole is denied as a whole, though it leaves in two jobs', async () => {
  setRules(reading({ velocity: { ...velocity('3'), window_s: 10 } }));
  expect(await outcomesOf(one, two, items(1))).toEqual(['signed']);
  ledger.now += 5_000;
  const batch = newBatch(3);
  expect(await outcomesOf(one, two, batch.slice(0, 2))).toEqual(['denied', 'denied']);
  ledger.now += 6_000; // the window has moved on: there would be room
  const last = await signTogether(ledger, { lead: one, partner: two }, batch.slice(2));
  expect(last.outcomes).toMatchObject([
    { outcome: 'denied', reason: expect.stringContaining('all_or_none: item ') },
  ]);
  expect(await outcomesOf(one, two, items(3))).toEqual(['signed', 'signed', 'signed']);
});

describe('a gateway that goes on naming the head before a limit was changed', () => {
  const READING = { per: 'key', unit: 'count', window_s: 600 };
  const limited = (limit: string, more: object = {}) =>
    reading({ velocity: { ...READING, limit, ...more } });
  const currentRule = () => [...ledger.state.signingPolicies.rows.values()][0]!.rules[0]!.id;
  const headNow = () => ({ state: ledger.state });
  const signedOver = async (head: NamedHead, count: number) => {
    const pairs = [
      [one, two],
      [three, two],
      [three, one],
    ] as const;
    const outcomes: string[] = [];
    for (const [lead, partner] of pairs) {
      const { outcomes: told } = await signTogether(head, { lead, partner }, items(count));
      outcomes.push(...told.map(({ outcome }) => outcome));
    }
    return outcomes.filter((outcome) => outcome === 'signed').length;
  };

  it('has no more signed than a limit that was lowered', async () => {
    setRules(limited('9'));
    const old = headNow();
    setRules({ ...limited('3'), id: currentRule() });
    expect(await signedOver(old, 5)).toBe(3);
  });

  it('has no more signed than a limit that was added', async () => {
    setRules(reading());
    const old = headNow();
    setRules({ ...limited('3'), id: currentRule() });
    expect(await signedOver(old, 5)).toBe(3);
    // nor by naming both heads in turn
    expect(await signedOver(headNow(), 5)).toBe(0);
  });

  it('has no more signed than a limit whose window was changed, and has the old one to respect as well', async () => {
    setRules(limited('2'));
    const old = headNow();
    setRules({ ...limited('4', { window_s: 900 }), id: currentRule() });
    expect(await signedOver(old, 5)).toBe(2);
    expect(await signedOver(headNow(), 5)).toBe(2);
  });

  it('has no more signed than a limit that was raised since: that only allows more', async () => {
    setRules(limited('2'));
    const old = headNow();
    setRules({ ...limited('4'), id: currentRule() });
    expect(await signedOver(old, 5)).toBe(2);
    expect(await signedOver(headNow(), 5)).toBe(2);
  });

  it('takes nothing of one limit where another has no room', async () => {
    setRules(limited('3'));
    const old = headNow();
    setRules({ ...limited('0', { window_s: 900 }), id: currentRule() });
    expect(await signedOver(old, 5)).toBe(0);
    setRules({ ...limited('3'), id: currentRule() });
    expect(await signedOver(headNow(), 5)).toBe(3);
  });

  it('gives nothing out when the limit was lowered while the batch was signed', async () => {
    setRules(limited('9'));
    const old = headNow();
    const { threads } = one.context;
    const lead = async (batch: readonly never[]) => {
      setRules({ ...limited('3'), id: currentRule() });
      return threads.lead(batch);
    };
    Object.assign(one.context, { threads: { ...threads, lead } });
    const { outcomes } = await signTogether(old, { lead: one, partner: two }, items(5));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(5).fill('retry'));
  });
});

describe('a party that keeps no count', () => {
  const LIMIT = 3;
  const lie = ({ context }: SigningReplica) => {
    const take = async (_role: unknown, _partner: unknown, claims: readonly unknown[]) =>
      claims.map(() => true);
    Object.assign(context, { limits: { take, giveBack: async () => undefined } });
  };
  /** Each pair of two parties, each way round, as often as it likes; `before`: each batch. */
  const signByAll = async (all = [one, two, three], before: () => void = () => undefined) => {
    const pairs = all.flatMap((lead) =>
      all
        .filter((partner) => partner.self.party !== lead.self.party)
        .map((partner) => [lead, partner] as const),
    );
    const outcomes: string[] = [];
    for (const [lead, partner] of [...pairs, ...pairs]) {
      before();
      outcomes.push(...(await outcomesOf(lead, partner, items(2 * LIMIT))));
    }
    return outcomes.filter((outcome) => outcome === 'signed').length;
  };
  beforeEach(() => setRules(reading({ velocity: velocity(String(LIMIT)) })));

  it('stretches a limit to twice what it says, and no further', async () => {
    lie(one);
    expect(await signByAll()).toBe(2 * LIMIT);
  });

  it('with a database that forgets stretches it to what each process of the others counts for itself', async () => {
    lie(one);
    const forget = () => limitRows.forget();
    expect(await signByAll([one, two, three], forget)).toBe(2 * LIMIT);
    const seconds = ([2, 3] as const).map((party) => open(party, 'b'));
    expect(await signByAll([one, two, three, ...seconds], forget)).toBe(2 * LIMIT);
  });

  it('is needed for that: without one the limit is what it says', async () => {
    expect(await signByAll()).toBe(LIMIT);
  });
});
