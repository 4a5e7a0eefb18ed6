import { createCipheriv, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { openEnvelope, readEnvelope, sealEnvelope } from './envelope.js';

const KEY = Buffer.alloc(32, 7);
const FROM = { party: 2, name: 'b', boot: '5a'.repeat(16) } as const;

/** The documented bytes, put together by hand. */
function documented(counter: number, message: string): Buffer {
  const nonce = Buffer.from([0, 0, 0, 0, counter, 0, 0, 0, 0, 0, 0, 0]);
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce);
  const box = Buffer.concat([cipher.update(message), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([
    Buffer.from([2]),
    Buffer.from('01000000', 'hex'),
    Buffer.from('b'),
    Buffer.alloc(16, 0x5a),
    Buffer.from([counter, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from([box.length, 0, 0, 0]),
    box,
  ]);
}

describe('an envelope', () => {
  it('has the documented bytes', () => {
    expect(sealEnvelope(KEY, FROM, 3, Buffer.from('hello'))).toEqual(documented(3, 'hello'));
  });

  it('says whom it is from, and opens with its key', () => {
    const envelope = readEnvelope(documented(9, 'hello'));
    expect(envelope).toMatchObject({ from: FROM, counter: 9 });
    expect(openEnvelope(KEY, envelope).toString()).toBe('hello');
  });

  it('opens with no other key, and under no other counter', () => {
    const envelope = readEnvelope(documented(9, 'hello'));
    expect(() => openEnvelope(randomBytes(32), envelope)).toThrow();
    expect(() => openEnvelope(KEY, { ...envelope, counter: 10 })).toThrow();
  });

  it('with a box too short for a whole tag does not open, whatever it says', () => {
    for (const length of [0, 4, 8, 12, 15]) {
      const envelope = { from: FROM, counter: 1, box: Buffer.alloc(length) };
      expect(() => openEnvelope(KEY, envelope)).toThrow('too short');
    }
  });

  it('is malformed when cut short, or with more behind it', () => {
    const bytes = documented(1, 'hello');
    for (let length = 0; length < bytes.length; length++) {
      expect(() => readEnvelope(bytes.subarray(0, length))).toThrow(RangeError);
    }
    expect(() => readEnvelope(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow(RangeError);
  });
});
