import { expect, it } from '@jest/globals';
import { rangesIn } from './address-ranges.js';

it('ranges are read from lines, commas and blanks, each once', () => {
  expect(rangesIn(' 203.0.113.0/24\n2001:db8::/32, 203.0.113.0/24\t10.0.0.7/32\n')).toEqual([
    '203.0.113.0/24',
    '2001:db8::/32',
    '10.0.0.7/32',
  ]);
  expect(rangesIn(' \n,')).toEqual([]);
});
