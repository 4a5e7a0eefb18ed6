import { describe, expect, it } from '@jest/globals';
import { createRequestTally, type RequestTally } from '../http/request-tally.js';
import {
  createFigureHistory,
  MINUTE_MS,
  MOST_MINUTES,
  MOST_TROUBLES,
  type FigureSample,
  type Trouble,
} from './figure-history.js';
import { look } from './window.js';

const START = Date.UTC(2026, 10, 22, 3);
const AWAY: Trouble = { kind: 'party_away', parties: [2] };
const FROZEN: Trouble = { kind: 'frozen', parties: [], scope: 'venue' };

function openHistory() {
  const tally = createRequestTally();
  const route = tally.open({ method: 'POST', path: '/v1/keys/{key_id}/sign' }, 'sign-with-key');
  const history = createFigureHistory(look(tally, START));
  const note = (afterMs: number, more: Partial<FigureSample> = {}) =>
    history.note({
      looked: look(tally, START + afterMs),
      queued: [0, 0, 0],
      troubles: [],
      ...more,
    });
  return { history, note, sign: () => route.note(200, 12, undefined), refuse: () => no(route) };
}

const no = (route: ReturnType<RequestTally['open']>) => route.note(403, 3, undefined);

describe('figures by the minute', () => {
  it('count what came in each, and in the one that has begun', () => {
    const { history, note, sign, refuse } = openHistory();
    sign();
    note(5_000);
    sign();
    refuse();
    note(55_000);
    sign();
    note(65_000);
    expect(history.minutes()).toMatchObject([
      { at: START, answered: 3, succeeded: 2, denied: 1, failed: 0 },
      { at: START + MINUTE_MS, answered: 1, succeeded: 1, denied: 0 },
    ]);
    expect(history.minutes()[1]!.p99).toBeCloseTo(15, 0);
  });

  it('say nothing of times where nothing was asked', () => {
    const { history, note } = openHistory();
    note(5_000);
    expect(history.minutes()).toEqual([
      {
        at: START,
        ...{ answered: 0, succeeded: 0, denied: 0, failed: 0 },
        ...{ p50: undefined, p95: undefined, p99: undefined },
        queued: [0, 0, 0],
      },
    ]);
  });

  it('keep the longest queue of each party', () => {
    const { history, note } = openHistory();
    note(5_000, { queued: [0, 4, 1] });
    note(10_000, { queued: [2, 0, 1] });
    note(60_000, { queued: [0, 1, 0] });
    expect(history.minutes().map(({ queued }) => queued)).toEqual([
      [2, 4, 1],
      [0, 1, 0],
    ]);
  });

  it('leave out minutes that nobody saw, and count what came meanwhile once', () => {
    const { history, note, sign } = openHistory();
    note(5_000);
    sign();
    note(10 * MINUTE_MS);
    expect(
      history.minutes().map(({ at, answered }) => [(at - START) / MINUTE_MS, answered]),
    ).toEqual([
      [0, 0],
      [10, 1],
    ]);
  });

  it('stay where they are when a clock goes back', () => {
    const { history, note, sign } = openHistory();
    note(3 * MINUTE_MS);
    sign();
    note(0);
    expect(history.minutes()).toMatchObject([{ at: START + 3 * MINUTE_MS, answered: 1 }]);
  });

  it('are those of a day at most', () => {
    const { history, note } = openHistory();
    for (let minute = 0; minute < MOST_MINUTES + 10; minute++) note(minute * MINUTE_MS);
    const minutes = history.minutes();
    expect(minutes).toHaveLength(MOST_MINUTES);
    expect(minutes[0]!.at).toBe(START + 10 * MINUTE_MS);
    expect(minutes.at(-1)!.at).toBe(START + (MOST_MINUTES + 9) * MINUTE_MS);
  });
});

describe('what was not as it should be', () => {
  it('is told from when to when, the newest first', () => {
    const { history, note } = openHistory();
    note(5_000);
    note(10_000, { troubles: [AWAY] });
    note(15_000, { troubles: [FROZEN, AWAY] });
    note(20_000, { troubles: [FROZEN] });
    expect(history.troubles()).toEqual([
      { ...FROZEN, from: START + 15_000, to: undefined },
      { ...AWAY, from: START + 10_000, to: START + 20_000 },
    ]);
  });

  it('is another one where it comes again, or is about another party or scope', () => {
    const { history, note } = openHistory();
    const other: Trouble = { kind: 'party_away', parties: [3] };
    const vault: Trouble = { ...FROZEN, scope: 'vault' };
    note(5_000, { troubles: [AWAY, other, FROZEN, vault] });
    note(10_000);
    note(15_000, { troubles: [AWAY] });
    expect(history.troubles()).toHaveLength(5);
    expect(history.troubles()[0]).toEqual({ ...AWAY, from: START + 15_000, to: undefined });
  });

  it('is bounded, however often it comes and goes', () => {
    const { history, note } = openHistory();
    for (let round = 0; round < MOST_TROUBLES * 2; round++) {
      note(round * 10_000, { troubles: [AWAY] });
      note(round * 10_000 + 5_000);
    }
    expect(history.troubles()).toHaveLength(MOST_TROUBLES);
    expect(history.troubles()[0]!.to).toBe(START + (MOST_TROUBLES * 2 - 1) * 10_000 + 5_000);
  });
});
