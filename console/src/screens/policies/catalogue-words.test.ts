import { expect, it } from '@jest/globals';
import { catalogueWords, withWord } from './catalogue-words.js';

const CATALOGUE = {
  supported_venues: [{ id: 'binance', display_name: 'Binance' }],
  supported_blockchain_networks: [
    {
      networks: [
        {
          id: 'solana-mainnet',
          display_name: 'Solana',
          assets: [{ id: 'solana-mainnet/sol', symbol: 'SOL' }],
        },
      ],
    },
  ],
} as unknown as Parameters<typeof catalogueWords>[0];

it('the words of conditions that a catalogue lists, as rules name them', () => {
  const { venue_ids: venues, networks, assets } = catalogueWords(CATALOGUE);
  expect([...venues!]).toEqual([['binance', 'Binance']]);
  expect([...networks!]).toEqual([['solana-mainnet', 'Solana']]);
  expect([...assets!]).toEqual([['solana-mainnet/sol', 'SOL on Solana']]);
  expect(catalogueWords(undefined)).toEqual({});
});

it('a word that is added stands once in its list, and last', () => {
  expect(withWord(undefined, 'okx')).toBe('okx');
  expect(withWord('binance\n', 'okx')).toBe('binance\nokx');
  expect(withWord('okx\nbinance', 'okx')).toBe('binance\nokx');
});
