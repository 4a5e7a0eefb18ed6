/** docs/reference/policies.md: each policy there is accepted as it stands, and decides the requests that it is about. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decideSigning, type SigningFacts } from '@countersign/vault/policy/signing-policy.js';
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';
import { codesIn, tableRows } from '../support/page-tables.ts';

const PAGE = readFileSync('docs/reference/policies.md', 'utf8');
const HEADING = /^### (\d+)\. .*$/gm;
const BLOCK = /```json\n([\s\S]*?)```/;

/** A Wednesday at noon in Zurich, and the night after it. */
const NOON = Date.parse('2026-11-25T11:00:00.000Z');
const NIGHT = Date.parse('2026-11-25T23:00:00.000Z');

type Case = readonly [string, 'allow' | 'deny' | 'require_approvals', Asked];

interface Asked {
  readonly by?: 'bot' | 'desk' | 'risk' | 'stranger';
  readonly facts?: Partial<SigningFacts> | undefined;
}

const venue = (fields: Partial<VenueFacts>): Asked['facts'] => ({
  venueId: 'binance',
  venue: {
    venueId: 'binance',
    operationClass: 'trade',
    endpoint: 'POST /api/v3/order',
    symbols: ['BTCUSDT'],
    sides: ['buy'],
    amounts: ['0.1'],
    quoteAmounts: [],
    contracts: [],
    undecidable: [],
    binds: [],
    ...fields,
  },
});
const none = { symbols: [], sides: [], amounts: [] };
const order = venue({});
const cancel = venue({ ...none, operationClass: 'cancel' });
const withdrawal = (destinations: readonly string[] | undefined, amounts = ['1']) =>
  venue({
    operationClass: 'withdraw',
    symbols: ['BTC'],
    sides: [],
    amounts,
    ...(destinations && { destinations }),
  });
const raw: Asked['facts'] = { operation: 'raw_sign' };
const payment = (asset: string, destination: string, unread?: string): Asked['facts'] => ({
  networkId: 'solana-mainnet',
  transaction: { movements: [{ assets: [asset], destination, amount: 1n }], unread },
});
const SUPPLIER = 'SupplierOne111111111111111111111111111111111';

const CASES: Readonly<Record<number, readonly Case[]>> = {
  1: [
    ['an order', 'allow', { by: 'desk', facts: order }],
    ['a withdrawal', 'deny', { by: 'desk', facts: withdrawal(['x']) }],
    [
      'a request off the table',
      'deny',
      { by: 'desk', facts: venue({ operationClass: 'unknown' }) },
    ],
  ],
  2: [
    ['an order at noon', 'allow', { by: 'desk', facts: { ...order, receivedAt: NOON } }],
    ['an order at night', 'deny', { by: 'desk', facts: { ...order, receivedAt: NIGHT } }],
    ['a cancellation at night', 'allow', { by: 'desk', facts: { ...cancel, receivedAt: NIGHT } }],
  ],
  3: [
    ['a buy', 'deny', { by: 'desk', facts: order }],
    ['a sale', 'allow', { by: 'desk', facts: venue({ sides: ['sell'] }) }],
    ['both in a batch', 'deny', { by: 'desk', facts: venue({ sides: ['sell', 'buy'] }) }],
    [
      'one whose side cannot be told',
      'deny',
      { by: 'desk', facts: venue({ sides: [], undecidable: ['sides'] }) },
    ],
    ['a cancellation', 'allow', { by: 'desk', facts: cancel }],
  ],
  4: [
    ['SOL to a supplier', 'allow', { by: 'desk', facts: payment('solana-mainnet/sol', SUPPLIER) }],
    ['SOL to another', 'deny', { by: 'desk', facts: payment('solana-mainnet/sol', 'another') }],
    ['another token', 'deny', { by: 'desk', facts: payment('solana-mainnet/mint', SUPPLIER) }],
    [
      'with something unread',
      'deny',
      { by: 'desk', facts: payment('solana-mainnet/sol', SUPPLIER, 'instruction 1') },
    ],
  ],
  5: [
    ['a raw signature', 'allow', { facts: raw }],
    ['an order', 'deny', { facts: order }],
    ['by somebody else', 'deny', { by: 'desk', facts: raw }],
  ],
  6: [
    ['an order by amount', 'allow', { facts: order }],
    ['an order by cost', 'allow', { facts: venue({ amounts: [], quoteAmounts: ['5000'] }) }],
    ['a larger one', 'deny', { facts: venue({ amounts: ['0.1251'] }) }],
    ['another market', 'allow', { facts: venue({ symbols: ['ETHUSDT'], amounts: ['2'] }) }],
    ['one of an asset without a price', 'deny', { facts: venue({ symbols: ['DOGEUSDT'] }) }],
    ['a number of contracts', 'deny', { facts: venue({ amounts: [], contracts: ['1'] }) }],
    ['a cancellation', 'allow', { facts: cancel }],
    ['a withdrawal', 'deny', { facts: withdrawal(['x']) }],
    ['somebody else', 'deny', { by: 'desk', facts: order }],
  ],
  7: [
    ['a small one', 'allow', { by: 'desk', facts: withdrawal(['bc1qcoldstorage'], ['5']) }],
    [
      'more than a day has',
      'require_approvals',
      { by: 'desk', facts: withdrawal(['bc1qcoldstorage'], ['5.1']) },
    ],
    [
      'one that waited, though it fits',
      'require_approvals',
      { by: 'desk', facts: { ...withdrawal(['bc1qcoldstorage'], ['1']), waited: true } },
    ],
    ['far more', 'deny', { by: 'desk', facts: withdrawal(['bc1qcoldstorage'], ['101']) }],
    ['to another', 'deny', { by: 'desk', facts: withdrawal(['bc1qelsewhere']) }],
    ['by an approver', 'deny', { by: 'risk', facts: withdrawal(['bc1qcoldstorage']) }],
  ],
};

const IN_USD: Readonly<Record<string, string>> = { BTC: '40000', ETH: '2000', USDT: '1' };
const prices: SigningFacts['prices'] = {
  priceOf(asset) {
    const price = IN_USD[asset];
    return price === undefined ? { unpriced: 'none' } : { asset, price, at: NOON, relay: 'one' };
  },
};

const examples = [...PAGE.matchAll(HEADING)].map((heading) => ({
  number: Number(heading[1]),
  json: BLOCK.exec(PAGE.slice(heading.index))?.[1] ?? '',
}));

let ledger: LedgerBuilder;
let groupId: string;
const ids: Record<string, string> = {};

beforeAll(() => {
  ledger = createLedgerBuilder();
  const { admin } = ledger;
  for (const name of ['bot', 'desk', 'risk', 'stranger']) ids[name] = ledger.addMachine(name).id;
  ids['officer'] = ledger.addMachine('officer').id;
  for (const [name, members] of [
    ['desk', ['desk']],
    ['risk', ['risk', 'officer']],
  ] as const) {
    const group = ledger.must(admin, 'POST', '/v1/user-groups', { display_name: name });
    for (const member of members) {
      ledger.must(admin, 'PUT', `/v1/users/${ids[member]}`, { user_group_ids: [group] });
    }
    ids[`<${name}>`] = group;
  }
  ids['<bot>'] = ids['bot']!;
  ledger.must(admin, 'PATCH', '/v1/system-settings', {
    version: ledger.state.settings.version,
    usd_value_conditions_enabled: true,
  });
  const keyId = ledger.must(admin, 'POST', '/v1/keys', { type: 'ed25519', display_name: 'Key' });
  for (const party of [1, 2, 3] as const) ledger.attest(party, keyId);
  ids['key'] = keyId;
  groupId = ledger.must(admin, 'POST', '/v1/security-groups', {
    display_name: 'Desk',
    members: [{ member_id: keyId, member_type: 'key' }],
  });
});

/** The state in which the group has this policy and no other. */
function write(json: string) {
  const rules: unknown = JSON.parse(json.replace(/<(?:bot|desk|risk)>/g, (name) => ids[name]!));
  const path = '/v1/signing-policies';
  const body = { display_name: 'Example', security_group_id: groupId, rules };
  const { refusal, subject } = ledger.send(ledger.admin, 'POST', path, body);
  const { state } = ledger;
  if (subject !== undefined) {
    ledger.must(ledger.admin, 'DELETE', `${path}/${subject.resourceIds[0]}`);
  }
  return { refusal, state };
}

it('there are seven, each tried', () => {
  expect(examples.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const tried = Object.keys(CASES).map(Number);
  expect(tried).toEqual(examples.map(({ number }) => number));
});

describe.each(examples)('policy $number', ({ number, json }) => {
  it('is accepted', () => {
    expect(write(json).refusal).toBeUndefined();
  });

  it.each(CASES[number] ?? [])('%s: %s', (_what, outcome, { by = 'bot', facts }) => {
    const { state } = write(json);
    const initiator = state.users.rows.get(ids[by]!)!;
    const asked: SigningFacts = {
      operation: 'sign',
      initiator,
      receivedAt: NOON,
      prices,
      ...facts,
    };
    expect(decideSigning(state, ids['key']!, asked).outcome).toBe(outcome);
  });
});

it('every condition is named, with what it is read in', () => {
  const rows = tableRows('docs/reference/policies.md', 'condition');
  const letters = { transaction: 'T', venue_request: 'V' } as const;
  const told = rows.map((row) => [
    codesIn(row['condition']!)[0],
    /^([TV](?:, V)?): /.exec(row['compares']!)?.[1] ?? '',
  ]);
  const known = CONDITIONS.map(({ name, reads = [] }) => [
    name,
    reads.map((read) => letters[read as keyof typeof letters]).join(', '),
  ]);
  expect(told.toSorted(byName)).toEqual(known.toSorted(byName));
});

const byName = ([a]: readonly unknown[], [b]: readonly unknown[]) =>
  String(a) < String(b) ? -1 : 1;
