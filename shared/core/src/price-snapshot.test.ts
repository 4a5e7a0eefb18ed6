import { expect, it } from '@jest/globals';
import { ByteWriter } from './bytes.js';
import { medianPrice } from './median-price.js';
import {
  decodeSignedSnapshot,
  encodeSignedSnapshot,
  snapshotMessage,
  type PriceSnapshot,
} from './price-snapshot.js';

const SIGNATURE = Buffer.alloc(64, 7);
const SNAPSHOT: PriceSnapshot = {
  relay: 'one',
  at: 1_700_000_000_000,
  sources: ['a', 'b.c'],
  prices: new Map([
    ['BTC', '100000.5'],
    ['USDT', '0.9998'],
  ]),
};

it('reads what was written, whatever order the prices were put in', () => {
  const message = snapshotMessage(SNAPSHOT);
  const read = decodeSignedSnapshot(encodeSignedSnapshot(message, SIGNATURE));
  expect(read).toEqual({ snapshot: SNAPSHOT, message, signature: SIGNATURE });
  const turned = { ...SNAPSHOT, prices: new Map([...SNAPSHOT.prices].toReversed()) };
  expect(snapshotMessage(turned)).toEqual(message);
});

it.each<[string, Partial<PriceSnapshot>]>([
  ['a price of zero', { prices: new Map([['BTC', '0']]) }],
  ['a price of 0.000', { prices: new Map([['BTC', '0.000']]) }],
  ['a negative price', { prices: new Map([['BTC', '-1']]) }],
  ['a price with an exponent', { prices: new Map([['BTC', '1e5']]) }],
  ['no number', { prices: new Map([['BTC', 'NaN']]) }],
  ['an asset in lower case', { prices: new Map([['btc', '1']]) }],
  ['a name with a line break', { relay: 'one\ntwo' }],
  ['a source without a name', { sources: [''] }],
])('takes no snapshot with %s', (_what, change) => {
  const message = snapshotMessage({ ...SNAPSHOT, ...change });
  expect(() => decodeSignedSnapshot(encodeSignedSnapshot(message, SIGNATURE))).toThrow(RangeError);
});

it('takes nothing that is cut short, goes on, or says a price twice', () => {
  const bytes = encodeSignedSnapshot(snapshotMessage(SNAPSHOT), SIGNATURE);
  expect(() => decodeSignedSnapshot(bytes.subarray(0, -1))).toThrow(RangeError);
  expect(() => decodeSignedSnapshot(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow(RangeError);
  const twice = new ByteWriter().field('countersign prices v1').field('one').u64(1).u32(0).u32(2);
  twice.field('BTC').field('1').field('BTC').field('2');
  expect(() => decodeSignedSnapshot(encodeSignedSnapshot(twice.bytes(), SIGNATURE))).toThrow(
    RangeError,
  );
});

it.each([
  [['5'], '5'],
  [['1', '1.01'], '1.01'],
  [['1.02', '1', '1.01'], '1.01'],
  [['100', '100.5', '101', '102'], '101'],
  // exactly two percent apart, and a hair more
  [['100', '102'], '102'],
  [['100', '102.0000000000000000000000000000000000000001'], undefined],
  [['100', '101', '0.5'], undefined],
])('the median of %j is %s', (said, expected) => {
  const prices = said.map((price) => ({ price }));
  expect(medianPrice(prices, 200)?.price).toBe(expected);
});
