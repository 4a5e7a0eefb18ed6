import { expect, it } from '@jest/globals';
import { getSystemHistoryOperation } from '@countersign/api/operations/system-operations.js';
import { columnsOf, perSecond } from './chart-columns.js';

const { minutes } = getSystemHistoryOperation.example.response;
const START = Date.UTC(2026, 10, 22, 3) / 1_000;

const historyAt = (...places: number[]) => ({
  ...minutes,
  at: places.map((minute) => new Date((START + minute * 60) * 1_000).toISOString()),
});

it('draws whole minutes, each at its start', () => {
  const { at, pick } = columnsOf(historyAt(0, 1, 2), START);
  expect(at).toEqual([START, START + 60]);
  expect(pick([4, 5, 6])).toEqual([4, 5]);
  expect(pick([4, null, 6])).toEqual([4, null]);
});

it('draws the minute that has begun where there is no other', () => {
  expect(columnsOf(historyAt(7), START).pick([3])).toEqual([3]);
  expect(columnsOf(historyAt(), START).at).toEqual([]);
});

it('leaves a gap where minutes are missing, and none between neighbours', () => {
  const { at, pick } = columnsOf(historyAt(0, 1, 5, 6), START);
  expect(at.map((s) => (s - START) / 60)).toEqual([0, 1, 2, 5]);
  expect(pick([1, 2, 3, 4])).toEqual([1, 2, null, 3]);
});

it('begins where the range does', () => {
  const { at, pick } = columnsOf(historyAt(0, 1, 2, 3), START + 61);
  expect(at).toEqual([START + 120]);
  expect(pick([1, 2, 3, 4])).toEqual([3]);
});

it('counts by the second', () => {
  expect(perSecond([120, 3])).toEqual([2, 0.05]);
});
