import { describe, expect, it } from '@jest/globals';
import { failure } from '@countersign/client/call-result.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import { typed } from '../../fixtures/typed.js';
import { RefusedError } from '../tool/command.js';
import { backtestTotals, totalsInWords } from './backtest.js';

const BODY = {
  security_group_id: '01234567-89ab-4cde-8f01-abcdefabcdef',
  rules: [{ display_name: 'x', when: {}, then: 'deny' as const }],
  from: '2026-11-01T00:00:00Z',
  to: '2026-11-02T00:00:00Z',
};

const page = (names: readonly string[], newly_denied: number) => ({
  ok: true,
  value: { results: names.map((request_id) => ({ request_id })), totals: { newly_denied } },
});

/** A service that answers in these pages, and what it was asked. */
function clientOf(pages: readonly unknown[]) {
  const asked: unknown[] = [];
  const client = {
    async *pages(...question: unknown[]) {
      asked.push(question);
      yield* pages;
    },
  } as unknown as Pick<CountersignClient, 'pages'>;
  return { client, asked };
}

const io = { showProgress: () => undefined };

describe('a backtest', () => {
  it('tells each request, page by page, and adds up the totals', async () => {
    const { client, asked } = clientOf([page(['a', 'b'], 2), page(['c'], 1)]);
    const told: unknown[] = [];
    const totals = await backtestTotals(client, BODY, io, (rows) => told.push(...rows));
    expect(totals).toEqual({ newly_denied: 3 });
    expect(told).toEqual([{ request_id: 'a' }, { request_id: 'b' }, { request_id: 'c' }]);
    expect(asked).toEqual([['backtest-signing-policies', { body: BODY }]]);
  });

  it('that the service breaks off has no totals: they would be taken for all', async () => {
    const { client } = clientOf([page(['a'], 1), failure('forbidden', 'no')]);
    await expect(backtestTotals(client, BODY, io)).rejects.toThrow(RefusedError);
  });

  it('is told in words, without what did not happen', () => {
    const none = { newly_allowed: 0, cannot_say: 0, has_limit: 0, needs_approvals: 0 };
    expect(totalsInWords({ requests: 3, same: 1, newly_denied: 2, ...none })).toBe(
      'Backtest: of 3 requests 1 stay the same, 2 newly denied.',
    );
  });
});

describe('the command', () => {
  it('says what is wrong with a draft, with its line, before the service hears of it', async () => {
    const input = JSON.stringify({ ...BODY, to: BODY.from }, null, 1);
    expect(await typed(['policies', 'backtest', '-'], { input })).toEqual({
      code: 2,
      output: '',
      notes: 'countersign: -: line 11: to: must be later than from\n',
    });
  });

  it('takes a draft from standard input, and then wants a profile', async () => {
    const environment = { XDG_CONFIG_HOME: '/nonexistent' };
    const told = await typed(['policies', 'backtest', '-'], {
      input: JSON.stringify(BODY),
      environment,
    });
    expect(told).toMatchObject({ code: 2, notes: expect.stringContaining('countersign login') });
  });
});
