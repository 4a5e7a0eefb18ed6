import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { replyChannel } from '@countersign/runtime/jobs/names.js';
import { sealVersioned } from '@countersign/runtime/jobs/protocol.js';
import { sealReply, type SignReply } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { subscribeToReplies, type ReplySubscription } from './reply-subscription.js';

const GATEWAY = 'gateway-1';
const keys = createEvidenceKeys([randomBytes(32)]);
const reply: SignReply = {
  version: 1,
  batchId: randomBytes(16).toString('hex'),
  outcomes: [
    {
      index: 3,
      outcome: { outcome: 'retry', reason: 'as a test says', nonce: 5n, isPartnerAtFault: true },
    },
  ],
  retrySignature: randomBytes(64),
};

let received: SignReply[];
let alarms: Alarm[];
let logged: string;
let channels: string[];
let connection: EventEmitter;

beforeEach(() => {
  received = [];
  alarms = [];
  logged = '';
  channels = [];
  connection = new EventEmitter();
});

function subscribe(reached: Promise<unknown> = Promise.resolve(1)): void {
  const log = new Writable({
    write(line: Buffer, _encoding, done) {
      logged += line.toString();
      done();
    },
  });
  const subscriber = Object.assign(connection, {
    status: 'ready',
    subscribe(channel: string) {
      channels.push(channel);
      return reached;
    },
  }) as unknown as ReplySubscription['subscriber'];
  subscribeToReplies({
    subscriber,
    gatewayId: GATEWAY,
    keys,
    logger: createLogger('test', 'info', log),
    alarms: { raise: (alarm) => void alarms.push(alarm) },
    receive: (opened) => void received.push(opened),
  });
}

/** Keys that let a test see what is sealed. */
function takingKeys() {
  const taken: { plaintext: Buffer; associatedData: Uint8Array }[] = [];
  const theirs: EvidenceKeys = {
    ...keys,
    seal(plaintext, associatedData) {
      taken.push({ plaintext: Buffer.from(plaintext), associatedData });
      return keys.seal(plaintext, associatedData);
    },
  };
  return { keys: theirs, taken };
}

const publish = (message: Buffer) =>
  connection.emit('messageBuffer', Buffer.from(replyChannel(GATEWAY)), message);

describe('the subscription to replies', () => {
  it('hands on what a party sealed for this gateway', () => {
    subscribe();
    expect(channels).toEqual([replyChannel(GATEWAY)]);
    publish(sealReply(reply, GATEWAY, keys));
    expect(received).toEqual([reply]);
    expect(logged).toBe('');
  });

  it('drops what was sealed for another gateway, by a stranger, or not at all, and goes on', () => {
    subscribe();
    publish(sealReply(reply, 'gateway-2', keys));
    publish(sealReply(reply, GATEWAY, createEvidenceKeys([randomBytes(32)])));
    publish(Buffer.from('hello'));
    expect(received).toEqual([]);
    expect(logged.match(/reply_refused/g)).toHaveLength(3);
    publish(sealReply(reply, GATEWAY, keys));
    expect(received).toEqual([reply]);
  });

  it('drops what somebody with the evidence key sealed and is no reply, with an alarm, and goes on', () => {
    subscribe();
    const { keys: theirs, taken } = takingKeys();
    sealReply(reply, GATEWAY, theirs);
    const { plaintext, associatedData } = taken[0]!;
    for (const bytes of [
      Buffer.alloc(0),
      plaintext.subarray(0, -1),
      Buffer.concat([plaintext, plaintext]),
    ]) {
      publish(sealVersioned(keys, 1, bytes, () => associatedData as Buffer));
    }
    expect(received).toEqual([]);
    expect(alarms.map(({ kind }) => kind)).toEqual([
      'forged_result',
      'forged_result',
      'forged_result',
    ]);
    publish(sealReply(reply, GATEWAY, keys));
    expect(received).toEqual([reply]);
  });

  it('is told in the log, and is no end of the process, where Redis takes no subscription', async () => {
    subscribe(Promise.reject(new Error('no Redis')));
    await setImmediate();
    expect(logged).toMatch(/subscribe_failed.*no Redis/);
  });
});
