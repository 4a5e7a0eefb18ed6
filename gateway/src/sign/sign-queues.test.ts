import { expect, test } from '@jest/globals';
import { momentOf } from './sign-queues.js';

test('the moment at which a job was added is what Redis says it is', () => {
  expect(momentOf('1795400767666')).toBe(1_795_400_767_666);
});

test.each(['inf', '-inf', '-1', '1.5', '1e+21', '', '9007199254740993'])(
  'what anybody can write there and is no moment (%s) is told to nobody',
  (score) => expect(momentOf(score)).toBeUndefined(),
);

test('there is none where nothing waits', () => {
  expect(momentOf(undefined)).toBeUndefined();
});
