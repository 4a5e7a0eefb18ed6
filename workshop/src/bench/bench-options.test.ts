import { describe, expect, test } from '@jest/globals';
import { readBenchOptions, SCENARIOS } from './bench-options.js';

describe('the options of the benchmark', () => {
  test('are all scenarios by default', () => {
    const options = readBenchOptions([]);
    expect([...options.wanted]).toEqual(SCENARIOS);
    expect(options).toMatchObject({
      seconds: 10,
      rounds: 3,
      connections: [1, 64, 256],
      rates: [100],
      isAlone: false,
    });
    expect(options.compared).toBeUndefined();
  });

  test('are lists of numbers, and scenarios one by one', () => {
    const args = '--only sign --only venue --seconds 0.5 --connections 1,16 --rates 10,50 --alone';
    const options = readBenchOptions(args.split(' '));
    expect([...options.wanted]).toEqual(['sign', 'venue']);
    expect(options).toMatchObject({
      seconds: 0.5,
      connections: [1, 16],
      rates: [10, 50],
      isAlone: true,
    });
  });

  test('compare two folders, in what two commits can be compared in', () => {
    const options = readBenchOptions(['--compare', 'old', 'new']);
    expect(options.compared).toEqual(['old', 'new']);
    expect([...options.wanted]).toEqual(['sign']);
    const both = ['--compare', 'old', 'new', '--only', 'sign', '--only', 'venue'];
    expect([...readBenchOptions(both).wanted]).toEqual(['sign', 'venue']);
  });

  test.each([
    ['--only', 'everything'],
    ['--seconds', '0'],
    ['--seconds', 'ten'],
    ['--rounds', '1.5'],
    ['--rates', '100,'],
    ['--connections', '-1'],
    ['--compare'],
    ['--compare', 'old'],
    ['--compare', 'old', 'new', '--only', 'rsa4096'],
    ['old', 'new'],
    ['--unknown'],
  ])('are refused: %s %s', (...args) => expect(() => readBenchOptions(args)).toThrow());
});
