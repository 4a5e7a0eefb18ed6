import { expect, test } from '@jest/globals';
import { readBenchOptions, SCENARIOS } from './bench-options.js';

test('without options all scenarios are measured', () => {
  const options = readBenchOptions([]);
  expect([...options.wanted]).toEqual(SCENARIOS);
  expect(options).toMatchObject({
    seconds: 10,
    rounds: 3,
    connections: [1, 64, 256],
    rates: [100],
  });
  expect(options).toMatchObject({ isAlone: false, compared: [] });
});

test('scenarios are named one by one, loads as lists', () => {
  const args = '--only sign --only venue --seconds 0.5 --connections 1,16 --rates 10,50 --alone';
  const options = readBenchOptions(args.split(' '));
  expect([...options.wanted]).toEqual(['sign', 'venue']);
  expect(options).toMatchObject({ seconds: 0.5, connections: [1, 16], rates: [10, 50] });
  expect(options.isAlone).toBe(true);
});

test('two folders are compared by raw-sign unless another signature is named', () => {
  expect(readBenchOptions(['--compare', 'old', 'new']).compared).toEqual(['old', 'new']);
  expect([...readBenchOptions(['--compare', 'old', 'new']).wanted]).toEqual(['sign']);
  for (const kind of ['rsa', 'venue-batch']) {
    const other = readBenchOptions(['--compare', 'old', 'new', '--only', kind]);
    expect([...other.wanted]).toEqual([kind]);
  }
});

test.each([
  ['--only', 'everything'],
  ['--seconds', '0'],
  ['--seconds', 'ten'],
  ['--rounds', '1.5'],
  ['--rates', '100,'],
  ['--connections', '-1'],
  ['--compare', 'old'],
  ['--compare', 'old', 'new', '--only', 'overload'],
  ['old', 'new'],
  ['--unknown'],
])('%s %s is refused', (...args) => expect(() => readBenchOptions(args)).toThrow());
