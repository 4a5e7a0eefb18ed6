import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { describe, expect, jest, test } from '@jest/globals';
import { sodium } from '@countersign/custody/sodium.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { NoncePool } from './nonce-pool.js';
import { createNoncePoolMemory } from '../../threads/nonce-memory.js';

const BUILT_POOL = new URL('../../../dist/secrets/frost/nonce-pool.js', import.meta.url);

function openPool(slots: number): { pool: NoncePool; memory: SharedArrayBuffer } {
  const memory = createNoncePoolMemory(slots);
  return { pool: new NoncePool(memory, new Uint8Array(32).fill(1)), memory };
}

describe('a nonce pool', () => {
  test('gives the nonces of the commitment it published', () => {
    const { pool } = openPool(2);
    const commitment = pool.fill(1, 7);
    const nonces = pool.take(1, 7);
    expect(nonces?.commitment).toEqual(commitment);
    for (const [scalar, point] of [
      [nonces?.hiding, commitment.subarray(0, 32)],
      [nonces?.binding, commitment.subarray(32)],
    ] as const) {
      const value = ed25519.Point.Fn.fromBytes(Uint8Array.from(scalar ?? []));
      expect(Buffer.from(ed25519.Point.BASE.multiply(value).toBytes())).toEqual(Buffer.from(point));
    }
  });

  test('makes other nonces for each slot and serial, also when the random source repeats itself', () => {
    const repeats = jest.spyOn(sodium, 'randombytes_buf').mockImplementation((bytes) => {
      bytes.fill(7);
    });
    try {
      const { pool } = openPool(2);
      const uses = [
        [0, 1],
        [1, 1],
        [0, 2],
        [1, 2],
      ];
      const made = uses.map((use) => Buffer.from(pool.fill(use[0]!, use[1]!)).toString('hex'));
      expect(new Set(made).size).toBe(uses.length);
      expect(repeats).toHaveBeenCalledTimes(uses.length);
    } finally {
      repeats.mockRestore();
    }
  });

  test('gives nonces once and keeps no trace of them', () => {
    const { pool, memory } = openPool(1);
    pool.fill(0, 1);
    const nonces = pool.take(0, 1);
    expect(nonces).toBeDefined();
    expect(pool.take(0, 1)).toBeUndefined();
    const bytes = Buffer.from(memory);
    expect(nonces?.hiding).toHaveLength(32);
    expect(bytes.includes(Buffer.from(nonces?.hiding ?? ''))).toBe(false);
    expect(bytes.includes(Buffer.from(nonces?.binding ?? ''))).toBe(false);
    // What was taken is in memory of its own, so wiping it is enough.
    expect(nonces?.hiding.buffer).toBeInstanceOf(ArrayBuffer);
    expect(nonces?.hiding.buffer.byteLength).toBe(32);
  });

  test('gives nothing for a serial that was never filled or is another', () => {
    const { pool } = openPool(1);
    expect(pool.take(0, 1)).toBeUndefined();
    pool.fill(0, 5);
    expect(pool.take(0, 4)).toBeUndefined();
    expect(pool.take(0, 6)).toBeUndefined();
    expect(pool.take(0, 5)).toBeDefined();
  });

  test('never fills a serial again, taken or not', () => {
    const { pool } = openPool(1);
    pool.fill(0, 5);
    expect(() => pool.fill(0, 5)).toThrow('cannot be filled');
    pool.take(0, 5);
    expect(() => pool.fill(0, 5)).toThrow('cannot be filled');
    expect(() => pool.fill(0, 4)).toThrow('cannot be filled');
  });

  test('a newer serial replaces an abandoned one, which is gone', () => {
    const { pool } = openPool(1);
    const abandoned = pool.fill(0, 1);
    const commitment = pool.fill(0, 2);
    expect(commitment).not.toEqual(abandoned);
    expect(pool.take(0, 1)).toBeUndefined();
    expect(pool.take(0, 2)?.commitment).toEqual(commitment);
  });

  test('takes serials up to the largest safe integer', () => {
    const { pool } = openPool(1);
    pool.fill(0, Number.MAX_SAFE_INTEGER);
    expect(pool.take(0, Number.MAX_SAFE_INTEGER)).toBeDefined();
  });

  test('refuses slots, serials and sizes that cannot be', () => {
    const { pool } = openPool(2);
    for (const slot of [-1, 2, 0.5, Number.NaN]) {
      expect(() => pool.fill(slot, 1)).toThrow(RangeError);
      expect(() => pool.take(slot, 1)).toThrow(RangeError);
    }
    for (const serial of [0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1]) {
      expect(() => pool.fill(0, serial)).toThrow(RangeError);
      expect(() => pool.take(0, serial)).toThrow(RangeError);
    }
    for (const slots of [0, -1, 1.5, 2 ** 20 + 1]) {
      expect(() => createNoncePoolMemory(slots)).toThrow(RangeError);
    }
    expect(() => new NoncePool(new SharedArrayBuffer(100), new Uint8Array(32))).toThrow(RangeError);
  });

  test('cannot be serialised', () => {
    const { pool, memory } = openPool(1);
    pool.fill(0, 1);
    expect(() => JSON.stringify({ pool })).toThrow('never serialised');
    expect(() => serialize(memory)).toThrow();
    expect(Object.keys(structuredClone(pool))).toEqual(['slots']);
  });

  test('of two threads that race for every slot, exactly one gets each', async () => {
    if (!existsSync(fileURLToPath(BUILT_POOL))) throw new Error('run `npm run build` first');
    const slots = 1500;
    const { pool, memory } = openPool(slots);
    for (let slot = 0; slot < slots; slot++) pool.fill(slot, 1);

    const barrier = new SharedArrayBuffer(4);
    const code = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.poolModule).then(({ NoncePool }) => {
        const pool = new NoncePool(workerData.memory, new Uint8Array(32));
        const arrived = new Int32Array(workerData.barrier);
        Atomics.add(arrived, 0, 1);
        while (Atomics.load(arrived, 0) < 2);
        const taken = [];
        for (let slot = 0; slot < pool.slots; slot++) {
          if (pool.take(slot, 1) !== undefined) taken.push(slot);
        }
        parentPort.postMessage(taken);
      });`;
    const workerData = { memory, barrier, poolModule: BUILT_POOL.href };
    const race = [0, 1].map(
      () =>
        new Promise<number[]>((resolve, reject) => {
          const worker = new Worker(code, { eval: true, workerData });
          worker.once('message', resolve);
          worker.once('error', reject);
        }),
    );
    const taken = (await Promise.all(race)).flat();
    expect(taken.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: slots }, (_, slot) => slot),
    );
  });
});
