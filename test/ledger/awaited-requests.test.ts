/** What the gateway lists for those who are asked: whoever's approval is missing finds the request, and nobody else. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { isRefusal } from '@countersign/core/errors.js';
import type { Prices } from '@countersign/vault/policy/usd-value.js';
import { createCursors } from '../../gateway/src/read/cursor.ts';
import { listRequests } from '../../gateway/src/read/list-requests.ts';
import type { ReadContext } from '../../gateway/src/read/read-operation.ts';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../support/ledger-builder.ts';
import { makeVenueKey } from '../support/venue-reading-key.ts';

const MINUTE_S = 60;
const DAY_S = 86_400;

interface Shown {
  readonly request_id: string;
  readonly digest: string;
  readonly expires_at: string;
  readonly approvals: { readonly required: number; readonly given: readonly string[] };
  readonly asked_by: readonly { readonly rule_id: string }[];
  readonly facts?: { readonly usd_value?: { readonly value: string } };
}

let ledger: LedgerBuilder;
let bot: LedgerUser;
let ann: LedgerUser;
let ben: LedgerUser;

beforeEach(() => {
  ledger = createLedgerBuilder();
  [bot, ann, ben] = ['bot', 'ann', 'ben'].map((name) => ledger.addMachine(name, [])) as [
    LedgerUser,
    LedgerUser,
    LedgerUser,
  ];
});

/** As a gateway that has a price for every asset, or none at all. */
async function list(user: LedgerUser, query: object, price?: string): Promise<readonly Shown[]> {
  const { view } = ledger;
  const used = { price, source: 'relay', at: ledger.now };
  const prices = { priceOf: (asset: string) => ({ asset, ...used }) } as unknown as Prices;
  const context = {
    ...{ state: view.state, view, now: ledger.now, evidenceKeys: ledger.keys },
    caller: view.state.users.rows.get(user.id)!,
    cursors: createCursors(Buffer.alloc(32, 1)),
    prices: { current: () => (price === undefined ? undefined : prices) },
    results: { findAll: async () => new Map() },
  } as unknown as ReadContext;
  const page = await listRequests.handle(context, { params: {}, query, body: {} });
  if (isRefusal(page)) throw new Error(page.message);
  return (page as { readonly results: readonly Shown[] }).results;
}

const awaited = (user: LedgerUser, price?: string) =>
  list(user, { awaiting_my_approval: 'true' }, price);

const asking = (name: string, when: object, asked: object = {}) => ({
  display_name: name,
  when: { initiators: { user_ids: [bot.id] }, operation_classes: ['trade'], ...when },
  then: { require_approvals: { quorum: 1, user_ids: [ann.id], ...asked } },
});

/** The bot's order of half a bitcoin, under these rules. */
function askUnder(rules: readonly object[]): string {
  const { keyId } = makeVenueKey(ledger, 'binance', rules);
  const query = 'symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&price=50000&quantity=0.5';
  const order = { method: 'POST', path: '/api/v3/order', channel: 'rest', query };
  const evidence = ledger.evidenceOf(bot, 'POST', `/v1/keys/${keyId}/sign`, {
    venue_request: order,
  });
  expect(ledger.appendEvidence(evidence).refusal).toBeUndefined();
  return requestIdOf(digestOf(evidence));
}

const approve = (user: LedgerUser, id: string, ruleIds?: readonly string[]) => {
  const { digest } = ledger.state.pendingRequests.rows.get(id)!;
  const body = ruleIds === undefined ? { digest } : { digest, rule_ids: ruleIds };
  return ledger.send(user, 'POST', `/v1/requests/${id}/approve`, body).refusal;
};

const statusOf = (id: string) => ledger.state.pendingRequests.rows.get(id)!.status;

describe('under rules on US dollars a request is listed for its approver', () => {
  beforeEach(() => {
    const { version } = ledger.state.settings;
    const settings = { version, usd_value_conditions_enabled: true };
    ledger.must(ledger.admin, 'PATCH', '/v1/system-settings', settings);
  });

  it('where larger orders than those that are allowed ask for approvals', async () => {
    const small = asking('small', { usd_value: { max: '1000' } });
    const id = askUnder([{ ...small, then: 'allow' }, asking('larger', {})]);
    const [shown, ...more] = await awaited(ann, '50000');
    expect({ id: shown?.request_id, more }).toEqual({ id, more: [] });
    expect(shown).toMatchObject({ facts: { usd_value: { value: '25000' } } });
    // what it is worth is not known: no rule decides about it
    expect(await awaited(ann)).toEqual([]);
  });

  it('where the rule that asks has a bound', async () => {
    const id = askUnder([asking('bounded', { usd_value: { max: '100000' } })]);
    expect((await awaited(ann, '50000')).map((shown) => shown.request_id)).toEqual([id]);
    expect(await awaited(ann, '500000')).toEqual([]);
  });
});

describe('an approval by a credential that its giver has no more', () => {
  it('counts no longer, and its giver is asked anew', async () => {
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      ...{ display_name: 'Asked', action: 'create_vaults', effect: 'allow' },
      subjects: { user_ids: [bot.id] },
      approvals: { quorum: 2, user_ids: [ann.id, ben.id] },
    });
    const evidence = ledger.evidenceOf(bot, 'POST', '/v1/vaults', { display_name: 'Treasury' });
    ledger.appendEvidence(evidence);
    const id = requestIdOf(digestOf(evidence));
    expect(approve(ann, id)).toBeUndefined();
    expect(await awaited(ann)).toEqual([]);
    const rotated = ledger.send(ledger.admin, 'PUT', `/v1/users/${ann.id}`, {
      rotate_api_key: true,
    });
    const again = { ...ann, apiKey: ledger.apiKeyOf(rotated) };
    expect(approve(ben, id)).toBeUndefined();
    expect(statusOf(id)).toBe('waiting');
    const approvals = { required: 2, given: [ben.id] };
    expect(await awaited(ann)).toMatchObject([{ request_id: id, approvals }]);
    expect(await awaited(ben)).toEqual([]);
    expect(approve(again, id)).toBeUndefined();
    expect(statusOf(id)).toBe('applied');
    const both = { given: [ben.id, ann.id] };
    expect(await list(bot, {})).toMatchObject([{ request_id: id, approvals: both }]);
  });

  it('under a rule that no longer asks does not count either', async () => {
    const of = { symbols: ['BTCUSDT'] };
    const both = { quorum: 2, user_ids: [ann.id, ben.id] };
    const small = asking('small', { ...of, amount: { max: '0.1' } }, both);
    const larger = asking('larger', of, both);
    const id = askUnder([small, larger]);
    const [policy] = [...ledger.state.signingPolicies.rows.values()];
    const [other, deciding] = policy!.rules.map((rule) => rule.id);
    expect(approve(ann, id, [other!])).toBeUndefined();
    const none = { required: 2, given: [] };
    expect(await awaited(ann)).toMatchObject([{ request_id: id, approvals: none }]);
    expect(approve(ann, id, [deciding!])).toBeUndefined();
    expect(await awaited(ann)).toEqual([]);
    const hers = { required: 2, given: [ann.id] };
    expect(await awaited(ben)).toMatchObject([{ request_id: id, approvals: hers }]);
  });
});

it('a request can be approved until the time of the rule that decides is over', async () => {
  const id = askUnder([
    asking('small', { symbols: ['BTCUSDT'], amount: { max: '1' } }, { expires_in_s: MINUTE_S }),
    asking('large', { symbols: ['BTCUSDT'], amount: { max: '9' } }, { expires_in_s: DAY_S }),
  ]);
  const { createdAt } = ledger.state.pendingRequests.rows.get(id)!;
  const end = new Date(createdAt + MINUTE_S * 1_000).toISOString();
  expect(await awaited(ann)).toMatchObject([{ request_id: id, expires_at: end }]);
  ledger.now = createdAt + MINUTE_S * 1_000;
  expect(await awaited(ann)).toEqual([]);
  expect(statusOf(id)).toBe('waiting');
});
