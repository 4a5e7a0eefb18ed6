import { describe, expect, it } from '@jest/globals';
import { alarmMessage, type AlarmWord } from './alarm-word.js';

const GENESIS_HASH = 'ab'.repeat(32);
const word: AlarmWord = {
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
    const changes: Partial<AlarmWord>[] = [
      {},
      { id: '4d3c2b1a-0f9e-4d8c-9b7a-695847362515' },
      { accuser: 'party_3' },
      { kind: 'party_floods' },
      { party: 3 },
      { party: null },
      { at: word.at + 1 },
      { requestId: null },
      { requestId: 'b7a69584-7362-8150-8f3e-2d1c0b9a8f7f' },
      { reason: 'partner-receipt' },
      { count: 2 },
      { evidence: Buffer.from('what was not') },
      { evidence: null },
      { evidenceBytes: 14 },
    ];
    const messages = changes.map((change) => alarmMessage({ ...word, ...change }, GENESIS_HASH));
    const elsewhere = alarmMessage(word, 'cd'.repeat(32));
    const texts = [...messages, elsewhere].map((message) => message.toString('hex'));
    expect(new Set(texts).size).toBe(changes.length + 1);
  });

  it('begins with a text of its own', () => {
    const tag = 'countersign alarm v1';
    expect(
      alarmMessage(word, GENESIS_HASH)
        .subarray(4, 4 + tag.length)
        .toString(),
    ).toBe(tag);
  });

  it('cannot be made of numbers that have no place in it', () => {
    expect(() => alarmMessage({ ...word, at: -1 }, GENESIS_HASH)).toThrow('range');
    expect(() => alarmMessage({ ...word, at: Number.NaN }, GENESIS_HASH)).toThrow();
  });
});
