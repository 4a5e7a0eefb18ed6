import { BlockList } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isAddressRange } from './address-range.js';

describe('a range of addresses', () => {
  it.each([
    ...['203.0.113.0/24', '203.0.113.7/32', '0.0.0.0/0', '10.0.0.0/8', '128.0.0.0/1'],
    ...['2001:db8::/32', '2001:db8::1/128', '::/0', '::1/128', 'FE80::/10', '1::/16', '8000::/1'],
    ...['1:2:3:4:5:6:7:8/128', '1:2:3:4:5:6:7:0/112', '1:2:3:4:5:6:7::/112', '::ffff:0/112'],
  ])('is %s', (text) => expect(isAddressRange(text)).toBe(true));

  it.each([
    ['no length', '203.0.113.7'],
    ['no length, of IPv6', '2001:db8::1'],
    ['bits behind its length', '203.0.113.7/24'],
    ['one bit behind its length', '203.0.113.1/31'],
    ['bits behind its length, of IPv6', '2001:db8::1/32'],
    ['too great a length', '203.0.113.7/33'],
    ['too great a length, of IPv6', '2001:db8::1/129'],
    ['a length with a zero before it', '10.0.0.0/08'],
    ['a signed length', '10.0.0.0/+8'],
    ['an empty length', '10.0.0.0/'],
    ['two lengths', '10.0.0.0/8/8'],
    ['a mask', '10.0.0.0/255.0.0.0'],
    ['an octal byte', '010.0.0.0/8'],
    ['a byte too great', '10.0.256.0/24'],
    ['three bytes', '10.0.0/24'],
    ['five bytes', '10.0.0.0.0/24'],
    ['a number for an address', '167772160/8'],
    ['IPv4 written as IPv6', '::ffff:203.0.113.0/120'],
    ['IPv4 written as IPv6 in hex', '::ffff:cb00:7100/120'],
    ['all of IPv4 written as IPv6', '::ffff:0:0/96'],
    ['a zone', 'fe80::%eth0/64'],
    ['two gaps', '1::2::/64'],
    ['a gap for nothing', '1:2:3:4:5:6:7::8/128'],
    ['three colons', '1:::/64'],
    ['seven groups', '1:2:3:4:5:6:7/112'],
    ['nine groups', '1:2:3:4:5:6:7:8:9/128'],
    ['a group too long', '00001::/16'],
    ['brackets', '[2001:db8::]/32'],
    ['white space', ' 10.0.0.0/8'],
    ['a line break', '10.0.0.0/8\n'],
    ['digits of another script', '٣0.0.0.0/8'],
    ['a name', 'localhost/32'],
    ['nothing', ''],
    ['a slash', '/'],
  ])('is not what has %s', (_what, text) => expect(isAddressRange(text)).toBe(false));

  it('of any groups is one where nothing is behind its length, and gateways can compare with it', () => {
    const group = fc.constantFrom(0, 0, 0, 1, 0x80, 0x8000, 0xffff);
    const groups = fc.array(group, { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, fc.nat(128), (parts, length) => {
        const bits = parts.reduce((sum, part) => (sum << 16n) | BigInt(part), 0n);
        const isMapped = bits >> 32n === 0xffffn;
        const address = parts.map((part) => part.toString(16)).join(':');
        const isOne = isAddressRange(`${address}/${length}`);
        expect(isOne).toBe(BigInt.asUintN(128 - length, bits) === 0n && !isMapped);
        if (!isOne) return;
        const list = new BlockList();
        list.addSubnet(address, length, 'ipv6');
        expect(list.check(address, 'ipv6')).toBe(true);
      }),
    );
  });
});
