import { expect, it } from '@jest/globals';
import { walletQuery } from './wallet-query.js';

const ADDRESS = '7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv';

it.each([
  ['', { limit: '100' }],
  ['treasury', { limit: '100', display_name_like: 'treasury' }],
  [
    'a name with twenty-six letters',
    { limit: '100', display_name_like: 'a name with twenty-six letters' },
  ],
  [ADDRESS, { limit: '100', addresses: ADDRESS }],
  [`0x${'ab'.repeat(32)}`, { limit: '100', addresses: `0x${'ab'.repeat(32)}` }],
])('%j is looked for by %j', (text, query) => {
  expect(walletQuery(text)).toEqual(query);
});
