import { expect, it } from '@jest/globals';
import { namedReason, namesAnId } from './reason-words.js';

const RULE = 'ad8df68e-3d96-812e-b4f7-a5122651c34e';
const POLICY = '84baf412-7294-8ce8-b019-6506ad3362f2';
const OTHER = '4e7aee5d-06f4-863f-a8e8-0fb4a6f974d7';
const reason = `no rule allows this; rule ${RULE} of signing policy ${POLICY}, version 2: amount; rule ${OTHER}: amount`;

it('names what is known, and leaves what is not', () => {
  const names = new Map([
    [RULE, 'Small orders'],
    [POLICY, 'Orders'],
  ]);
  expect(namedReason(reason, names)).toBe(
    `no rule allows this; rule “Small orders” of signing policy “Orders”, version 2: amount; rule ${OTHER}: amount`,
  );
  expect(namedReason(reason, new Map())).toBe(reason);
});

it('takes a name as text, whatever stands in it', () => {
  expect(namedReason(RULE, new Map([[RULE, '$& <b>']]))).toBe('“$& <b>”');
});

it('tells whether there is an id at all, each time it is asked', () => {
  expect([namesAnId(reason), namesAnId(reason), namesAnId('the system is frozen')]).toEqual([
    true,
    true,
    false,
  ]);
});
