import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { keepHearing } from './keep-hearing.js';

let redis: ReturnType<typeof openRedis>;

/** A connection whose pings are answered, or are not. */
function openRedis() {
  return Object.assign(new EventEmitter(), {
    status: 'ready',
    answers: true,
    asked: 0,
    ended: 0,
    ping() {
      redis.asked += 1;
      return redis.answers ? Promise.resolve('PONG') : Promise.reject(new Error('too late'));
    },
    disconnect(_reconnect: true) {
      redis.ended += 1;
      redis.emit('close');
    },
  });
}

beforeEach(() => {
  jest.useFakeTimers();
  redis = openRedis();
  keepHearing(redis);
});
afterEach(() => {
  redis.emit('end');
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

const after = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1_000);

it('a connection that is ready is asked for a sign of life every five seconds, until it ends', async () => {
  await after(20);
  expect([redis.asked, redis.ended]).toEqual([4, 0]);
  redis.status = 'reconnecting';
  await after(20);
  expect(redis.asked).toBe(4);
  redis.status = 'ready';
  redis.emit('end');
  await after(20);
  expect([redis.asked, redis.ended]).toEqual([4, 0]);
});

it('one that does not answer is given up, and so is the next', async () => {
  await after(11);
  redis.answers = false;
  await after(10);
  expect(redis.ended).toBe(1);
  await after(10);
  expect(redis.ended).toBe(2);
});

it('one that never becomes ready is given up', async () => {
  redis.status = 'connect';
  await after(11);
  expect([redis.asked, redis.ended]).toEqual([0, 1]);
});

it('one that becomes ready, or has just come back, is given its time', async () => {
  redis.status = 'connect';
  await after(6);
  redis.status = 'ready';
  redis.emit('ready');
  await after(10);
  expect(redis.ended).toBe(0);
  redis.answers = false;
  await after(5);
  redis.answers = true;
  redis.emit('close');
  await after(20);
  expect(redis.ended).toBe(0);
});
