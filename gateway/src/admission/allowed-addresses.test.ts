import { describe, expect, it } from '@jest/globals';
import type { User } from '@countersign/vault/state/state.js';
import { refuseElsewhere } from './allowed-addresses.js';

const bot = (allowedAddresses?: readonly string[]) =>
  ({ type: 'machine', ...(allowedAddresses && { allowedAddresses }) }) as unknown as User;

const isLetIn = (ranges: readonly string[], address: string | undefined) =>
  refuseElsewhere(bot(ranges), address) === undefined;

const DESK = ['203.0.113.0/24', '198.51.100.7/32', '2001:db8:1::/48'];

describe('an API key with a list', () => {
  it.each([
    ...['203.0.113.0', '203.0.113.255', '198.51.100.7', '2001:db8:1::', '2001:DB8:1:ffff::9'],
    // an IPv4 caller of a socket for both families, as Node, proxies and people spell it
    ...['::ffff:203.0.113.9', '::FFFF:203.0.113.9', '::ffff:cb00:7109'],
    ...['0:0:0:0:0:ffff:203.0.113.9', '0000:0000:0000:0000:0000:ffff:cb00:7109'],
  ])('may be used from %s', (address) => expect(isLetIn(DESK, address)).toBe(true));

  it.each([
    ...['203.0.112.255', '203.0.114.0', '198.51.100.8', '2001:db8:2::1', '::1', '127.0.0.1'],
    ...['::ffff:203.0.114.1', '::203.0.113.9', '64:ff9b::203.0.113.9', '2002:cb00:7109::'],
    ...['', 'unknown', '203.0.113.9:443', '203.0.113.9, 10.0.0.1', '[2001:db8:1::1]', '203.0.113'],
    undefined,
  ])('may not be used from %s', (address) => {
    expect(refuseElsewhere(bot(DESK), address)).toEqual({
      refused: 'forbidden',
      message: 'the API key may not be used from where this request came from',
    });
  });

  it('of all addresses of one family takes none of the other', () => {
    expect(isLetIn(['::/0'], '2001:db8::1')).toBe(true);
    expect(isLetIn(['::/0'], '192.0.2.1')).toBe(false);
    expect(isLetIn(['::/0'], '::ffff:192.0.2.1')).toBe(false);
    expect(isLetIn(['0.0.0.0/0'], '::ffff:192.0.2.1')).toBe(true);
    expect(isLetIn(['0.0.0.0/0'], '::')).toBe(false);
  });

  it('compares a link-local address without its zone', () => {
    expect(isLetIn(['fe80::/10'], 'fe80::1%eth0')).toBe(true);
  });
});

it('a machine without a list, and a person, may come from anywhere', () => {
  expect(refuseElsewhere(bot(), undefined)).toBeUndefined();
  expect(refuseElsewhere({ type: 'human' } as User, undefined)).toBeUndefined();
});
