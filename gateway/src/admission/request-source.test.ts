import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createSourceOf, networkOf } from './request-source.js';

describe('where a request comes from', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2'],
    ['2001:db8::1:2:3', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['1::2:3:4:5:192.0.2.7', '1:0:2:3'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', 'unknown'],
    ['<script>', 'unknown'],
    [undefined, 'unknown'],
  ])('%s is counted as %s', (address, source) => expect(networkOf(address)).toBe(source));

  it('is the other end of the connection, whatever a header says', () => {
    const request = { socket: { remoteAddress: '192.0.2.7' }, ip: '198.51.100.1' };
    expect(createSourceOf(false)(request as unknown as IncomingMessage)).toBe('192.0.2.7');
    expect(createSourceOf(true)(request as unknown as IncomingMessage)).toBe('198.51.100.1');
  });
});
