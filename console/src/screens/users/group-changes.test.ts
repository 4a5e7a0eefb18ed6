import { expect, it } from '@jest/globals';
import { withChanges } from './group-changes.js';

it.each<[string, string[], Record<string, boolean>, string[]]>([
  ['nothing was changed', ['a', 'b'], {}, ['a', 'b']],
  ['one was ticked', ['a'], { b: true }, ['a', 'b']],
  ['one was unticked', ['a', 'b'], { a: false }, ['b']],
  ['one was ticked and unticked', ['a'], { b: false }, ['a']],
  ['somebody else took one away meanwhile', ['a'], { c: true }, ['a', 'c']],
  ['somebody else gave the same one', ['a', 'c'], { c: true }, ['a', 'c']],
])('the groups of a user where %s', (_what, now, changed, expected) => {
  expect(withChanges(now, changed)).toEqual(expected);
});
