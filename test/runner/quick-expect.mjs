/**
 * Jest makes some 270 functions and an error with its stack for each `expect(...)`, before it is known what is
 * expected: with 200,000 of them that was a tenth of all processor time. What holds by Jest's own comparison is only
 * counted here; whatever else is expected, and every failure, is Jest's.
 */
export function quickExpect(expect) {
  const holds = comparisonsOf(expect);

  class Expectation {
    constructor(actual) {
      this.actual = actual;
    }
  }

  for (const [name, member] of Object.entries(expect())) {
    if (typeof member !== 'function') {
      const get = function () {
        return expect(this.actual)[name];
      };
      Object.defineProperty(Expectation.prototype, name, { get });
      continue;
    }
    Expectation.prototype[name] = function matcher(...args) {
      if (holds[name]?.(this.actual, args[0])) {
        const state = expect.getState();
        state.assertionCalls += 1;
        state.numPassingAsserts += 1;
        return undefined;
      }
      try {
        const told = expect(this.actual)[name](...args);
        // a generator, for one, is empty when it is compared again
        if (name in holds) throw new Error(`${name} held the second time alone`);
        return told;
      } catch (error) {
        // whoever reads it is shown the line of the test
        if (error instanceof Error) Error.captureStackTrace(error, matcher);
        throw error;
      }
    };
  }

  const quick = (actual, ...more) =>
    more.length === 0 ? new Expectation(actual) : expect(actual, ...more);
  // neither would be seen here
  return Object.assign(quick, expect, { extend: undefined, addEqualityTesters: undefined });
}

/** How Jest's matchers of these names compare, by what it gives to those that are not its own. */
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
    toEqual: (actual, expected) => equals(actual, expected, [utils.iterableEquality]),
  };
}
