/**
 * `@jest/globals` of a test that Node itself loads: each file's `describe`, `test` and `expect` are those that
 * Jest made for that file, though this module, like every other, is loaded once.
 */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

/** What Jest made for the file that is loaded next. */
export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
