import { expect, it } from '@jest/globals';
import { refuseUnrouted } from './unrouted.js';

const ROUTES = [
  { method: 'GET', path: '/v1/keys' },
  { method: 'POST', path: '/v1/keys' },
  { method: 'POST', path: '/v1/keys/{key_id}/sign' },
] as const;

it.each([
  ['/v1/keys', 'no such route: this path takes GET, POST alone'],
  ['/v1/keys/abc/sign', 'no such route: this path takes POST alone'],
  ['/v1/keys/abc/sign/', 'no such route: the path has a slash too many at its end'],
  ['/v1/keys/', 'no such route: the path has a slash too many at its end'],
  ['/v1/keyz', 'no such route'],
  ['/v1/keyz/', 'no such route'],
  ['/', 'no such route'],
])('says what %s may have meant', (path, message) => {
  expect(refuseUnrouted(ROUTES, path)).toEqual({ refused: 'not_found', message });
});
