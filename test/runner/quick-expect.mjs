/**
 * Jest makes some 270 functions and an error with its stack for each `expect(...)`, before it is known what is
 * expected: with 200,000 of them that was a tenth of all processor time. It reads the stack of each error that a function
 * was expected to throw, too. What holds by Jest's own comparison is only counted here; whatever else is expected, and
 * every failure, is Jest's.
 */
export function quickExpect(expect) {
  const comparisons = comparisonsOf(expect);

  /** What is made of each actual value; `ask` has Jest make it, and `wanted` is what comparisons should find. */
  function expectationBy(ask, wanted) {
    class Expectation {
      constructor(actual) {
        this.actual = actual;
      }
    }
    for (const [name, member] of Object.entries(ask())) {
      if (typeof member !== 'function') continue;
      Expectation.prototype[name] = function matcher(...args) {
        const found = comparisons[name]?.(this.actual, args[0]);
        if (found === wanted) {
          const state = expect.getState();
          state.assertionCalls += 1;
          state.numPassingAsserts += 1;
          return undefined;
        }
        try {
          const told = ask(this.actual)[name](...args);
          // a generator, for one, is empty when it is compared again
          if (found !== undefined) throw new Error(`${name} held the second time alone`);
          return told;
        } catch (error) {
          // whoever reads it is shown the line of the test
          if (error instanceof Error) Error.captureStackTrace(error, matcher);
          throw error;
        }
      };
    }
    return Expectation;
  }

  const Negation = expectationBy((actual) => expect(actual).not, false);
  const Expectation = expectationBy(expect, true);
  const promised = (name) => ({
    get() {
      return expect(this.actual)[name];
    },
  });
  Object.defineProperties(Expectation.prototype, {
    not: {
      get() {
        return new Negation(this.actual);
      },
    },
    resolves: promised('resolves'),
    rejects: promised('rejects'),
  });

  const quick = (actual, ...more) =>
    more.length === 0 ? new Expectation(actual) : expect(actual, ...more);
  // neither would be seen here
  return Object.assign(quick, expect, { extend: undefined, addEqualityTesters: undefined });
}

const isObject = (value) => typeof value === 'object' && value !== null;

/**
 * Whether Jest's matchers of these names hold, by what it gives to those that are not its own. Undefined where only Jest
 * tells: they take more than what tests give them.
 */
function comparisonsOf(expect) {
  let context;
  expect.extend({
    toTellHowItCompares() {
      context = this;
      return { pass: true };
    },
  });
  expect().toTellHowItCompares();
  const { equals, utils } = context;
  return {
    toBe: Object.is,
    toBeUndefined: (actual, more) => (more === undefined ? actual === undefined : undefined),
    toEqual: (actual, expected) => equals(actual, expected, [utils.iterableEquality]),
    toMatchObject: (actual, expected) =>
      isObject(actual) && isObject(expected)
        ? equals(actual, expected, [utils.iterableEquality, utils.subsetEquality])
        : undefined,
    toContain: (actual, expected) =>
      // not `includes`, which finds NaN
      Array.isArray(actual) ? [...actual].indexOf(expected) !== -1 : undefined,
    toHaveLength: (actual, expected) =>
      Array.isArray(actual) && Number.isSafeInteger(expected) && expected >= 0
        ? actual.length === expected
        : undefined,
    toThrow,
  };
}

function toThrow(actual, expected) {
  const isOfError = typeof expected === 'string' || expected instanceof RegExp;
  if (typeof actual !== 'function') return undefined;
  if (expected !== undefined && typeof expected !== 'function' && !isOfError) return undefined;
  try {
    actual();
    return false;
  } catch (thrown) {
    if (expected === undefined) return true;
    if (!isOfError) return thrown instanceof expected;
    const message = typeof thrown?.message === 'string' ? thrown.message : String(thrown);
    return typeof expected === 'string' ? message.includes(expected) : expected.test(message);
  }
}
