import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failure } from '../answers/call-result.js';
import type { CountersignClient } from '../calls/countersign-client.js';
import { backtest, BACKTEST_USAGE, runBacktest } from './backtest-command.js';

const BODY = {
  security_group_id: '01234567-89ab-4cde-8f01-abcdefabcdef',
  rules: [{ display_name: 'x', when: {}, then: 'deny' as const }],
  from: '2026-11-01T00:00:00Z',
  to: '2026-11-02T00:00:00Z',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backtest-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function listen() {
  const told = { output: '', note: '' };
  return {
    told,
    readStandardInput: () => Buffer.from(JSON.stringify(BODY)),
    writeOutput: (text: string) => void (told.output += text),
    writeNote: (text: string) => void (told.note += text),
  };
}

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

describe('a backtest', () => {
  it('prints each request, page by page, and adds up the totals', async () => {
    const io = listen();
    const { client, asked } = clientOf([page(['a', 'b'], 2), page(['c'], 1)]);
    expect(await backtest(client, BODY, io)).toBe(0);
    expect(
      io.told.output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { request_id: 'a' },
      { request_id: 'b' },
      { request_id: 'c' },
      { totals: { newly_denied: 3 } },
    ]);
    expect(asked).toEqual([['backtest-signing-policies', { body: BODY }]]);
  });

  it('that the service breaks off has no totals: they would be taken for all', async () => {
    const io = listen();
    const { client } = clientOf([page(['a'], 1), failure('forbidden', 'no')]);
    expect(await backtest(client, BODY, io)).toBe(2);
    expect(io.told.output).toBe('{"request_id":"a"}\n');
    expect(io.told.note).toContain('forbidden: no');
  });
});

describe('the command', () => {
  const keys = ['--api-key-file', 'none', '--private-key-file', 'none'];

  it.each([
    ['nothing', []],
    ['no URL', ['draft.json', ...keys]],
    ['two drafts', ['a.json', 'b.json', '--url', 'http://127.0.0.1', ...keys]],
    ['an unknown option', ['a.json', '--urls', 'x', ...keys]],
  ])('given %s tells how it is used', async (_what, args) => {
    const io = listen();
    expect(await runBacktest(args, io)).toBe(1);
    expect(io.told.note).toBe(`countersign: ${BACKTEST_USAGE}\n`);
  });

  it('says what is wrong with a draft before the service hears of it', async () => {
    const io = listen();
    const file = join(folder, 'draft.json');
    writeFileSync(file, JSON.stringify({ ...BODY, to: BODY.from }));
    expect(await runBacktest([file, '--url', 'http://127.0.0.1', ...keys], io)).toBe(1);
    expect(io.told.note).toContain('to: must be later than from');
  });

  it('takes a draft from standard input, and then wants a credential', async () => {
    const io = listen();
    expect(await runBacktest(['-', '--url', 'http://127.0.0.1', ...keys], io)).toBe(1);
    expect(io.told.note).toContain('cannot read none');
  });
});
