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

it('a connection that is ready is asked for a sign of life every four seconds, until it ends', async () => {
  await after(20);
  expect([redis.asked, redis.ended]).toEqual([5, 0]);
  redis.status = 'reconnecting';
  await after(20);
  expect(redis.asked).toBe(5);
  redis.status = 'ready';
  redis.emit('end');
  await after(20);
  expect([redis.asked, redis.ended]).toEqual([5, 0]);
});

it('one that does not answer twice is given up, and so is the next', async () => {
  redis.answers = false;
  await after(8);
  expect(redis.ended).toBe(0);
  await after(4);
  expect(redis.ended).toBe(1);
  await after(12);
  expect(redis.ended).toBe(2);
});

it('one answer that is missing or late ends nothing', async () => {
  for (let count = 0; count < 10; count++) {
    redis.answers = !redis.answers;
    await after(4);
  }
  expect([redis.asked, redis.ended]).toEqual([10, 0]);
});

it('one that never becomes ready is given up', async () => {
  redis.status = 'connect';
  await after(12);
  expect([redis.asked, redis.ended]).toEqual([0, 1]);
});

it('one that becomes ready, or has just come back, is given its time', async () => {
  redis.status = 'connect';
  await after(8);
  redis.status = 'ready';
  redis.answers = false;
  redis.emit('ready');
  await after(8);
  redis.emit('close');
  await after(8);
  expect(redis.ended).toBe(0);
});
