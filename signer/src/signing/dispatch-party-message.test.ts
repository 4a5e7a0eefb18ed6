import { describe, expect, it } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { encodeMessage, type LentCommitment, type PartyMessage } from '../channel/messages.js';
import { dispatchPartyMessage, type PartyMessageReceivers } from './dispatch-party-message.js';

const SELF = startReplica(1, 'a');
const FROM = startReplica(2, 'a');
const SIBLING = startReplica(1, 'b');
const LENT: LentCommitment = { slot: 3, serial: 4, commitment: Buffer.alloc(64, 5) };

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Receivers that note what reached them, in order. */
function openReceivers(change: Partial<PartyMessageReceivers> = {}) {
  const heard: unknown[][] = [];
  const receivers: PartyMessageReceivers = {
    self: SELF,
    quotas: { admit: () => true },
    alarms: { raise: (alarm) => void heard.push(['alarm', alarm.kind, alarm.party]) },
    lender: {
      async lend(borrower, count) {
        heard.push(['lend', borrower, count]);
        return [LENT];
      },
    },
    borrowed: { receive: (...given) => void heard.push(['borrowed', ...given]) },
    given: { finish: (...given) => void heard.push(['given', ...given]) },
    vouching: { receive: (...given) => void heard.push(['vouching', ...given]) },
    inbox: { addContribution: (...given) => void heard.push(['inbox', ...given]) },
    ceremonies: { receive: (...given) => void heard.push(['ceremonies', ...given]) },
    logger: { warn: (fields: object) => void heard.push(['warn', fields]) } as unknown as Logger,
    send: async (to: Replica, message: PartyMessage) => void heard.push(['send', to, message]),
    ...change,
  };
  const dispatch = (message: PartyMessage, from = FROM) =>
    dispatchPartyMessage(receivers, from, encodeMessage(message));
  return { receivers, heard, dispatch };
}

describe('a message of another party', () => {
  it('that needs commitments is answered with some, to whoever asked', async () => {
    const { heard, dispatch } = openReceivers();
    dispatch({ kind: 'need-commitments', token: 7, count: 12 });
    await turn();
    expect(heard).toEqual([
      ['lend', FROM, 12],
      ['send', FROM, { kind: 'commitments', token: 7, commitments: [LENT] }],
    ]);
  });

  it.each(['lender', 'send'] as const)(
    'that needs commitments leaves a line in the log when there is no %s',
    async (missing) => {
      const fails = () => Promise.reject(new Error('no thread'));
      const change = missing === 'lender' ? { lender: { lend: fails } } : { send: fails };
      const { heard, dispatch } = openReceivers(change);
      dispatch({ kind: 'need-commitments', token: 7, count: 12 });
      await turn();
      expect(heard.at(-1)).toEqual(['warn', { event: 'lend_failed', reason: 'Error: no thread' }]);
    },
  );

  it('with commitments goes to those that were borrowed from its sender', () => {
    const { heard, dispatch } = openReceivers();
    dispatch({ kind: 'commitments', token: 7, commitments: [LENT] });
    expect(heard).toEqual([['borrowed', FROM, 7, [LENT]]]);
  });

  it('with a contribution goes to the batches that this replica leads', () => {
    const { heard, dispatch } = openReceivers();
    const parts = [{ kind: 'retry', reason: 'no share' }] as const;
    const given = { givenAt: 5, treeSignature: Buffer.alloc(64, 1), parts };
    dispatch({ kind: 'contribution', batchId: '0b'.repeat(16), ...given });
    expect(heard).toEqual([
      ['inbox', FROM, '0b'.repeat(16), expect.objectContaining(given), expect.any(Number)],
    ]);
  });

  it('that says that a batch is over goes to what was contributed to it', () => {
    const { heard, dispatch } = openReceivers();
    dispatch({ kind: 'finished', batchId: '0b'.repeat(16) });
    expect(heard).toEqual([['given', FROM, '0b'.repeat(16)]]);
  });

  it('of a ceremony goes to the ceremonies', () => {
    const { heard, dispatch } = openReceivers();
    const payload = Buffer.from('x');
    const message = { kind: 'ceremony', session: 's', keyId: 'k', tag: 't', payload } as const;
    dispatch(message);
    expect(heard).toEqual([['ceremonies', FROM, message]]);
  });

  it.each([[[9]], [[]], [[3, 1]]])(
    'that is malformed (%j) reaches nobody, and names its sender',
    (bytes) => {
      const { receivers, heard } = openReceivers();
      dispatchPartyMessage(receivers, FROM, Buffer.from(bytes));
      expect(heard).toEqual([['alarm', 'party_misbehaved', 2]]);
    },
  );

  it('that needs commitments where none are lent gets no answer', async () => {
    const { heard, dispatch } = openReceivers({ lender: { lend: async () => [] } });
    dispatch({ kind: 'need-commitments', token: 7, count: 12 });
    await turn();
    expect(heard).toEqual([]);
  });

  it('that is more than its party may send is dropped unread', () => {
    const asked: unknown[][] = [];
    const admit = (...given: unknown[]) => {
      asked.push(given);
      return false;
    };
    const { receivers, heard } = openReceivers({ quotas: { admit } });
    dispatchPartyMessage(receivers, FROM, Buffer.from([3, 9, 9, 9]));
    expect(asked).toEqual([[2, 'contribution', 4]]);
    expect(heard).toEqual([]);
  });
});

describe('messages of the own party and of others', () => {
  const vouching: PartyMessage[] = [
    { kind: 'vouch-request', token: 7, clearedSeq: 12 },
    { kind: 'vouch', token: 7, seq: 12, hash: Buffer.alloc(32, 1) },
  ];
  const signing: PartyMessage[] = [
    { kind: 'need-commitments', token: 7, count: 12 },
    { kind: 'commitments', token: 7, commitments: [LENT] },
    {
      kind: 'contribution',
      batchId: '0b'.repeat(16),
      givenAt: 5,
      treeSignature: Buffer.alloc(0),
      parts: [],
    },
    { kind: 'finished', batchId: '0b'.repeat(16) },
    { kind: 'ceremony', session: 's', keyId: 'k', tag: 't', payload: Buffer.from('x') },
  ];

  it.each(vouching)('%j of the own party goes to those who vouch', (message) => {
    const { heard, dispatch } = openReceivers();
    dispatch(message, SIBLING);
    expect(heard).toEqual([['vouching', SIBLING, message]]);
  });

  it.each(vouching)('%j of another party reaches nobody', (message) => {
    const { heard, dispatch } = openReceivers();
    dispatch(message, FROM);
    expect(heard).toEqual([['alarm', 'party_misbehaved', 2]]);
  });

  it.each(signing)('$kind of the own party reaches nobody', async (message) => {
    const { heard, dispatch } = openReceivers();
    dispatch(message, SIBLING);
    await turn();
    expect(heard).toEqual([['alarm', 'party_misbehaved', 1]]);
  });
});
