import { describe, expect, it } from '@jest/globals';
import { statedRules } from '@countersign/api/policy-requests.js';
import { deskRules, missingIn, NEW_POLICY, type DeskForm } from './desk-rules.js';

const BOT = 'aaaaaaaa-0000-4000-8000-000000000001';
const OFFICERS = 'bbbbbbbb-0000-4000-8000-000000000002';
const OWN = 'cccccccc-0000-4000-8000-000000000003';
const GROUPS = new Set([OFFICERS]);

const desk: DeskForm = {
  ...NEW_POLICY.desk,
  venueId: 'binance',
  symbols: 'BTCUSDT, ETHUSDT',
  orderUsd: '5000',
  dayUsd: '100000',
  traders: [BOT],
  approvers: [OFFICERS],
  addressLists: [OWN],
};

describe('the rules of a desk', () => {
  it('allow orders within both bounds, cancels, and withdrawals that others approve', () => {
    const initiators = { user_ids: [BOT], user_group_ids: [] };
    const venue_ids = ['binance'];
    expect(deskRules(desk, GROUPS)).toEqual([
      {
        display_name: 'Orders up to 5000 USD',
        when: {
          initiators,
          venue_ids,
          operation_classes: ['trade'],
          symbols: ['BTCUSDT', 'ETHUSDT'],
          usd_value: { max: '5000' },
          velocity: { limit: '100000', unit: 'usd', window_s: 86_400, per: 'group' },
        },
        then: 'allow',
      },
      {
        display_name: 'Reading, and cancelling orders',
        when: { initiators, venue_ids, operation_classes: ['read', 'cancel'] },
        then: 'allow',
      },
      {
        display_name: 'Withdrawals to own addresses',
        when: {
          initiators,
          venue_ids,
          operation_classes: ['withdraw'],
          destination_lists: [OWN],
        },
        then: { require_approvals: { quorum: 2, user_ids: [], user_group_ids: [OFFICERS] } },
      },
    ]);
  });

  it('are of the form that the vault takes', () => {
    expect(statedRules.read(deskRules(desk, GROUPS))).toHaveProperty('value');
  });

  it('let no withdrawal through where no address is named', () => {
    const rules = deskRules({ ...desk, addressLists: [], approvers: [] }, GROUPS);
    expect(rules.flatMap(({ when }) => when.operation_classes)).not.toContain('withdraw');
  });

  it('have no bound for a day, and any market, where none is stated', () => {
    const [orders] = deskRules({ ...desk, symbols: ' ', dayUsd: '' }, GROUPS);
    expect(orders!.when).not.toHaveProperty('velocity');
    expect(orders!.when).not.toHaveProperty('symbols');
  });
});

it.each([
  ['Choose a venue first.', { venueId: '' }],
  ['Write US dollars in digits alone, as 5000 or 0.5.', { orderUsd: '5,000' }],
  ['Write US dollars in digits alone, as 5000 or 0.5.', { dayUsd: '100 000' }],
  ['Say first how large an order may be.', { orderUsd: ' ' }],
  ['Choose first who asks.', { traders: [] }],
  ['Choose first who approves withdrawals.', { approvers: [] }],
  ['Choose first where withdrawals may go.', { addressLists: [] }],
  [undefined, {}],
  [undefined, { orderUsd: ' 5000.5 ', dayUsd: '' }],
  [undefined, { approvers: [], addressLists: [] }],
])('says %s', (words, change) => {
  expect(missingIn({ ...desk, ...change }, true)).toBe(words);
});

it('sends people where US dollars are switched on', () => {
  expect(missingIn(desk, false)).toMatch(/under “System”/);
});
