import { expect, it } from '@jest/globals';
import { LAB_VENUES } from '../../../../workshop/src/lab/catalogue/lab-venues.js';
import { startPorts } from './start-ports.js';

it.each([undefined, '18790'])('nothing of a start takes the port of another (PORT %s)', (port) => {
  const { vault, signIn, venue } = startPorts(port);
  const all = [vault, signIn, ...LAB_VENUES.map((_, index) => venue(index))];
  expect(vault).toBe(Number(port ?? 8080));
  expect(new Set(all).size).toBe(2 + LAB_VENUES.length);
});

it('a vault on a free port has everything on free ports', () => {
  const { vault, signIn, venue } = startPorts('0');
  expect([vault, signIn, venue(0), venue(6)]).toEqual([0, 0, 0, 0]);
});
