import { expect, it } from '@jest/globals';
import { FOLLOWED_LINES, followedLedger } from '../../test/support/followed-ledger.ts';
import { metricLines } from '../../test/support/metric-lines.ts';
import { notifierMetrics, type NotifierNumbers } from './notifier-metrics.js';

const STARTED = 1_800_000_000_000;

function openMetrics() {
  let clock = STARTED;
  let figures: NotifierNumbers['notifier']['figures'] = { lookedAt: undefined, due: 0 };
  const sets = notifierMetrics({
    notifier: {
      get figures() {
        return figures;
      },
    },
    follower: followedLedger(STARTED + 3_000),
    pool: { totalCount: 6, idleCount: 5, waitingCount: 2 } as unknown as NotifierNumbers['pool'],
    elapsed: () => clock,
  });
  return {
    async linesAt(at: number, now: typeof figures = figures) {
      clock = at;
      figures = now;
      return metricLines(sets);
    },
  };
}

it('are its numbers, each once and under its own name and label', async () => {
  const { linesAt } = openMetrics();
  const lookedAt = STARTED + 2_500;
  expect(await linesAt(STARTED + 3_000, { lookedAt, due: 7 })).toEqual(
    [
      ...FOLLOWED_LINES,
      'countersign_database_connections{pool="notifier",state="idle"} 5',
      'countersign_database_connections{pool="notifier",state="open"} 6',
      'countersign_database_connections{pool="notifier",state="waiting"} 2',
      'countersign_notifier_due_webhooks 7',
      'countersign_notifier_lag_seconds 0.5',
    ].toSorted(),
  );
});

it('say how long a notifier that never looked has been at it', async () => {
  const lines = await openMetrics().linesAt(STARTED + 4_000);
  expect(lines).toContain('countersign_notifier_lag_seconds 4');
});
