import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import { replyChannel } from '@countersign/runtime/jobs/names.js';
import { sealReply, type SignReply } from '@countersign/runtime/jobs/sign-outcome.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { subscribeToReplies, type ReplySubscription } from './reply-subscription.js';

const GATEWAY = 'gateway-1';
const keys = createEvidenceKeys([randomBytes(32)]);
const reply: SignReply = {
  batchId: randomBytes(16).toString('hex'),
  outcomes: [{ index: 3, outcome: { outcome: 'retry', reason: 'as a test says' } }],
};

let received: SignReply[];
let logged: string;
let alarms: Alarm[];
let channels: string[];
let connection: EventEmitter;

beforeEach(() => {
  received = [];
  logged = '';
  alarms = [];
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
    expect(alarms.map(({ kind }) => kind)).toEqual(Array(3).fill('forged_result'));
    expect(alarms[2]!.evidence).toEqual(Buffer.from('hello'));
    publish(sealReply(reply, GATEWAY, keys));
    expect(received).toEqual([reply]);
  });

  it('is told in the log, and is no end of the process, where Redis takes no subscription', async () => {
    subscribe(Promise.reject(new Error('no Redis')));
    await setImmediate();
    expect(logged).toMatch(/subscribe_failed.*no Redis/);
  });
});
