import { describe, expect, it } from '@jest/globals';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { splitByPool } from './split-by-pool.js';

/** Items by their key's type, named by their place; what each pool was given. */
async function split(...types: readonly KeyType[]) {
  const given: string[] = [];
  const items = types.map((type, index) => ({ name: `${index}`, key: { type } }));
  const results = await splitByPool(
    items,
    async (batch) => {
      given.push(`fast ${batch.map(({ name }) => name).join()}`);
      return batch.map(({ name }) => `fast ${name}`);
    },
    async ({ name }) => {
      given.push(`slow ${name}`);
      return `slow ${name}`;
    },
  );
  return { given, results };
}

describe('items for two pools', () => {
  it('go to the fast one in one batch, but RSA one by one to the slow one, results in order', async () => {
    const { given, results } = await split('rsa', 'ed25519', 'rsa', 'hmac', 'ed25519');
    expect(given).toEqual(['fast 1,3,4', 'slow 0', 'slow 2']);
    expect(results).toEqual(['slow 0', 'fast 1', 'slow 2', 'fast 3', 'fast 4']);
  });

  it('leave a pool alone that none is for', async () => {
    expect((await split('ed25519', 'hmac')).given).toEqual(['fast 0,1']);
    expect((await split('rsa', 'rsa')).given).toEqual(['slow 0', 'slow 1']);
    expect(await split()).toEqual({ given: [], results: [] });
  });
});
