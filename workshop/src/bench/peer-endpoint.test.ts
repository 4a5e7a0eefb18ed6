import { describe, expect, test } from '@jest/globals';
import { fillMessage, parsePeerLine } from './peer-endpoint.js';

describe("a peer's first line", () => {
  test('is a URL, to be asked for', () => {
    expect(parsePeerLine('http://127.0.0.1:3000/sign?fast=1\n')).toEqual({
      host: '127.0.0.1',
      port: 3_000,
      request: {
        method: 'GET',
        target: '/sign?fast=1',
        headers: { host: '127.0.0.1:3000' },
        body: '',
      },
      pids: [],
    });
  });

  test('or says all that a request needs', () => {
    const line = JSON.stringify({
      url: 'http://localhost/v1/sign',
      headers: { authorization: 'Bearer x' },
      body: '{"data":"{{message}}"}',
      pids: [7],
    });
    expect(parsePeerLine(line)).toEqual({
      host: 'localhost',
      port: 80,
      request: {
        method: 'POST',
        target: '/v1/sign',
        headers: {
          host: 'localhost',
          'content-type': 'application/json',
          authorization: 'Bearer x',
        },
        body: '{"data":"{{message}}"}',
      },
      pids: [7],
    });
  });

  test.each(['', 'listening on 3000', 'https://127.0.0.1/', '{"method":"POST"}', '{', '{"uri":1}'])(
    'is refused when it is %j',
    (line) => expect(() => parsePeerLine(line)).toThrow(),
  );
});

test('every place for a message gets the bytes of this request', () => {
  expect(fillMessage('{"a":"{{message}}","b":"{{message}}"}', Buffer.from([1, 2, 3]))).toBe(
    '{"a":"AQID","b":"AQID"}',
  );
});
