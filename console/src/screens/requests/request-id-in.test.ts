import { expect, it } from '@jest/globals';
import { requestIdIn } from './request-id-in.js';

const ID = '019a7c1e-5b1f-8d2e-9c3a-0f4b6d8e2a71';

it.each([ID, ` ${ID.toUpperCase()}\n`, `"${ID}"`, `https://desk/console/requests/${ID}`])(
  'finds the id of a request in %j',
  (text) => expect(requestIdIn(text)).toBe(ID),
);

it.each(['', 'buy 2.5 BTC', ID.slice(1), ID.replaceAll('-', '')])('finds none in %j', (text) =>
  expect(requestIdIn(text)).toBeUndefined(),
);
