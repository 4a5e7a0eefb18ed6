/** What tests that Node loads expect by (`quick-expect.mjs`): it tells what Jest's own `expect` tells. */
import { describe, expect, it } from '@jest/globals';

/** What it throws, without colours. */
function failureOf(assertion: () => void): Error {
  try {
    assertion();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it held');
}

/** Throws, from its `first` call on, what `made` makes of `text`. */
function throwing(text: string, made: (text: string) => unknown = RangeError, first = 1) {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls >= first) throw made(text);
  };
}

describe('an assertion that holds', () => {
  it.each<[string, () => void]>([
    ['of one thing', () => expect(Number.NaN).toBe(Number.NaN)],
    [
      'of equal things',
      () => expect({ a: [1, { b: 2 }], c: undefined }).toEqual({ a: [1, { b: 2 }] }),
    ],
    ['of things alike', () => expect({ a: 1 }).toEqual({ a: expect.any(Number) })],
    ['of what Jest alone compares', () => expect('text').toMatch(/ex/)],
    ['of what is not', () => expect(1).not.toBe(2)],
    ['of what is not equal', () => expect([1]).not.toEqual([2])],
    ['of nothing', () => expect(undefined).toBeUndefined()],
    ['of something', () => expect(null).not.toBeUndefined()],
    ['of a part', () => expect({ a: { b: 1, c: 2 }, d: 3 }).toMatchObject({ a: { b: 1 } })],
    ['of no part', () => expect({ a: 1 }).not.toMatchObject({ a: 2 })],
    ['of one among others', () => expect([1, 2]).toContain(2)],
    ['of a part of a text', () => expect('text').toContain('ex')],
    ['of none of them', () => expect([Number.NaN]).not.toContain(Number.NaN)],
    ['of a length', () => expect([1, 2]).toHaveLength(2)],
    ["of a text's length", () => expect('text').toHaveLength(4)],
    ['of what throws', () => expect(throwing('no way')).toThrow()],
    ['of what says in part', () => expect(throwing('no way')).toThrow('no')],
    ['of what says alike', () => expect(throwing('no way')).toThrow(/^no/)],
    ['of what is thrown', () => expect(throwing('no way')).toThrow(RangeError)],
    ['of an error like it', () => expect(throwing('no way')).toThrow(new RangeError('no way'))],
    ['of a text that is thrown', () => expect(throwing('no way', String)).toThrow('way')],
    ['of what throws nothing', () => expect(() => {}).not.toThrow()],
    ['of what throws another thing', () => expect(throwing('no way')).not.toThrow(SyntaxError)],
  ])('is counted once: %s', (_what, assertion) => {
    const { assertionCalls, numPassingAsserts } = expect.getState();
    assertion();
    const after = expect.getState();
    expect([
      after.assertionCalls - assertionCalls,
      after.numPassingAsserts - numPassingAsserts,
    ]).toEqual([1, 1]);
  });

  it('is one also of what a promise comes to', async () => {
    await expect(Promise.resolve(1)).resolves.toBe(1);
    await expect(Promise.reject(new Error('no'))).rejects.toThrow('no');
  });
});

describe('an assertion that does not hold', () => {
  const once = function* (value: number) {
    yield value;
  };

  it.each<[string, () => void]>([
    ['another thing', () => expect({}).toBe({})],
    ['zero below zero', () => expect(-0).toBe(0)],
    ['zero below zero, inside', () => expect([-0]).toEqual([0])],
    ['another value inside', () => expect({ a: [1] }).toEqual({ a: [2] })],
    ['a value more', () => expect({ a: 1, b: 2 }).toEqual({ a: 1 })],
    ['another type', () => expect([1]).toEqual({ 0: 1 })],
    ['another kind of thing', () => expect({ a: 1 }).toEqual({ a: expect.any(String) })],
    ['another order of what it gives', () => expect(new Set([1])).toEqual(new Set([2]))],
    [
      'what lies in private',
      () => expect(new URLSearchParams('a')).toEqual(new URLSearchParams('b')),
    ],
    ['what is given once', () => expect(once(1)).toEqual(once(2))],
    ['what should not be', () => expect(1).not.toBe(1)],
    ['what should not be equal', () => expect([1]).not.toEqual([1])],
    ['what is there', () => expect(null).toBeUndefined()],
    ['what is not there', () => expect(undefined).not.toBeUndefined()],
    ['another part', () => expect({ a: { b: 1 } }).toMatchObject({ a: { b: 2 } })],
    ['a part that is missing', () => expect({}).toMatchObject({ a: undefined })],
    ['a part that should not be', () => expect({ a: 1, b: 2 }).not.toMatchObject({ a: 1 })],
    ['a part of nothing', () => expect(null).not.toMatchObject({})],
    ['none of them', () => expect([{}]).toContain({})],
    ['one that is no number', () => expect([Number.NaN]).toContain(Number.NaN)],
    ['one of them', () => expect([1]).not.toContain(1)],
    ['another length', () => expect([1]).toHaveLength(2)],
    ['a length that none can have', () => expect([1]).not.toHaveLength(-1)],
    ['what does not throw', () => expect(() => {}).toThrow()],
    ['what says another thing', () => expect(throwing('no way')).toThrow('not')],
    ['what says no such thing', () => expect(throwing('no way')).toThrow(/^way/)],
    ['what throws another thing', () => expect(throwing('no way')).toThrow(TypeError)],
    ['what throws', () => expect(throwing('no way')).not.toThrow()],
    ['what is no function', () => expect(1).not.toThrow()],
    ['what throws the second time alone', () => expect(throwing('no way', Error, 2)).toThrow()],
    ['two things given', () => (expect as unknown as (...all: number[]) => object)(1, 2)],
  ])('fails: %s', (_what, assertion) => {
    expect(failureOf(assertion)).toBeInstanceOf(Error);
  });

  it("says what Jest says, at the test's own line", () => {
    const { message, stack } = failureOf(() => expect({ a: 1 }).toEqual({ a: 2 }));
    expect(message).toMatch(/deep equality[^]*-.*"a": 2[^]*\+.*"a": 1/);
    const [first] = stack!.slice(stack!.indexOf(message) + message.length).match(/ at .*/)!;
    expect(first).toContain('quick-expect.test.ts');
  });

  it('fails what a promise comes to', async () => {
    const failing = [
      async () => {
        await expect(Promise.resolve(1)).resolves.toBe(2);
      },
      async () => {
        await expect(Promise.resolve(1)).rejects.toBe(1);
      },
      async () => {
        await expect(Promise.reject(new Error('no'))).resolves.toBe(1);
      },
    ];
    const told = await Promise.allSettled(failing.map((one) => one()));
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});

it('takes no comparisons of others: it would not see them', () => {
  expect([expect.extend, expect.addEqualityTesters]).toEqual([undefined, undefined]);
});
