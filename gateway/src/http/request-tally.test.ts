import { expect, it } from '@jest/globals';
import { createRequestTally } from './request-tally.js';

const TARGET = { method: 'POST', path: '/v1/keys/{key_id}/sign' } as const;

function openTally() {
  const tally = createRequestTally();
  return { tally, route: tally.open(TARGET, 'sign-with-key') };
}

it('a request that is answered 202 has not succeeded: it counts once, as what it comes to', () => {
  const { tally, route } = openTally();
  route.note(202, 2_000, undefined);
  expect([...route.results]).toEqual([]);
  tally.end('sign-with-key', 'failed');
  expect([...route.results]).toEqual([['failed', 1]]);
  expect([...route.statuses]).toEqual([[202, 1]]);
});

it('a request whose 504 does not say how it ended counts as what it comes to', () => {
  const { tally, route } = openTally();
  route.note(504, 2_000, { refused: 'gateway_timeout', message: 'told', isUndecided: true });
  expect([...route.results]).toEqual([]);
  tally.end('sign-with-key', 'succeeded');
  expect([...route.results]).toEqual([['succeeded', 1]]);
});

it('an answer that says how its request ended counts at once', () => {
  const { route } = openTally();
  route.note(200, 10, undefined);
  route.note(403, 10, { refused: 'forbidden', message: 'no' });
  route.note(504, 10, { refused: 'gateway_timeout', message: 'the service is overloaded' });
  expect([...route.results]).toEqual([
    ['succeeded', 1],
    ['denied', 1],
    ['failed', 1],
  ]);
});
