import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSaltedSeals } from './salted-seal.js';

const root = randomBytes(32);
const context = Buffer.from('context');
const SALT_BYTES = 24;
const HEAD_BYTES = SALT_BYTES + 4;

const seal = (seals: ReturnType<typeof createSaltedSeals>) =>
  seals.seal(Buffer.from('secret'), context);
/** What has to differ from seal to seal under one root key. */
const headOf = (sealed: Buffer) => sealed.subarray(0, HEAD_BYTES).toString('hex');
const saltOf = (sealed: Buffer) => sealed.subarray(0, SALT_BYTES).toString('hex');

describe('salted seals', () => {
  it('never use a nonce twice under one derived key: each process draws a salt and counts', () => {
    const processes = Array.from({ length: 20 }, () => createSaltedSeals(root));
    const sealed = processes.flatMap((seals) => Array.from({ length: 500 }, () => seal(seals)));
    expect(new Set(sealed.map(headOf)).size).toBe(sealed.length);
    expect(new Set(sealed.map(saltOf)).size).toBe(processes.length);
  });

  it('draw another salt once one has made its share of seals', () => {
    const seals = createSaltedSeals(root, 3);
    const salts = Array.from({ length: 7 }, () => saltOf(seal(seals)));
    expect(new Set(salts).size).toBe(3);
    expect(new Set(salts.slice(0, 3)).size).toBe(1);
    expect(salts[3]).not.toBe(salts[2]);
  });

  it('use up a number where a seal fails half-way', () => {
    const seals = createSaltedSeals(root);
    const first = seal(seals);
    expect(() => seals.seal(null as never, context)).toThrow();
    const second = seal(seals);
    expect(second.readUInt32LE(SALT_BYTES)).toBe(first.readUInt32LE(SALT_BYTES) + 2);
  });

  it('open at every holder of the root key, in any order, more than are remembered', () => {
    const sealed = Array.from({ length: 600 }, () => seal(createSaltedSeals(root)));
    const other = createSaltedSeals(root);
    for (const one of [...sealed, ...sealed.toReversed()]) {
      expect(other.open(one, context).toString()).toBe('secret');
    }
  });

  it('do not open with another key, context, or any one bit changed', () => {
    const seals = createSaltedSeals(root);
    const sealed = seal(seals);
    expect(() => createSaltedSeals(randomBytes(32)).open(sealed, context)).toThrow();
    expect(() => seals.open(sealed, Buffer.from('other'))).toThrow();
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => seals.open(changed, context)).toThrow();
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(() => seals.open(sealed.subarray(0, length), context)).toThrow();
    }
  });
});
