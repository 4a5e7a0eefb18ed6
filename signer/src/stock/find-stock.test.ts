import { describe, expect, it } from '@jest/globals';
import { findStock } from './find-stock.js';

const stock = { list: async () => ['oldest', 'newer'] };

describe('a key made ahead', () => {
  it('is found for an RSA-2048 key that is to be generated, the oldest first', async () => {
    expect(await findStock({ status: 'generating', modulusBits: 2048 }, stock)).toBe('oldest');
  });

  it.each([
    ['of another size', { status: 'generating', modulusBits: 4096 }],
    ['of another type', { status: 'generating', modulusBits: null }],
    ['that is imported', { status: 'importing', modulusBits: 2048 }],
    ['that is there already', { status: 'active', modulusBits: 2048 }],
    ['that nobody knows', undefined],
  ] as const)('is none for a key %s', async (_, key) => {
    expect(await findStock(key, stock)).toBe('');
  });

  it('is none when there is no stock', async () => {
    const key = { status: 'generating', modulusBits: 2048 } as const;
    expect(await findStock(key, { list: async () => [] })).toBe('');
  });
});
