import { describe, expect, it } from '@jest/globals';
import { ShareCache, type StoredShare } from './share-cache.js';

function share(keyId: string, session = 's'): StoredShare {
  const bytes = Buffer.from(keyId);
  return { keyId, session, version: 1, wrappedDek: bytes, sealed: bytes };
}

/** Ids of the keys whose shares are at hand, and of those whose are not. */
function ask(cache: ShareCache, ...keys: [keyId: string, session?: string][]) {
  const { found, missing } = cache.find(keys.map(([keyId, session = 's']) => ({ keyId, session })));
  return { found: [...found.keys()], missing: missing.map(({ keyId }) => keyId) };
}

describe('remembered shares', () => {
  it('are given for the key and session they are of', () => {
    const cache = new ShareCache(10);
    cache.remember(share('a'));
    cache.remember(share('b', 'another run'));
    expect(ask(cache, ['a'], ['b'], ['c'])).toEqual({ found: ['a'], missing: ['b', 'c'] });
    expect(cache.find([{ keyId: 'a', session: 's' }]).found.get('a')).toEqual(share('a'));
  });

  it('are as many as the limit says, the first of them forgotten first', () => {
    const cache = new ShareCache(2);
    for (const keyId of ['a', 'b', 'c']) cache.remember(share(keyId));
    expect(ask(cache, ['a'], ['b'], ['c'])).toEqual({ found: ['b', 'c'], missing: ['a'] });
  });

  it('are gone once they are to be forgotten', () => {
    const cache = new ShareCache(10);
    for (const keyId of ['a', 'b', 'c']) cache.remember(share(keyId));
    cache.forget(['a', 'c', 'unknown']);
    expect(ask(cache, ['a'], ['b'], ['c'])).toEqual({ found: ['b'], missing: ['a', 'c'] });
  });
});
