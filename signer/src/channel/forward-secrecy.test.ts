import { describe, expect, it } from '@jest/globals';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import { ChannelAttacker } from '../../../test/support/channel-attacker.ts';
import {
  Carrier,
  exchangeSecrets,
  GENESIS_HASH,
  openChannelNode,
  textsOf,
} from '../../../test/support/channel-nodes.ts';
import { sealFrame } from './frame.js';

const attacker = new ChannelAttacker(exchangeSecrets, GENESIS_HASH);

describe('somebody with all recorded traffic, who steals every exchange key later', () => {
  it('opens nothing, between parties and between replicas of one', async () => {
    const carrier = new Carrier();
    const nodes = [
      ...([1, 2, 3] as const).map((party) => openChannelNode(carrier, party)),
      openChannelNode(carrier, 1, { name: 'b' }),
    ];
    for (const from of nodes) {
      for (const to of nodes) {
        if (from === to) continue;
        for (const text of ['a share', 'a part', 'a vouch']) {
          await from.channel.send(to.self, () => Buffer.from(text));
          await carrier.deliver();
        }
      }
    }
    for (const node of nodes) expect(textsOf(node)).toHaveLength(9);
    const loot = attacker.open(carrier.recorded);
    expect(loot).toEqual({ messages: 36, questionsOpened: 12, opened: [] });
    carrier.close();
  });

  it('would open what rests on those keys alone', async () => {
    const carrier = new Carrier();
    const [one, two] = [openChannelNode(carrier, 1), openChannelNode(carrier, 2)];
    const key = attacker.lastingKey(one.self, two.self);
    const secret = Buffer.from('a share');
    const frame = { from: one.self, number: 1, counter: 7 };
    const channel = partyChannel(two.self);
    const loot = attacker.open([{ channel, bytes: sealFrame(key, frame, secret) }]);
    expect(loot.opened).toEqual([secret]);
    carrier.close();
  });
});
