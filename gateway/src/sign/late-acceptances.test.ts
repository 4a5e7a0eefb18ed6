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
const open = (bytes = 1) => createLateAcceptances(insert, () => bytes);

it('puts on record, once the store is back, what it did not take, and each once', async () => {
  const later = open();
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
  const later = open();
  for (let index = 0; index < 20_010; index++) later.add(request(String(index)));
  isAway = false;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(inserted).toHaveLength(20_000);
  expect(inserted[0]).toBe('10');
});

it('remembers bodies of 64 MiB at most, the newest', async () => {
  const later = open(1024 * 1024);
  for (let index = 0; index < 100; index++) later.add(request(String(index)));
  later.add(request('99'));
  isAway = false;
  await jest.advanceTimersByTimeAsync(5_000);
  expect(inserted).toHaveLength(64);
  expect(inserted[0]).toBe('36');
  later.add(request('later'));
  await jest.advanceTimersByTimeAsync(5_000);
  expect(inserted).toHaveLength(65);
});
