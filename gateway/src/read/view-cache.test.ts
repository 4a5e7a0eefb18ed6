import { expect, test } from '@jest/globals';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { oncePerState } from './view-cache.js';

test('a view is made once per row and state, and anew for another state', () => {
  let made = 0;
  const view = oncePerState((state, row: { id: string }) => `${row.id} ${state.seq} ${++made}`);
  const row = { id: 'a' };
  expect(view(EMPTY_STATE, row)).toBe('a 0 1');
  expect(view(EMPTY_STATE, row)).toBe('a 0 1');
  expect(view({ ...EMPTY_STATE, seq: 1 }, row)).toBe('a 1 2');
  expect(view(EMPTY_STATE, { id: 'a' })).toBe('a 0 3');
});
