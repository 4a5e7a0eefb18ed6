/** Processes of the parties with the real channel between them, over a carrier that the test holds in its hands. */
import { randomBytes } from 'node:crypto';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import { SPOKEN, type SpokenVersions } from '@countersign/runtime/jobs/protocol.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { createPartyChannel, type PartyChannel } from '../../signer/src/channel/party-channel.js';
import { x25519Key } from '../../signer/src/channel/x25519.js';
import type { RecordedFrame } from './channel-attacker.ts';

export const GENESIS_HASH = 'ab'.repeat(32);

/** Of the exchange keys, 32 bytes each. */
export const exchangeSecrets: ReadonlyMap<PartyNumber, Buffer> = new Map(
  PARTY_NUMBERS.map((party) => [party, randomBytes(32)]),
);
const publicKeys = new Map(
  [...exchangeSecrets].map(([party, secret]) => [party, x25519Key(Buffer.from(secret)).publicKey]),
);

export interface ChannelNode {
  readonly self: Replica;
  readonly channel: PartyChannel;
  readonly received: { from: Replica; text: string; version: number }[];
  readonly alarms: Alarm[];
  readonly logged: { reason: string; count: number }[];
  /** Computations on the curve with its lasting key. */
  readonly exchanges: number;
}

/** A Redis: keeps what is published until the test has it delivered. */
export class Carrier {
  now = 1_000_000;
  /** All that was ever published. */
  readonly recorded: RecordedFrame[] = [];
  #queue: RecordedFrame[] = [];
  readonly #nodes = new Map<string, ChannelNode>();

  publish(channel: string, bytes: Buffer): void {
    const frame = { channel, bytes: Buffer.from(bytes) };
    this.recorded.push(frame);
    this.#queue.push(frame);
  }

  add(node: ChannelNode): void {
    this.#nodes.set(partyChannel(node.self), node);
  }

  /** Until nobody says anything any more. */
  async deliver(): Promise<void> {
    while (this.#queue.length > 0) {
      for (const { channel, bytes } of this.take())
        this.#nodes.get(channel)?.channel.receive(bytes);
      await Promise.resolve();
    }
  }

  /** What has not been delivered: it will not be. */
  take(): RecordedFrame[] {
    return this.#queue.splice(0);
  }

  close(): void {
    for (const { channel } of this.#nodes.values()) channel.stop();
  }
}

export interface NodeChanges {
  readonly name?: string;
  readonly genesisHash?: string;
  /** An exchange key other than the party's own. */
  readonly secret?: Buffer;
  readonly spoken?: SpokenVersions;
}

export function openChannelNode(
  carrier: Carrier,
  party: PartyNumber,
  {
    name = 'a',
    genesisHash = GENESIS_HASH,
    secret = exchangeSecrets.get(party)!,
    spoken = SPOKEN,
  }: NodeChanges = {},
): ChannelNode {
  const self = startReplica(party, name);
  const own = x25519Key(Buffer.from(secret));
  let exchanges = 0;
  const received: ChannelNode['received'] = [];
  const alarms: Alarm[] = [];
  const logged: ChannelNode['logged'] = [];
  const channel = createPartyChannel({
    self,
    own: {
      ...own,
      exchange(peer) {
        exchanges += 1;
        return own.exchange(peer);
      },
    },
    publicKeys,
    genesisHash,
    spoken,
    publish: async (to, frame) => carrier.publish(to, frame),
    logger: { warn: (fields: object) => void logged.push(fields as ChannelNode['logged'][0]) },
    alarms: { raise: (alarm) => void alarms.push(alarm) },
    now: () => carrier.now,
  });
  channel.onMessage((from, message, version) =>
    received.push({ from, text: message.toString(), version }),
  );
  const node: ChannelNode = {
    self,
    channel,
    received,
    alarms,
    logged,
    get exchanges() {
      return exchanges;
    },
  };
  carrier.add(node);
  return node;
}

export const textsOf = ({ received }: ChannelNode): string[] => received.map(({ text }) => text);
