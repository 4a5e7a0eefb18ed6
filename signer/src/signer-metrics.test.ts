import { describe, expect, it } from '@jest/globals';
import type { SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import {
  alarmLines,
  FOLLOWED_LINES,
  followedLedger,
  raisedAlarms,
} from '../../test/support/followed-ledger.ts';
import { metricLines } from '../../test/support/metric-lines.ts';
import { signerMetrics, type SignerNumbers } from './signer-metrics.js';
import { createSignTally } from './signing/sign-tally.js';

const NOW = 1_800_000_000_000;
const SECRET = 'Str0ng-Secret-Text';

const pool = (totalCount: number, idleCount: number, waitingCount: number) =>
  ({ totalCount, idleCount, waitingCount }) as unknown as SignerNumbers['pool'];

const numbersWith = (more: Partial<SignerNumbers> = {}): SignerNumbers => ({
  follower: followedLedger(NOW),
  pool: pool(5, 4, 1),
  recordPool: pool(8, 7, 6),
  isPrimary: false,
  trust: { isFresh: true },
  kek: { isOpenable: true },
  threads: {
    figures: [
      { pool: 'fast', threads: 2, waiting: 9 },
      { pool: 'slow', threads: 3, waiting: 11 },
    ],
  },
  tally: createSignTally(),
  recordedAlarms: raisedAlarms('party_2'),
  prices: { state: () => 'ok', newest: () => [{ relay: 'east', at: NOW - 900 }] },
  now: () => NOW,
  ...more,
});

const linesWith = (more?: Partial<SignerNumbers>) => metricLines(signerMetrics(numbersWith(more)));

const denied = (errType: string, reason: string) =>
  ({ outcome: 'denied', errType, reason }) as unknown as SignOutcome;
const signed = { outcome: 'signed' } as unknown as SignOutcome;
const retry = { outcome: 'retry', reason: SECRET } as unknown as SignOutcome;

describe('the metrics of a replica', () => {
  it('are its numbers, each once and under its own name and label', async () => {
    expect(await linesWith()).toEqual(
      [
        ...FOLLOWED_LINES,
        ...alarmLines('party_2'),
        'countersign_database_connections{pool="party",state="idle"} 4',
        'countersign_database_connections{pool="party",state="open"} 5',
        'countersign_database_connections{pool="party",state="waiting"} 1',
        'countersign_database_connections{pool="records",state="idle"} 7',
        'countersign_database_connections{pool="records",state="open"} 8',
        'countersign_database_connections{pool="records",state="waiting"} 6',
        'countersign_price_age_seconds{source="east"} 0.9',
        'countersign_prices_ok 1',
        'countersign_signer_batches_total{role="lead"} 0',
        'countersign_signer_batches_total{role="partner"} 0',
        'countersign_signer_kek_openable 1',
        'countersign_signer_primary 0',
        'countersign_signer_lead_duration_seconds_count 0',
        'countersign_signer_lead_duration_seconds_sum 0',
        'countersign_signer_ready 1',
        'countersign_signer_threads{pool="fast",state="started"} 2',
        'countersign_signer_threads{pool="fast",state="waiting"} 9',
        'countersign_signer_threads{pool="slow",state="started"} 3',
        'countersign_signer_threads{pool="slow",state="waiting"} 11',
      ].toSorted(),
    );
  });

  it('count each batch by its role, and what became of each request of those that it led', async () => {
    const tally = createSignTally();
    for (const role of ['lead', 'partner', 'partner'] as const) tally.noteBatch(role);
    const led = [
      signed,
      signed,
      signed,
      retry,
      retry,
      denied('forbidden', 'the venue is frozen'),
      denied('invalid_inputs', SECRET),
    ];
    expect(await tally.countLed(Promise.resolve(led))).toBe(led);
    await tally.countLed(Promise.resolve([signed]));
    const lines = await linesWith({ tally });
    expect(lines.join()).not.toContain(SECRET);
    expect(
      lines.filter((line) => /signer_(batches|outcomes|lead_duration_seconds_count)/.test(line)),
    ).toEqual([
      'countersign_signer_batches_total{role="lead"} 1',
      'countersign_signer_batches_total{role="partner"} 2',
      'countersign_signer_lead_duration_seconds_count 2',
      'countersign_signer_outcomes_total{outcome="frozen"} 1',
      'countersign_signer_outcomes_total{outcome="invalid_inputs"} 1',
      'countersign_signer_outcomes_total{outcome="retry"} 2',
      'countersign_signer_outcomes_total{outcome="signed"} 4',
    ]);
  });

  it('count no batch that broke off', async () => {
    const tally = createSignTally();
    await expect(tally.countLed(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await linesWith({ tally })).toContain(
      'countersign_signer_lead_duration_seconds_count 0',
    );
    expect(tally.outcomes.size).toBe(0);
  });

  it('say how long leading took, in seconds', async () => {
    const tally = createSignTally();
    tally.leading.note(1_500);
    tally.leading.note(250);
    expect(await linesWith({ tally })).toContain(
      'countersign_signer_lead_duration_seconds_sum 1.75',
    );
  });

  it.each<[string, Partial<SignerNumbers>, string]>([
    ['a primary replica', { isPrimary: true }, 'countersign_signer_primary 1'],
    [
      'that could not start again',
      { kek: { isOpenable: false } },
      'countersign_signer_kek_openable 0',
    ],
    ['without its lease', { trust: { isFresh: false } }, 'countersign_signer_ready 0'],
    [
      'with a ledger that it cannot follow',
      { follower: { ...followedLedger(NOW), fault: new Error('fork') } as never },
      'countersign_signer_ready 0',
    ],
    [
      'with a ledger that it cannot follow',
      { follower: { ...followedLedger(NOW), fault: new Error('fork') } as never },
      'countersign_ledger_stopped 1',
    ],
    [
      'without fresh prices',
      { prices: { state: () => 'unavailable', newest: () => [] } },
      'countersign_prices_ok 0',
    ],
  ])('of one %s say so', async (_name, more, line) => {
    expect(await linesWith(more)).toContain(line);
  });
});
