import { describe, expect, it } from '@jest/globals';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { splitByPool } from './split-by-pool.js';

/** Items by their key's type and id, named by their place; what each pool was given: the fast one four in a task, the slow one three tasks. */
async function split(...keys: readonly (KeyType | `${KeyType} ${string}`)[]) {
  const given: string[] = [];
  const items = keys.map((text, index) => {
    const [type, keyId = 'a'] = text.split(' ') as [KeyType, string?];
    return { name: `${index}`, key: { type, keyId } };
  });
  const run = (pool: string) => async (batch: readonly { readonly name: string }[]) => {
    given.push(`${pool} ${batch.map(({ name }) => name).join()}`);
    return batch.map(({ name }) => `${pool} ${name}`);
  };
  const results = await splitByPool(items, {
    fast: { tasksOf: (count) => Math.ceil(count / 4), run: run('fast') },
    slow: { tasksOf: () => 3, run: run('slow') },
  });
  return { given, results };
}

describe('items for two pools', () => {
  it('go to the fast one, but RSA to the slow one, results in order', async () => {
    const { given, results } = await split('rsa', 'ed25519', 'rsa', 'hmac', 'ed25519');
    expect(given).toEqual(['fast 1,3,4', 'slow 0', 'slow 2']);
    expect(results).toEqual(['slow 0', 'fast 1', 'slow 2', 'fast 3', 'fast 4']);
  });

  it('leave a pool alone that none is for', async () => {
    expect((await split('ed25519', 'hmac')).given).toEqual(['fast 0,1']);
    expect((await split('rsa', 'rsa')).given).toEqual(['slow 0', 'slow 1']);
    expect(await split()).toEqual({ given: [], results: [] });
  });

  it('are no more tasks of the slow one than are wanted, as even as can be', async () => {
    const of = async (count: number) => {
      const { given, results } = await split(
        ...Array.from({ length: count }, () => 'rsa' as const),
      );
      expect(results).toEqual(Array.from({ length: count }, (_, index) => `slow ${index}`));
      return given.map((task) => task.split(',').length);
    };
    expect(await of(3)).toEqual([1, 1, 1]);
    expect(await of(4)).toEqual([1, 1, 2]);
    expect(await of(11)).toEqual([3, 4, 4]);
  });

  it('are as few tasks of the fast one as may be, as even as can be', async () => {
    const of = async (count: number) => {
      const { given, results } = await split(
        ...Array.from({ length: count }, () => 'ed25519' as const),
      );
      expect(results).toEqual(Array.from({ length: count }, (_, index) => `fast ${index}`));
      return given.map((task) => task.split(',').length);
    };
    expect(await of(1)).toEqual([1]);
    expect(await of(4)).toEqual([4]);
    expect(await of(5)).toEqual([2, 3]);
    expect(await of(11)).toEqual([3, 4, 4]);
  });

  it('of one key stay together', async () => {
    const { given, results } = await split(
      'rsa b',
      'rsa a',
      'ed25519 a',
      'rsa b',
      'rsa a',
      'rsa c',
      'rsa a',
    );
    expect(given).toEqual(['fast 2', 'slow 1,4', 'slow 6,0', 'slow 3,5']);
    expect(results).toEqual(['slow 0', 'slow 1', 'fast 2', 'slow 3', 'slow 4', 'slow 5', 'slow 6']);
    const quick = await split('hmac b', 'hmac a', 'hmac b', 'hmac a', 'hmac a', 'hmac b');
    expect(quick.given).toEqual(['fast 1,3,4', 'fast 0,2,5']);
  });
});
