import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import { SPOKEN } from '@countersign/runtime/jobs/protocol.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import {
  Carrier,
  exchangeSecrets,
  openChannelNode,
  textsOf,
  type ChannelNode,
} from '../../../test/support/channel-nodes.ts';
import type { RecordedFrame } from '../../../test/support/channel-attacker.ts';
import { MAX_FRAME_BYTES } from './frame.js';
import { x25519Key } from './x25519.js';

let carrier: Carrier;
let one: ChannelNode;
let two: ChannelNode;
const node = (party: PartyNumber, changes = {}) => openChannelNode(carrier, party, changes);

beforeEach(() => {
  jest.useFakeTimers();
  carrier = new Carrier();
  one = node(1);
  two = node(2);
});
afterEach(() => {
  carrier.close();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

const say = (from: ChannelNode, to: ChannelNode, text = 'hello') =>
  from.channel.send(to.self, () => Buffer.from(text));

/** Says it and has it arrive. */
async function tell(from: ChannelNode, to: ChannelNode, text = 'hello'): Promise<void> {
  await say(from, to, text);
  await carrier.deliver();
}

/** The frame of a message between two that have agreed. */
async function frameOf(from: ChannelNode, to: ChannelNode, text = 'hello'): Promise<Buffer> {
  from.channel.prepare(to.self);
  await carrier.deliver();
  await say(from, to, text);
  return carrier.take().at(-1)!.bytes;
}

function pass(ms: number): void {
  carrier.now += ms;
  jest.advanceTimersByTime(ms);
}

describe('a message between two parties', () => {
  it('arrives with its sender authenticated, in both directions', async () => {
    await tell(one, two, 'there');
    await tell(two, one, 'and back');
    expect(two.received).toEqual([{ from: one.self, text: 'there', version: SPOKEN.newest }]);
    expect(one.received).toEqual([{ from: two.self, text: 'and back', version: SPOKEN.newest }]);
  });

  it('is not readable on its way', async () => {
    const secret = 'a share of a nonce';
    await tell(one, two, secret);
    expect(textsOf(two)).toEqual([secret]);
    for (const { bytes } of carrier.recorded) expect(bytes.includes(secret)).toBe(false);
  });

  it('may be empty, and may overtake lost ones', async () => {
    await tell(one, two, '');
    await say(one, two, 'lost');
    carrier.take();
    await tell(one, two, 'third');
    expect(textsOf(two)).toEqual(['', 'third']);
  });

  it('waits for a key in order with others, and for none where the two agreed ahead', async () => {
    for (const text of ['a', 'b', 'c']) await say(one, two, text);
    expect(carrier.recorded).toHaveLength(1);
    await carrier.deliver();
    expect(textsOf(two)).toEqual(['a', 'b', 'c']);
    two.channel.prepare(one.self);
    await carrier.deliver();
    const before = carrier.recorded.length;
    await say(two, one, 'at once');
    expect(carrier.recorded).toHaveLength(before + 1);
    await carrier.deliver();
    expect(textsOf(one)).toEqual(['at once']);
  });

  it('arrives where both begin at the same moment', async () => {
    await Promise.all([say(one, two, 'from one'), say(two, one, 'from two')]);
    await carrier.deliver();
    expect([textsOf(two), textsOf(one)]).toEqual([['from one'], ['from two']]);
  });
});

describe('a handshake over a carrier that loses', () => {
  it('arrives when the question, the answer, or both were lost', async () => {
    for (const lost of ['question', 'answer']) {
      const listener = node(2, { name: lost });
      await say(one, listener, lost);
      const [question] = carrier.take();
      if (lost === 'answer') listener.channel.receive(question!.bytes);
      expect(carrier.take()).toHaveLength(lost === 'answer' ? 1 : 0);
      pass(100);
      await carrier.deliver();
      expect(textsOf(listener)).toEqual([lost]);
    }
  });

  it('takes the answer to what it asked twice once, and complains of neither', async () => {
    await say(one, two);
    const [question] = carrier.take();
    two.channel.receive(question!.bytes);
    const [first] = carrier.take();
    pass(100);
    const [again] = carrier.take();
    expect(again!.bytes.equals(question!.bytes)).toBe(true);
    two.channel.receive(again!.bytes);
    const [second] = carrier.take();
    one.channel.receive(first!.bytes);
    one.channel.receive(second!.bytes);
    await carrier.deliver();
    expect(textsOf(two)).toEqual(['hello']);
    expect(one.logged).toEqual([]);
  });

  it('asks the same again, ever less often, and gives up what waits in the end', async () => {
    await say(one, two);
    const asked: RecordedFrame[] = [];
    const times: number[] = [];
    for (let ms = 0; ms <= 20_000; ms += 50) {
      const frames = carrier.take();
      asked.push(...frames);
      if (frames.length > 0) times.push(ms);
      pass(50);
    }
    expect(times).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500, 4_500]);
    expect(new Set(asked.map(({ bytes }) => bytes.toString('hex'))).size).toBe(1);
    expect(one.logged.at(-1)!.reason).toContain('party 2 does not answer: 1 messages dropped');
    await tell(one, two, 'later');
    expect(textsOf(two)).toEqual(['later']);
  });

  it('has so many messages and bytes wait for one party, and for each other one as many', async () => {
    for (let count = 0; count < 1_024; count++) await say(one, two);
    await expect(say(one, two)).rejects.toThrow('too much waits for party 2');
    const sibling = node(2, { name: 'b' });
    await expect(say(one, sibling)).rejects.toThrow('too much waits');
    const three = node(3);
    const big = Buffer.alloc(1_000_000);
    for (let count = 0; count < 8; count++) await one.channel.send(three.self, () => big);
    await expect(one.channel.send(three.self, () => big)).rejects.toThrow(
      'too much waits for party 3',
    );
    await carrier.deliver();
    expect(two.received).toHaveLength(1_024);
    expect(three.received).toHaveLength(8);
    await tell(one, three, 'room again');
    expect(textsOf(three).at(-1)).toBe('room again');
  });

  it('renews keys in use, and goes on with the old one until it is answered', async () => {
    const captured = await frameOf(one, two, 'before');
    two.channel.receive(captured);
    pass(120_000);
    await say(one, two, 'meanwhile');
    const frames = carrier.take();
    expect(frames).toHaveLength(2);
    for (const { bytes } of frames) two.channel.receive(bytes);
    await carrier.deliver();
    await tell(one, two, 'after');
    two.channel.receive(captured);
    for (const { bytes } of frames) two.channel.receive(bytes);
    expect(textsOf(two)).toEqual(['before', 'meanwhile', 'after']);
  });
});

describe('what Redis can do with frames', () => {
  /** Question, answer and message, each with whom it is for. */
  async function exchange(): Promise<{ to: ChannelNode; bytes: Buffer }[]> {
    await tell(one, two);
    return carrier.recorded.map(({ channel, bytes }) => ({
      to: channel === partyChannel(one.self) ? one : two,
      bytes,
    }));
  }

  it('changes nothing with any one byte changed, cut or added', async () => {
    await say(one, two);
    for (const step of ['question', 'answer', 'message']) {
      const [frame] = carrier.take();
      const to = step === 'answer' ? one : two;
      const { bytes } = frame!;
      for (let at = 0; at < bytes.length; at++) {
        for (const mask of [0x01, 0x80, 0xff]) {
          const altered = Buffer.from(bytes);
          altered[at]! ^= mask;
          to.channel.receive(altered);
        }
        to.channel.receive(bytes.subarray(0, at));
      }
      to.channel.receive(Buffer.concat([bytes, Buffer.alloc(1)]));
      expect(carrier.take()).toEqual([]);
      expect(two.received).toEqual([]);
      to.channel.receive(bytes);
    }
    expect(textsOf(two)).toEqual(['hello']);
  });

  it('has a message taken once, and none that comes after a later one', async () => {
    const first = await frameOf(one, two, 'first');
    const second = await frameOf(one, two, 'second');
    for (const message of [second, first, second, first]) two.channel.receive(message);
    expect(textsOf(two)).toEqual(['second']);
  });

  it('cannot bring an agreement back, nor end one, by saying all of it again', async () => {
    const frames = await exchange();
    pass(121_000);
    await tell(one, two, 'under a new key');
    for (let round = 0; round < 3; round++) {
      for (const { to, bytes } of frames) to.channel.receive(bytes);
      pass(1_000);
      await carrier.deliver();
    }
    await tell(one, two, 'still heard');
    expect(textsOf(two)).toEqual(['hello', 'under a new key', 'still heard']);
    expect(one.received).toEqual([]);
  });

  it('cannot give a message to another party, another replica, or back to its sender', async () => {
    const strangers = [node(3), node(2, { name: 'b' }), one];
    for (const { bytes } of await exchange()) {
      for (const { channel } of strangers) channel.receive(bytes);
    }
    await carrier.deliver();
    expect(strangers.flatMap(({ received }) => received)).toEqual([]);
  });
});

describe('a message between two replicas of one party', () => {
  it('arrives with its sender authenticated, and reaches no other one', async () => {
    const [primary, replica, third] = [one, node(1, { name: 'b' }), node(1, { name: 'c' })];
    await tell(replica, primary, 'vouch');
    for (const { bytes } of carrier.recorded) {
      for (const { channel } of [replica, third, two]) channel.receive(bytes);
    }
    expect(primary.received).toEqual([
      { from: replica.self, text: 'vouch', version: SPOKEN.newest },
    ]);
    expect([replica, third, two].flatMap(({ received }) => received)).toEqual([]);
  });

  it('is dropped when another party made it', async () => {
    await tell(node(1, { name: 'b', secret: exchangeSecrets.get(2) }), one);
    expect(one.received).toEqual([]);
  });

  it('is never one that a process says to itself', async () => {
    await expect(say(one, one)).rejects.toThrow('to this process itself');
    one.channel.prepare(one.self);
    expect(carrier.recorded).toEqual([]);
  });
});

describe('the version of the protocol', () => {
  const sayInVersion = (from: ChannelNode, to: ChannelNode) =>
    from.channel.send(to.self, (version) => Buffer.from(`in version ${version}`));
  const speaking = (party: PartyNumber, oldest: number, newest: number) =>
    node(party, { name: `v${oldest}-${newest}`, spoken: { oldest, newest } });

  it.each<[[number, number], [number, number], number]>([
    [[1, 1], [1, 1], 1],
    [[1, 1], [1, 2], 1],
    [[1, 2], [1, 2], 2],
    [[1, 2], [2, 3], 2],
    [[2, 200], [1, 255], 200],
  ])('is the newest that both speak: %j and %j speak %d', async (own, theirs, version) => {
    const [a, b] = [speaking(1, ...own), speaking(2, ...theirs)];
    await sayInVersion(a, b); // waits for the agreement
    await carrier.deliver();
    await sayInVersion(a, b);
    await sayInVersion(b, a);
    await carrier.deliver();
    const text = `in version ${version}`;
    expect(b.received).toEqual([1, 2].map(() => ({ from: a.self, text, version })));
    expect(a.received).toEqual([{ from: b.self, text, version }]);
    expect([...a.logged, ...b.logged]).toEqual([]);
  });

  it('that is not there has both say so in a line, accuses nobody and sends nothing', async () => {
    const [a, b] = [speaking(1, 1, 2), speaking(2, 3, 4)];
    for (let count = 0; count < 3; count++) await tell(a, b);
    expect([a.received, b.received, a.alarms, b.alarms]).toEqual([[], [], [], []]);
    expect(a.logged[0]!.reason).toBe(
      'a process of party 2 speaks versions 3-4 of the protocol, and this one 1-2: their releases are more than one apart',
    );
    expect(b.logged[0]!.reason).toContain('party 1 speaks versions 1-2');
    expect(carrier.recorded.every(({ bytes }) => bytes[0] !== 3)).toBe(true);
    // a process of a release that it knows takes its place
    const next = speaking(2, 2, 3);
    await sayInVersion(a, next);
    await carrier.deliver();
    expect(textsOf(next)).toEqual(['in version 2']);
  });

  it('that no process can offer is none', async () => {
    for (const [oldest, newest] of [
      [0, 1],
      [2, 1],
      [0, 0],
    ] as const) {
      await tell(speaking(1, oldest, newest), two);
    }
    expect(two.received).toEqual([]);
    expect(two.logged[0]!.reason).toContain('no versions');
  });
});

describe('who may speak', () => {
  it('is nobody without the private key that the genesis names', async () => {
    await tell(node(1, { secret: randomBytes(32) }), two);
    await tell(node(3, { secret: exchangeSecrets.get(1) }), two);
    expect(two.received).toEqual([]);
  });

  it('is nobody of another vault', async () => {
    await tell(node(1, { genesisHash: 'cd'.repeat(32) }), two);
    expect(two.received).toEqual([]);
  });

  it('is also a process that restarted; what was said to the one before it opens for none', async () => {
    await tell(one, two, 'before');
    const captured = [...carrier.recorded];
    const restarted = node(2);
    for (const { bytes } of captured) restarted.channel.receive(bytes);
    expect(carrier.take()).toEqual([]);
    expect(restarted.received).toEqual([]);
    await tell(one, restarted, 'to this one');
    await tell(node(1), restarted, 'from a new one');
    expect(textsOf(restarted)).toEqual(['to this one', 'from a new one']);
  });

  it('is nobody that the genesis does not name', async () => {
    const nobody = startReplica(4 as PartyNumber, 'a');
    await expect(one.channel.send(nobody, () => Buffer.from('x'))).rejects.toThrow(
      'no exchange key',
    );
  });
});

describe('a flood', () => {
  /** The head of a frame with the sender's boot id changed. */
  function asAnother(bytes: Buffer, sender: Replica, boot: number): Buffer {
    const forged = Buffer.from(bytes);
    forged.writeUInt32LE(boot, 1 + 1 + 4 + sender.name.length);
    return forged;
  }

  it('of forged frames costs no computation on the curve, and pushes nobody out', async () => {
    const captured = await frameOf(one, two);
    two.channel.receive(captured);
    const [question] = carrier.recorded;
    const before = two.exchanges;
    for (let boot = 0; boot < 5_000; boot++) {
      two.channel.receive(asAnother(question!.bytes, one.self, boot));
      two.channel.receive(asAnother(captured, one.self, boot));
    }
    expect(two.exchanges).toBe(before);
    expect(carrier.take()).toEqual([]);
    two.channel.receive(captured);
    expect(two.received).toHaveLength(1);
    await tell(one, two, 'still heard');
    expect(textsOf(two)).toEqual(['hello', 'still heard']);
    expect(two.alarms).toEqual([]);
  });

  async function tellAsFake(count: number): Promise<void> {
    const fake = node(3, { name: `fake-${count}` });
    await tell(fake, two, 'I am many');
    fake.channel.stop();
  }

  it("of one party's own replicas, slow enough to be answered, pushes out no other party's", async () => {
    const captured = await frameOf(one, two);
    two.channel.receive(captured);
    for (let count = 0; count < 300; count++) {
      await tellAsFake(count);
      pass(50);
    }
    expect(textsOf(two)).toHaveLength(301);
    two.channel.receive(captured);
    await tell(one, two, 'still heard');
    expect(textsOf(two).filter((text) => text !== 'I am many')).toEqual(['hello', 'still heard']);
    expect(two.alarms).toEqual([]);
  });

  it("of one party's own replicas at once is bounded, hurts no other party, and is named once", async () => {
    const captured = await frameOf(one, two);
    two.channel.receive(captured);
    const before = two.exchanges;
    for (let count = 0; count < 300; count++) await tellAsFake(count);
    two.channel.receive(captured);
    await tell(one, two, 'still heard');
    expect(textsOf(two).filter((text) => text !== 'I am many')).toEqual(['hello', 'still heard']);
    // an answer takes two computations with the lasting key: es and ss
    expect(two.exchanges - before).toBeLessThanOrEqual(2 * 128);
    const flood = { kind: 'party_floods', party: 3, reason: expect.stringContaining('requests') };
    expect(two.alarms[0]).toEqual(flood);
    expect(new Set(two.alarms.map(({ party }) => party))).toEqual(new Set([3]));
    pass(60_000);
    await tell(node(3, { name: 'honest-again' }), two, 'one of few');
    expect(textsOf(two).at(-1)).toBe('one of few');
  });

  it('of questions that come again is answered now and then, and computed once', async () => {
    await say(one, two);
    const [question] = carrier.take();
    two.channel.receive(question!.bytes);
    const [answers, computed] = [carrier.take().length, two.exchanges];
    for (let count = 0; count < 1_000; count++) two.channel.receive(question!.bytes);
    expect([answers, carrier.take().length, two.exchanges - computed]).toEqual([1, 0, 0]);
    pass(50);
    carrier.take();
    two.channel.receive(question!.bytes);
    expect(carrier.take()).toHaveLength(1);
  });

  it('of malformed bytes is told in a line now and then, with a count, and accuses nobody', () => {
    for (let count = 0; count < 16_050; count++) one.channel.receive(randomBytes(count % 300));
    pass(10_000);
    one.channel.receive(Buffer.alloc(3));
    expect(one.logged.map(({ count }) => count)).toEqual([1, 16_050]);
    expect(one.alarms).toEqual([]);
  });

  it('of malformed messages of a party accuses it', async () => {
    const picky = node(3);
    picky.channel.onMessage(() => {
      throw new RangeError('unknown message');
    });
    for (let count = 0; count < 50; count++) await tell(one, picky);
    const alarm = {
      kind: 'party_misbehaved',
      party: 1,
      reason: expect.stringContaining('unknown'),
    };
    expect(picky.alarms).toEqual(Array.from({ length: 50 }, () => alarm));
    expect(picky.logged.length).toBeLessThanOrEqual(2);
  });

  it('of listeners in presence is asked no more than so many', () => {
    for (let count = 0; count < 1_000; count++) one.channel.prepare(startReplica(2, `x-${count}`));
    expect(carrier.take()).toHaveLength(128);
  });
});

describe('a message that is too long', () => {
  it('is neither sent nor looked at', async () => {
    await tell(one, two);
    const long = Buffer.alloc(MAX_FRAME_BYTES);
    await expect(one.channel.send(two.self, () => long)).rejects.toThrow('too long');
    two.channel.receive(Buffer.alloc(MAX_FRAME_BYTES + 1, 3));
    expect(two.logged.at(-1)!.reason).toContain('too long');
    await tell(one, two, 'goes on');
    expect(textsOf(two)).toEqual(['hello', 'goes on']);
  });
});

describe('a channel that has stopped', () => {
  it('hears nothing and says nothing', async () => {
    const frame = await frameOf(one, two);
    two.channel.stop();
    two.channel.receive(frame);
    expect(two.received).toEqual([]);
    await expect(say(two, one)).rejects.toThrow('wiped');
  });
});

describe('a party that gets another exchange key', () => {
  const secret = randomBytes(32);

  it('is heard by it alone: neither what was agreed under the old key opens, nor a new question', async () => {
    await tell(two, one, 'before');
    await say(two, one, 'on its way');
    const [late] = carrier.take();
    one.channel.replacePeer(2, x25519Key(Buffer.from(secret)).publicKey);
    one.channel.receive(late!.bytes);
    const stranger = node(2, { name: 'old' });
    stranger.channel.prepare(one.self);
    await carrier.deliver();
    await say(stranger, one, 'still here');
    await carrier.deliver();
    expect(textsOf(one)).toEqual(['before']);
  });

  it('is spoken to by it: nothing that was said to the old host waits for the new one', async () => {
    await tell(one, two, 'to the old host');
    one.channel.replacePeer(2, x25519Key(Buffer.from(secret)).publicKey);
    const successor = node(2, { name: 'new', secret });
    await tell(one, successor, 'to the new host');
    await tell(one, two, 'to the old host again');
    expect(textsOf(successor)).toEqual(['to the new host']);
    expect(textsOf(two)).toEqual(['to the old host']);
  });
});
