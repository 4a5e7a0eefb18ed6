import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createPartyChannel, type PartyChannel } from './party-channel.js';

const logger = createLogger('test', 'silent');
const keys = new Map<PartyNumber, { publicKey: KeyObject; privateKey: KeyObject }>(
  ([1, 2, 3] as const).map((party) => [party, generateKeyPairSync('x25519')]),
);
const publicKeys = new Map([...keys].map(([party, { publicKey }]) => [party, publicKey]));

interface Node {
  readonly self: Replica;
  readonly channel: PartyChannel;
  /** Envelopes it sent, with the channel of each. */
  readonly sent: { to: string; envelope: Buffer }[];
  readonly received: { from: Replica; text: string }[];
}

function node(
  party: PartyNumber,
  { name = 'a', genesisHash = 'abcd', privateKey = keys.get(party)!.privateKey } = {},
): Node {
  const self = startReplica(party, name);
  const sent: Node['sent'] = [];
  const received: Node['received'] = [];
  const channel = createPartyChannel({
    self,
    privateKey,
    publicKeys,
    genesisHash,
    publish: async (to, envelope) => sent.push({ to, envelope }),
    logger,
  });
  channel.onMessage((from, message) => received.push({ from, text: message.toString() }));
  return { self, channel, sent, received };
}

async function envelope(from: Node, to: Node, text = 'hello'): Promise<Buffer> {
  await from.channel.send(to.self, Buffer.from(text));
  return from.sent.at(-1)!.envelope;
}

let one: Node;
let two: Node;
beforeEach(() => {
  one = node(1);
  two = node(2);
});

describe('a message between two parties', () => {
  it('arrives with its sender authenticated, in both directions', async () => {
    two.channel.receive(await envelope(one, two, 'there'));
    one.channel.receive(await envelope(two, one, 'and back'));
    expect(one.sent[0]!.to).toBe(partyChannel(two.self));
    expect(two.received).toEqual([{ from: one.self, text: 'there' }]);
    expect(one.received).toEqual([{ from: two.self, text: 'and back' }]);
  });

  it('is not readable in the envelope', async () => {
    const secret = 'a share of a nonce';
    expect((await envelope(one, two, secret)).includes(Buffer.from(secret))).toBe(false);
  });

  it('may be empty, and may overtake lost ones', async () => {
    two.channel.receive(await envelope(one, two, ''));
    await envelope(one, two, 'lost');
    two.channel.receive(await envelope(one, two, 'third'));
    expect(two.received.map(({ text }) => text)).toEqual(['', 'third']);
  });
});

describe('what Redis can do with envelopes', () => {
  it('drops an envelope with any one byte changed', async () => {
    const genuine = await envelope(one, two);
    for (let at = 0; at < genuine.length; at++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const altered = Buffer.from(genuine);
        altered[at] = altered[at]! ^ mask;
        two.channel.receive(altered);
      }
    }
    expect(two.received).toEqual([]);
    two.channel.receive(genuine);
    expect(two.received).toHaveLength(1);
  });

  it('drops an envelope cut short at any byte, or with more behind it', async () => {
    const genuine = await envelope(one, two);
    for (let length = 0; length < genuine.length; length++) {
      two.channel.receive(genuine.subarray(0, length));
    }
    two.channel.receive(Buffer.concat([genuine, Buffer.from([0])]));
    expect(two.received).toEqual([]);
  });

  it('drops a message that comes again, and one that comes after a later one', async () => {
    const first = await envelope(one, two, 'first');
    const second = await envelope(one, two, 'second');
    for (const message of [second, first, second, first]) two.channel.receive(message);
    expect(two.received.map(({ text }) => text)).toEqual(['second']);
  });

  it('cannot make a party forget what it has seen by a flood of forged envelopes', async () => {
    const captured = await envelope(one, two);
    two.channel.receive(captured);
    const forged = Buffer.from(captured);
    const bootAt = 1 + 4 + one.self.name.length;
    for (let boot = 0; boot < 1_200; boot++) {
      forged.writeUInt32LE(boot, bootAt);
      two.channel.receive(forged);
    }
    two.channel.receive(captured);
    expect(two.received).toHaveLength(1);
  });

  it('cannot give a message to another party, another replica, or back to its sender', async () => {
    const message = await envelope(one, two);
    const strangers = [node(3), node(2, { name: 'b' }), one];
    for (const { channel } of strangers) channel.receive(message);
    expect(strangers.flatMap(({ received }) => received)).toEqual([]);
  });
});

describe('a message between two replicas of one party', () => {
  it('arrives with its sender authenticated, and reaches no other one', async () => {
    const [keeper, replica, third] = [one, node(1, { name: 'b' }), node(1, { name: 'c' })];
    const message = await envelope(replica, keeper, 'vouch');
    for (const { channel } of [keeper, replica, third, two]) channel.receive(message);
    expect(keeper.received).toEqual([{ from: replica.self, text: 'vouch' }]);
    expect([replica, third, two].flatMap(({ received }) => received)).toEqual([]);
  });

  it('is dropped when another party made it', async () => {
    const impostor = node(1, { name: 'b', privateKey: keys.get(2)!.privateKey });
    one.channel.receive(await envelope(impostor, one));
    expect(one.received).toEqual([]);
  });

  it('is never one that a process says to itself', async () => {
    one.channel.receive(await envelope(one, one));
    expect(one.received).toEqual([]);
  });
});

describe('who may speak', () => {
  it('drops a message made without the private key that the genesis names', async () => {
    const impostor = node(1, { privateKey: generateKeyPairSync('x25519').privateKey });
    two.channel.receive(await envelope(impostor, two));
    const third = node(3, { privateKey: keys.get(1)!.privateKey });
    two.channel.receive(await envelope(third, two));
    expect(two.received).toEqual([]);
  });

  it('drops what was said to the process before it under the same name', async () => {
    const captured = await envelope(one, two);
    const restarted = node(2);
    restarted.channel.receive(captured);
    expect(restarted.received).toEqual([]);
    restarted.channel.receive(await envelope(one, restarted, 'to this one'));
    expect(restarted.received.map(({ text }) => text)).toEqual(['to this one']);
  });

  it('drops a message from another vault', async () => {
    two.channel.receive(await envelope(node(1, { genesisHash: 'other' }), two));
    expect(two.received).toEqual([]);
  });

  it('hears a party again after that party restarted', async () => {
    two.channel.receive(await envelope(one, two, 'before'));
    two.channel.receive(await envelope(node(1), two, 'after'));
    expect(two.received.map(({ text }) => text)).toEqual(['before', 'after']);
  });

  it('sends nothing to a party that the genesis does not name', async () => {
    const nobody = startReplica(4 as PartyNumber, 'a');
    await expect(one.channel.send(nobody, Buffer.from('x'))).rejects.toThrow('no exchange key');
  });
});

describe('a secret between two parties', () => {
  it('is the same at both, 32 bytes, whoever asks and at whichever replica', () => {
    const secret = one.channel.pairSecret(2, 'generation of s');
    expect(secret).toHaveLength(32);
    expect(two.channel.pairSecret(1, 'generation of s')).toEqual(secret);
    expect(node(2, { name: 'b' }).channel.pairSecret(1, 'generation of s')).toEqual(secret);
    expect(node(1).channel.pairSecret(2, 'generation of s')).toEqual(secret);
  });

  it('is another for another pair, purpose and vault', () => {
    const secrets = [
      one.channel.pairSecret(2, 'a'),
      one.channel.pairSecret(2, 'b'),
      one.channel.pairSecret(3, 'a'),
      two.channel.pairSecret(3, 'a'),
      node(1, { genesisHash: 'other' }).channel.pairSecret(2, 'a'),
    ];
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(secrets.length);
  });

  it("is the caller's own copy: to wipe it wipes no other", () => {
    const before = Buffer.from(one.channel.pairSecret(2, 'a'));
    one.channel.pairSecret(2, 'a').fill(0);
    expect(one.channel.pairSecret(2, 'a')).toEqual(before);
  });

  it('is nothing that the third party or anybody without the private key can make', () => {
    const secret = one.channel.pairSecret(2, 'a');
    const third = node(3).channel;
    expect(third.pairSecret(1, 'a')).not.toEqual(secret);
    expect(third.pairSecret(2, 'a')).not.toEqual(secret);
    const impostor = node(1, { privateKey: generateKeyPairSync('x25519').privateKey });
    expect(impostor.channel.pairSecret(2, 'a')).not.toEqual(secret);
  });
});
