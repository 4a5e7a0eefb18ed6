import { describe, expect, it } from '@jest/globals';
import type { Evidence } from '@countersign/core/evidence.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { createJournal } from './journal.js';
import { createLedgerWriter } from './ledger-writer.js';

const SEQ = 7;

const outcomeOf = (requestId: string, index: number) =>
  ({ seq: index + 1, requestId, refusal: undefined }) as EntryOutcome;

/** A writer whose entry becomes entry 7, over a fold that the test moves. */
function open(requestIds: readonly string[] = [], more: object = {}) {
  let head = SEQ - 1;
  let look: () => void = () => undefined;
  let endRead: (error?: Error) => void = () => undefined;
  const read = new Promise<void>((resolve, reject) => {
    endRead = (error) => (error === undefined ? resolve() : reject(error));
  });
  const follower = {
    catchUp: () => read,
    waitUntil: (holds: (state: object) => boolean) =>
      new Promise<boolean>((resolve) => {
        look = () => {
          if (holds({ ...EMPTY_STATE, seq: head })) resolve(true);
        };
      }),
    ...more,
  } as unknown as LedgerFollower;
  const evidence = {
    method: 'POST',
    path: '/v1/system/freeze',
    query: '',
    body: Buffer.alloc(0),
    scheme: 'ApiKey',
    credential: 'key',
    nonce: Buffer.alloc(16),
    timestampMs: 0,
    assertion: Buffer.alloc(64),
  } as unknown as Evidence;
  const writer = createLedgerWriter({
    store: { append: async () => [{ seq: SEQ }] } as never,
    follower,
    journal: { ...createJournal(), entries: requestIds.map(outcomeOf) },
    keys: createEvidenceKeys([Buffer.alloc(32, 1)]),
    now: () => 0,
  });
  return {
    endRead,
    append: () => writer.append(evidence),
    judged: writer.judged,
    fold(seq: number) {
      head = seq;
      look();
    },
  };
}

describe('an appended entry', () => {
  it('is there as soon as the fold holds it, whatever other reads are under way', async () => {
    const { append, fold } = open();
    const appending = append();
    await new Promise(setImmediate);
    fold(SEQ);
    expect(await appending).toBe(SEQ);
  });

  it('is waited for while the fold holds but what came before it', async () => {
    const { append, fold, endRead } = open();
    let isThere = false;
    const appending = append().finally(() => (isThere = true));
    await new Promise(setImmediate);
    fold(SEQ - 1);
    await new Promise(setImmediate);
    expect(isThere).toBe(false);
    endRead();
    expect(await appending).toBe(SEQ);
  });

  it('ends as a timeout where the ledger cannot be read', async () => {
    const { append, endRead } = open();
    const appending = append();
    endRead(new Error('no database'));
    await expect(appending).rejects.toMatchObject({ errType: 'gateway_timeout' });
  });
});

describe('the outcome of an entry', () => {
  const found = { waitUntil: async () => true };

  it('is that of the request that was appended', async () => {
    const { judged } = open(['earlier', 'ours'], found);
    expect(await judged({ seq: 2, requestId: 'ours' }, 0)).toMatchObject({ requestId: 'ours' });
  });

  it('is not that of an earlier request whose place the database names', async () => {
    const { judged } = open(['earlier', 'ours'], found);
    await expect(judged({ seq: 1, requestId: 'ours' }, 0)).rejects.toMatchObject({
      errType: 'gateway_timeout',
    });
  });
});
