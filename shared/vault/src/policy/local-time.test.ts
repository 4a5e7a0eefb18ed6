import { describe, expect, it } from '@jest/globals';
import type { TimeWindow } from '@countersign/api/conditions/kept-conditions.js';
import { isInside } from '@countersign/api/conditions/time.js';
import { isTimeZone, localTimeIn } from './local-time.js';

function isInWindow(window: TimeWindow, at: number) {
  const local = localTimeIn(window.timeZone, at);
  return local && isInside(window, local);
}

const at = (text: string) => Date.parse(text);
const OFFICE = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '09:00',
  to: '17:30',
  timeZone: 'Europe/Zurich',
} as const;

describe('a window of the week', () => {
  it.each([
    // 23 November 2026 is a Monday; Zurich is an hour ahead in winter, two in summer
    ['2026-11-23T08:00:00.000Z', true],
    ['2026-11-23T07:59:59.999Z', false],
    ['2026-11-23T16:29:59.999Z', true],
    ['2026-11-23T16:30:00.000Z', false],
    ['2026-07-20T07:00:00.000Z', true],
    ['2026-07-20T15:30:00.000Z', false],
    ['2026-11-22T10:00:00.000Z', false],
  ])('holds by the clock of its place: %s', (text, isInside) => {
    expect(isInWindow(OFFICE, at(text))).toBe(isInside);
  });

  it.each([
    ['2026-11-22T22:59:00.000Z', true],
    ['2026-11-23T05:59:00.000Z', true],
    ['2026-11-23T06:00:00.000Z', false],
    // the night that begins on Monday is not named
    ['2026-11-23T22:30:00.000Z', false],
    ['2026-11-22T05:00:00.000Z', false],
  ])('past midnight belongs to the day on which it begins: %s', (text, isInside) => {
    const window = { days: ['sun'], from: '22:00', to: '06:00', timeZone: 'UTC' } as const;
    expect(isInWindow(window, at(text))).toBe(isInside);
  });

  it('may have no end, or be days alone', () => {
    const evening = { from: '18:00', timeZone: 'UTC' };
    expect(isInWindow(evening, at('2026-11-23T23:59:59.999Z'))).toBe(true);
    expect(isInWindow(evening, at('2026-11-24T00:00:00.000Z'))).toBe(false);
    const monday = { days: ['mon'], timeZone: 'Asia/Tokyo' } as const;
    expect(isInWindow(monday, at('2026-11-22T15:00:00.000Z'))).toBe(true);
    expect(isInWindow(monday, at('2026-11-23T15:00:00.000Z'))).toBe(false);
  });

  it('tells a zone that it does not know from a time that is outside', () => {
    expect(isInWindow({ from: '09:00', timeZone: 'Europe/Atlantis' }, 0)).toBeUndefined();
    expect(isTimeZone('Europe/Atlantis')).toBe(false);
    expect(isTimeZone('UTC')).toBe(true);
  });
});
