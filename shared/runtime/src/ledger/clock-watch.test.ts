import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Alarm } from '../alarms/alarms.js';
import { createClockWatch, type ClockWatch } from './clock-watch.js';

const NOW = 1_800_000_000_000;
const PAIR = { rules: 1, countersignatures: [] };

let now: number;
let raised: Alarm[];
let watch: ClockWatch;
beforeEach(() => {
  [now, raised] = [NOW, []];
  watch = createClockWatch({ raise: (alarm) => void raised.push(alarm) }, () => now);
});

const judgedAt = (at: number, seq = 7) => ({ seq, at, judgedBy: PAIR });
const LIVE_MS = 1_000;

describe("a node whose clock and the ledger's time are apart", () => {
  it('says so once, and how far', () => {
    watch.note([judgedAt(NOW + 61_000)], LIVE_MS);
    watch.note([judgedAt(NOW + 65_000, 8)], LIVE_MS);
    expect(raised).toEqual([
      {
        kind: 'clock_differs',
        reason: "this node's clock is 61 s behind the time at which two parties judged entry 7",
      },
    ]);
  });

  it('says so of a clock that is ahead', () => {
    watch.note([judgedAt(NOW - 3_600_000)], LIVE_MS);
    expect(raised.map(({ reason }) => reason)).toEqual([
      "this node's clock is 3600 s ahead of the time at which two parties judged entry 7",
    ]);
  });

  it('says it again after they came together', () => {
    watch.note([judgedAt(NOW + 61_000)], LIVE_MS);
    watch.note([judgedAt(NOW + 1_000)], LIVE_MS);
    watch.note([judgedAt(NOW + 61_000)], LIVE_MS);
    expect(raised).toHaveLength(2);
  });
});

describe('no clock is blamed', () => {
  it.each([
    ['within a minute', NOW - 60_000],
    ['within a minute the other way', NOW + 60_000],
  ])('%s', (_name, at) => {
    watch.note([judgedAt(at)], LIVE_MS);
    expect(raised).toEqual([]);
  });

  it('for what was judged while this node was away, or not started yet', () => {
    watch.note([judgedAt(NOW - 3_600_000)], Number.POSITIVE_INFINITY);
    watch.note([judgedAt(NOW - 3_600_000)], 7_200_000);
    expect(raised).toEqual([]);
  });

  it('but one that is behind shows at the start, too', () => {
    watch.note([judgedAt(NOW + 3_600_000)], Number.POSITIVE_INFINITY);
    expect(raised).toHaveLength(1);
  });

  it('for entries that nobody judged, whatever their time', () => {
    watch.note([{ seq: 7, at: 0, judgedBy: undefined }], LIVE_MS);
    expect(raised).toEqual([]);
  });
});
