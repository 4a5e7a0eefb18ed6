import { expect, it } from '@jest/globals';

it('tells what happens in this file to those who hear of this file alone', () => {
  const { [Symbol.for('EVENT_HANDLERS')]: handlers } = globalThis as unknown as Record<
    symbol,
    readonly unknown[]
  >;
  // a few for each file that the worker has run, were they kept
  expect(handlers!.length).toBeLessThan(10);
});
