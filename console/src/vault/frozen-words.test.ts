import { expect, it } from '@jest/globals';
import { stateWords, underSystemFreeze, type Stoppable } from './frozen-words.js';

const frozen = (...scopes: Stoppable['frozen_by'][number]['scope'][]): Stoppable => ({
  status: 'frozen',
  frozen_by: scopes.map((scope) => ({ scope, id: scope === 'venue' ? 'binance' : 'x' })),
});

it.each<[Stoppable, string]>([
  [{ status: 'active', frozen_by: [] }, 'active'],
  [{ status: 'pending_enrollment', frozen_by: [] }, 'pending enrollment'],
  [frozen('key'), 'frozen'],
  [frozen('venue'), 'frozen with its venue binance'],
  [frozen('system'), 'frozen (by the system)'],
  [frozen('vault', 'wallet'), 'frozen with its vault and its wallet'],
  [
    frozen('system', 'venue', 'key'),
    'frozen itself, and with the whole system and its venue binance',
  ],
  [{ ...frozen('venue'), status: 'destroyed' }, 'destroyed'],
])('%j of a key is told as “%s”', (thing, words) => {
  expect(stateWords(thing, 'key')).toBe(words);
});

it('is frozen by the system as soon as that is seen, though it was read before', () => {
  const active: Stoppable = { status: 'active', frozen_by: [] };
  expect(stateWords(underSystemFreeze(active, true), 'key')).toBe('frozen (by the system)');
  expect(underSystemFreeze(active, false)).toBe(active);
  const destroyed: Stoppable = { status: 'destroyed', frozen_by: [] };
  expect(underSystemFreeze(destroyed, true)).toBe(destroyed);
});
