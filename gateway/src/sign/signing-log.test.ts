import { expect, it } from '@jest/globals';
import { refuse } from '@countersign/core/errors.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { AskedRequest } from '../requests/asked-request.js';
import type { Dispatcher } from './dispatcher.js';
import { createSigningLog, endOf, type EndedSigning } from './signing-log.js';

const OPERATION = {
  findTarget: (_state: unknown, { key_id: id }: Readonly<Record<string, string>>) =>
    id === 'known' ? { key: { id } } : refuse('resource_not_found', 'no such key'),
} as unknown as EndedSigning['operation'];

function openLog(level = 'info') {
  const lines: object[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as object);
  const logger = createLogger('gateway', level, { write });
  return {
    log: createSigningLog({ logger, state: () => EMPTY_STATE, now: () => 1_250 }),
    lines,
  };
}

const LINE = { level: 'info', time: expect.any(String), name: 'gateway', event: 'signing_ended' };

async function submitted(outcome: object | undefined, params = { key_id: 'known' }) {
  const { log, lines } = openLog();
  const dispatcher = { submit: async () => outcome as RecordedOutcome | undefined };
  const asked = { requestId: 'r', operation: OPERATION, input: { params, query: {}, body: {} } };
  await log
    .over(dispatcher as unknown as Dispatcher)
    .submit({ receivedAt: 1_000 } as SignItem, asked as unknown as AskedRequest);
  return lines;
}

it.each([
  [
    'signed',
    { outcome: 'signed', signature: 'SECRET', receipt: { parties: [2, 3], keyId: 'known' } },
    { outcome: 'signed', parties: '2,3' },
  ],
  [
    'denied',
    { outcome: 'denied', reason: 'SECRET', parties: [1, 3] },
    { outcome: 'denied', parties: '1,3' },
  ],
  ['not signed in time', undefined, { outcome: 'failed' }],
])('one that was %s leaves a line, and its content does not', async (_how, outcome, said) => {
  expect(await submitted(outcome)).toEqual([
    { ...LINE, request_id: 'r', key_id: 'known', duration_ms: 250, ...said },
  ]);
});

it('names no key that is not the vault’s, whatever a path says', async () => {
  const [line] = await submitted(undefined, { key_id: 'sk-SECRET' });
  expect(line).toEqual({ ...LINE, request_id: 'r', outcome: 'failed', duration_ms: 250 });
});

it('does nothing below the level that is asked for', () => {
  const { log, lines } = openLog('warn');
  const params = { key_id: 'known' };
  log.note({ requestId: 'r', outcome: 'held', operation: OPERATION, params, since: 0 });
  expect(lines).toEqual([]);
});

it('a refusal of this gateway is a no, or a failure', () => {
  expect(endOf(refuse('unauthorized', 'no'))).toBe('denied');
  expect(endOf(refuse('gateway_timeout', 'late'))).toBe('failed');
});
