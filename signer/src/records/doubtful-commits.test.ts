import { describe, expect, it } from '@jest/globals';
import {
  createRecordChain,
  EMPTY_CHAIN,
  type ChainLink,
  type ChainPlace,
} from '@countersign/runtime/records/record-chain.js';
import { createDoubtfulCommits, NotSentError, StrangeHeadError } from './doubtful-commits.js';

type Fate = 'stands' | 'stands, unanswered' | 'comes later' | 'is lost' | 'is not sent';

/** A database that has one chain, and does with each commit what the test says. */
function setUp() {
  let stored: ChainPlace = EMPTY_CHAIN;
  let hidden: ChainLink | undefined;
  const strange: string[] = [];
  const chain = createRecordChain('chain');
  const duplicate = new Error('duplicate key');
  const doubts = createDoubtfulCommits(
    chain,
    async () => stored,
    (reason) => strange.push(reason),
  );

  const send = (fate: Fate) => async (links: readonly ChainLink[]) => {
    if (fate === 'is not sent') throw new NotSentError('too late');
    if (fate === 'is lost') throw new Error('timeout');
    if (fate === 'comes later') {
      hidden = links.at(-1)!;
      throw new Error('timeout');
    }
    if (hidden !== undefined) [stored, hidden] = [hidden, undefined];
    if (links[0]!.seq <= stored.seq) return duplicate;
    stored = links.at(-1)!;
    if (fate === 'stands, unanswered') throw new Error('connection terminated');
    return undefined;
  };
  const write = (text: string, fate: Fate) => doubts.write([[text]], send(fate));
  return { chain, strange, write, stored: () => stored, show: (at: ChainPlace) => (stored = at) };
}

describe('after a commit in doubt the chain goes on', () => {
  it('behind the row, where it stands', async () => {
    const { write, chain, stored } = setUp();
    await write('first', 'stands');
    await expect(write('second', 'stands, unanswered')).rejects.toThrow('terminated');
    await expect(write('third', 'stands')).resolves.toBeUndefined();
    expect(chain.head.seq).toBe(3);
    expect(stored().hash).toEqual(chain.head.hash);
  });

  it('in its place, where it was lost, however often', async () => {
    const { write, stored } = setUp();
    for (let time = 0; time < 3; time += 1) {
      await expect(write(`lost ${time}`, 'is lost')).rejects.toThrow('timeout');
    }
    await expect(write('second', 'stands')).resolves.toBeUndefined();
    expect(stored().seq).toBe(1);
  });

  it('behind the row, where it comes to stand only while the next one is written', async () => {
    const { write, stored } = setUp();
    await expect(write('first', 'comes later')).rejects.toThrow('timeout');
    await expect(write('second', 'stands')).resolves.toBeUndefined();
    await expect(write('third', 'stands')).resolves.toBeUndefined();
    expect(stored().seq).toBe(3);
  });

  it('and a row that was not sent is in no doubt', async () => {
    const { write, chain, show } = setUp();
    await expect(write('first', 'is not sent')).rejects.toThrow('too late');
    show({ seq: 1, hash: Buffer.alloc(32, 1) });
    await expect(write('first', 'stands')).resolves.toMatchObject({ message: 'duplicate key' });
    expect(chain.head.seq).toBe(0);
  });
});

describe('a database that shows another row', () => {
  it.each([
    ['than was in doubt', 1],
    ['further on', 9],
  ])('%s is not believed: an alarm, and nothing is written', async (_, seq) => {
    const { write, strange, show, stored } = setUp();
    await expect(write('first', 'is lost')).rejects.toThrow('timeout');
    const planted = { seq, hash: Buffer.alloc(32, 7) };
    show(planted);
    await expect(write('second', 'stands')).rejects.toThrow(StrangeHeadError);
    expect(strange).toHaveLength(1);
    expect(stored()).toBe(planted);
  });

  it('is one that lost rows, too', async () => {
    const { write, strange, show } = setUp();
    await write('first', 'stands');
    await expect(write('second', 'is lost')).rejects.toThrow('timeout');
    show(EMPTY_CHAIN);
    await expect(write('third', 'stands')).rejects.toThrow(StrangeHeadError);
    expect(strange).toHaveLength(1);
  });
});
