import { describe, expect, it } from '@jest/globals';
import { alarmMessage, type AlarmStatement } from './alarm-statement.js';

const GENESIS_HASH = 'ab'.repeat(32);
const statement: AlarmStatement = {
  id: '4d3c2b1a-0f9e-4d8c-9b7a-695847362514',
  accuser: 'party_1',
  kind: 'party_misbehaved',
  party: 2,
  at: 1_767_614_400_000,
  requestId: 'b7a69584-7362-8150-8f3e-2d1c0b9a8f7e',
  reason: 'partner-share',
  count: 1,
  evidence: Buffer.from('what was sent'),
  evidenceBytes: 13,
};

describe('what a party signs of an alarm', () => {
  it('is another message for any change of any field', () => {
    const changes: Partial<AlarmStatement>[] = [
      {},
      { id: '4d3c2b1a-0f9e-4d8c-9b7a-695847362515' },
      { accuser: 'party_3' },
      { kind: 'party_floods' },
      { party: 3 },
      { party: null },
      { at: statement.at + 1 },
      { requestId: null },
      { requestId: 'b7a69584-7362-8150-8f3e-2d1c0b9a8f7f' },
      { reason: 'partner-receipt' },
      { count: 2 },
      { evidence: Buffer.from('what was not') },
      { evidence: null },
      { evidenceBytes: 14 },
    ];
    const messages = changes.map((change) =>
      alarmMessage({ ...statement, ...change }, GENESIS_HASH),
    );
    const elsewhere = alarmMessage(statement, 'cd'.repeat(32));
    const texts = [...messages, elsewhere].map((message) => message.toString('hex'));
    expect(new Set(texts).size).toBe(changes.length + 1);
  });

  it('begins with a text of its own', () => {
    const tag = 'countersign alarm v1';
    expect(
      alarmMessage(statement, GENESIS_HASH)
        .subarray(4, 4 + tag.length)
        .toString(),
    ).toBe(tag);
  });

  it('cannot be made of numbers that have no place in it', () => {
    expect(() => alarmMessage({ ...statement, at: -1 }, GENESIS_HASH)).toThrow('range');
    expect(() => alarmMessage({ ...statement, at: Number.NaN }, GENESIS_HASH)).toThrow();
  });
});
