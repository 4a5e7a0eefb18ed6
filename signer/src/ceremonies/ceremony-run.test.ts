import { describe, expect, it } from '@jest/globals';
import { ByteWriter } from '@countersign/core/bytes.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { PartyMessage } from '../channel/messages.js';
import { createRunSender, decodeRunStart, encodeRunStart, otherParties } from './ceremony-run.js';

const REPLICAS: readonly Replica[] = [
  startReplica(1, 'a'),
  startReplica(2, 'b'),
  startReplica(3, 'c'),
];
const bytes = (text: string) => Buffer.from(text);

describe('the sender of a run', () => {
  it('names run, key and tag, and reaches the replica that holds the run', async () => {
    const sent: [Replica, PartyMessage][] = [];
    const run = { session: 's', keyId: 'k', replicas: REPLICAS };
    const send = createRunSender(run, async (to, message) => void sent.push([to, message]));
    await send(3, 'round1', bytes('x'));
    expect(sent).toEqual([
      [
        REPLICAS[2],
        { kind: 'ceremony', session: 's', keyId: 'k', tag: 'round1', payload: bytes('x') },
      ],
    ]);
    const alone = createRunSender({ ...run, replicas: [] }, async () => undefined);
    expect(() => alone(2, 'round1', bytes('x'))).toThrow('no replica of party 2');
  });

  it('has two parties to reach', () => {
    expect(([1, 2, 3] as const).map(otherParties)).toEqual([
      [2, 3],
      [1, 3],
      [1, 2],
    ]);
  });
});

describe('what a caller tells of a run', () => {
  it.each(['', 'a key made ahead'])('survives the way: stock %j', (stockId) => {
    const start = { replicas: REPLICAS, stockId, refresh: 7 };
    expect(decodeRunStart(encodeRunStart(start))).toEqual(start);
  });

  it('is refused unless it names one replica of each party, in order, and nothing more', () => {
    const [one, two, three] = REPLICAS;
    const bad = [[one!, two!], [two!, one!, three!], [one!, one!, three!], [...REPLICAS, one!], []];
    for (const replicas of bad) {
      expect(() => decodeRunStart(encodeRunStart({ replicas, stockId: '', refresh: 0 }))).toThrow(
        RangeError,
      );
    }
  });

  it('is refused when cut at any byte or followed by one', () => {
    const encoded = encodeRunStart({ replicas: REPLICAS, stockId: 's', refresh: 1 });
    for (let length = 0; length < encoded.length; length++) {
      expect(() => decodeRunStart(encoded.subarray(0, length))).toThrow(RangeError);
    }
    const trailed = new ByteWriter().fixed(encoded).u8(0).bytes();
    expect(() => decodeRunStart(trailed)).toThrow('trailing');
  });
});
