import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createLateAcceptances } from './late-acceptances.js';
import type { AcceptedRequest } from './signing-requests.js';

let isAway: boolean;
let inserted: string[];

beforeEach(() => {
  jest.useFakeTimers();
  [isAway, inserted] = [true, []];
});
afterEach(() => void jest.useRealTimers());

const insert = async (group: readonly AcceptedRequest[]) => {
  if (isAway) throw new Error('away');
  inserted.push(...group.map(({ requestId }) => requestId));
};
const request = (requestId: string) => ({ requestId }) as AcceptedRequest;

it('puts on record, once the store is back, what it did not take, and each once', async () => {
  const later = createLateAcceptances(insert);
  later.add(request('a'));
  later.add(request('b'));
  await jest.advanceTimersByTimeAsync(5_000);
  expect(inserted).toEqual([]);
  isAway = false;
  await jest.advanceTimersByTimeAsync(5_000);
  expect(inserted).toEqual(['a', 'b']);
  later.add(request('c'));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(inserted).toEqual(['a', 'b', 'c']);
});

it('remembers so many at most, the newest', async () => {
  const later = createLateAcceptances(insert);
  for (let index = 0; index < 20_010; index++) later.add(request(String(index)));
  isAway = false;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(inserted).toHaveLength(20_000);
  expect(inserted[0]).toBe('10');
});
