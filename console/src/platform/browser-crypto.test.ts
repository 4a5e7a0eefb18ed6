/** What a page computes with is what Node computes. */
import * as node from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as browser from './browser-crypto.js';
import { Buffer as PageBuffer, isUtf8 } from './browser-buffer.js';

const texts = ['', 'abc', 'ä€😀', 'x'.repeat(1_000)];

describe('hashes of a page', () => {
  it.each(texts)('are those of Node: %#', (text) => {
    const bytes = Buffer.from(text, 'utf8');
    const due = node.createHash('sha256').update(bytes).digest('hex');
    expect(browser.hash('sha256', text, 'buffer').toString('hex')).toBe(due);
    expect(browser.createHash('sha256').update(bytes).digest('hex')).toBe(due);
    const key = Buffer.from('a key');
    const mac = node.createHmac('sha256', key).update(bytes).digest('hex');
    expect(browser.createHmac('sha256', key).update(text).digest('hex')).toBe(mac);
  });

  it('are SHA-256 alone', () => {
    expect(() => browser.createHash('sha1')).toThrow(RangeError);
  });

  it('sign nothing by themselves', () => {
    expect(() => browser.sign()).toThrow('no key');
  });
});

describe('bytes of a page', () => {
  it.each([0, 1, 2, 3, 31, 32])(
    'are written and read as base64url as Node does: %i bytes',
    (size) => {
      const bytes = node.randomBytes(size);
      bytes.fill(0xfb, 0, Math.min(2, size));
      const text = bytes.toString('base64url');
      expect(PageBuffer.from(bytes).toString('base64url')).toBe(text);
      expect([...PageBuffer.from(text, 'base64url')]).toEqual([...bytes]);
      expect(PageBuffer.from(bytes).toString('hex')).toBe(bytes.toString('hex'));
    },
  );

  it('are UTF-8 or not', () => {
    expect([isUtf8(Buffer.from('ä€')), isUtf8(Buffer.from([0xc3]))]).toEqual([true, false]);
  });
});
