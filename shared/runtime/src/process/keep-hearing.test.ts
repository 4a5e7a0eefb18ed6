import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { keepHearing } from './keep-hearing.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('a connection that is ready is asked for a sign of life every five seconds, until it is stopped', () => {
  const redis = {
    status: 'ready',
    asked: 0,
    ping() {
      redis.asked += 1;
      return Promise.reject(new Error('it is gone'));
    },
  };
  const hearing = keepHearing(redis);
  jest.advanceTimersByTime(20_000);
  expect(redis.asked).toBe(4);
  redis.status = 'reconnecting';
  jest.advanceTimersByTime(20_000);
  expect(redis.asked).toBe(4);
  redis.status = 'ready';
  hearing.stop();
  jest.advanceTimersByTime(20_000);
  expect(redis.asked).toBe(4);
});
