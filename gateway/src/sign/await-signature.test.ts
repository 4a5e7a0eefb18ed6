import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { openStages } from '@countersign/runtime/tracing/stage-clock.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import type { SignedExchange } from '../admission/exchange.js';
import type { AskedRequest } from '../requests/asked-request.js';
import { createBodyMemory } from '../http/body-memory.js';
import { bodyReader } from '../http/read-body.js';
import { awaitSignature, type AwaitDeps, type Signing } from './await-signature.js';

const KEY = { id: 'key', frozen: null, walletId: null };
const CALLER = { id: 'bot', frozen: null };
const SIGNED = { outcome: 'signed', submission: 'one', receipt: { keyId: KEY.id } };
const DENIED = { outcome: 'denied', submission: 'one', errType: 'forbidden', reason: 'no rule' };

/** A request that the parties bring to this outcome, while the newest state is this one. */
function answered(outcome: object, optimistic: object = {}) {
  const base = {
    keys: { rows: new Map([[KEY.id, KEY]]) },
    wallets: { rows: new Map() },
    users: { rows: new Map([[CALLER.id, CALLER]]) },
  };
  const view = {
    state: EMPTY_STATE,
    optimistic: { ...EMPTY_STATE, ...base, ...optimistic } as unknown as VaultState,
  };
  const ended: unknown[] = [];
  const logged: unknown[] = [];
  const deps = {
    follower: { view, state: view.state },
    dispatcher: { submit: async () => outcome as RecordedOutcome },
    signingLog: { note: (told: unknown) => void logged.push(told) },
    tally: { end: (...told: unknown[]) => void ended.push(told) },
    now: () => 0,
  } as unknown as AwaitDeps;
  const asked = { caller: CALLER, request: { headers: {} }, requestId: 'r', arrivedAt: 0 };
  const exchange = { ...asked, stages: openStages() };
  const signing = {
    ready: { claim: undefined, couldWait: false },
    asked: { operation: { id: 'raw-sign' } } as AskedRequest,
    item: { submission: 'one' },
  };
  return awaitSignature(
    deps,
    exchange as unknown as SignedExchange,
    signing as unknown as Signing,
  ).then((answer) => ({ answer, ended, logged }));
}

const frozen = { frozen: { reason: 'lost', at: 1 } };

it.each([
  ['the caller', { users: { rows: new Map([[CALLER.id, { ...CALLER, ...frozen }]]) } }],
  ['the key', { keys: { rows: new Map([[KEY.id, { ...KEY, ...frozen }]]) } }],
])('a signature is kept back where %s was frozen meanwhile', async (_whom, optimistic) => {
  const { answer, logged } = await answered(SIGNED, optimistic);
  expect(logged).toMatchObject([{ requestId: 'r', outcome: 'withheld', since: 0 }]);
  expect(answer).toMatchObject({
    refused: 'forbidden',
    message: expect.stringContaining('frozen'),
  });
});

it('a denial is told in the words of the parties, and counted by its answer', async () => {
  const { answer, ended } = await answered(DENIED);
  expect(answer).toEqual({ refused: 'forbidden', message: 'no rule' });
  expect(ended).toEqual([]);
});

it('what the parties had decided before is no answer to this submission', async () => {
  const { answer } = await answered({ ...SIGNED, submission: 'another' });
  expect(answer).toEqual({ refused: 'unauthorized', message: 'the request was used before' });
});

it('a body is counted until the parties are done with it, though its caller was answered', async () => {
  const bodies = createBodyMemory();
  const request = Object.assign(Readable.from([Buffer.alloc(100)]), {
    headers: { 'content-length': '100', prefer: 'wait=0' },
  });
  const response = new EventEmitter();
  const read = bodyReader({ bodies, source: '' }, request as never, response as never);
  await read({ id: CALLER.id, isProven: true });
  let end = (_outcome: undefined): void => undefined;
  const outcome = new Promise((resolve) => (end = resolve));
  const deps = {
    dispatcher: { submit: () => outcome },
    signingRequests: { accept: async () => true },
    tally: { end: () => undefined },
    now: () => 0,
  };
  const exchange = { request, response, caller: CALLER, requestId: 'r', arrivedAt: 0 };
  const answer = await awaitSignature(
    deps as unknown as AwaitDeps,
    { ...exchange, stages: openStages() } as unknown as SignedExchange,
    { ready: {}, asked: { operation: { id: 'raw-sign' } }, item: {} } as unknown as Signing,
  );
  expect(answer).toMatchObject({ status: 202 });
  response.emit('close');
  expect(bodies.heldBytes).toBe(100);
  end(undefined);
  await new Promise(setImmediate);
  expect(bodies.heldBytes).toBe(0);
});
