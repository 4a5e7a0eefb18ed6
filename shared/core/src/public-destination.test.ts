import { describe, expect, it, test } from '@jest/globals';
import { findDestinationFault, isPublicAddress } from './public-destination.js';

const strict = { isLoopbackAllowed: false };
const atHome = { isLoopbackAllowed: true };

describe('a destination', () => {
  it.each([
    'https://hooks.example.com/countersign',
    'https://hooks.example.com:8443/a?b=c',
    'https://93.184.215.14/x',
    'https://[2606:4700::1111]/',
    'https://xn--bcher-kva.example.com/',
  ])('may be %s', (url) => {
    expect(findDestinationFault(url, strict)).toBeUndefined();
  });

  it.each([
    ['another scheme', 'http://hooks.example.com/'],
    ['another scheme', 'ftp://hooks.example.com/'],
    ['another scheme', 'file:///etc/passwd'],
    ['another scheme', 'gopher://hooks.example.com/'],
    ['no URL', 'hooks.example.com'],
    ['no URL', 'https://'],
    ['no URL', 'https://[::1'],
    ['no URL', ''],
    ['user information', 'https://user@hooks.example.com/'],
    ['user information', 'https://user:secret@hooks.example.com/'],
    ['user information that looks like a host', 'https://hooks.example.com@127.0.0.1/'],
    ['user information that is empty', 'https://:@127.0.0.1/'],
    ['a fragment', 'https://hooks.example.com/#@127.0.0.1'],
    ['an empty fragment', 'https://hooks.example.com/#'],
    ['a backslash', String.raw`https://hooks.example.com\@127.0.0.1/`],
    ['white space', 'https://hooks.example.com/ a'],
    ['a tab that parsers drop', 'https://local\thost/'],
    ['a line break that parsers drop', 'ht\ntps://127.0.0.1/'],
    ['wide characters that parsers narrow', 'https://１２７.０.０.１/'],
    ['enclosed characters that parsers narrow', 'https://ⓛⓞcalhost/'],
    ['too long', `https://hooks.example.com/${'a'.repeat(2048)}`],
    ['localhost', 'https://localhost/'],
    ['localhost', 'https://LOCALHOST:8443/'],
    ['localhost', 'https://localhost./'],
    ['localhost', 'https://a.localhost/'],
    ['a name without a domain', 'https://redis/'],
    ['a name of the local network', 'https://printer.local/'],
    ['a name of the local network', 'https://db.internal/'],
    ['the metadata service by name', 'https://metadata.google.internal/computeMetadata/v1/'],
    ['the metadata service by name', 'https://metadata.google.internal./'],
    ['a name of reverse look-ups', 'https://1.0.0.127.in-addr.arpa/'],
    ['the metadata service', 'https://169.254.169.254/latest/meta-data/'],
    ['the metadata service, IPv6', 'https://[fd00:ec2::254]/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback', 'https://127.1/'],
    ['loopback', 'https://2130706433/'],
    ['loopback', 'https://0x7f000001/'],
    ['loopback', 'https://0177.0.0.1/'],
    ['loopback', 'https://127.0.0.1./'],
    ['loopback', 'https://%31%32%37.0.0.1/'],
    ['loopback', 'https://[::1]/'],
    ['loopback', 'https://[0:0:0:0:0:0:0:1]/'],
    ['no address at all', 'https://0.0.0.0/'],
    ['no address at all', 'https://[::]/'],
    ['IPv4-mapped loopback', 'https://[::ffff:127.0.0.1]/'],
    ['IPv4-mapped loopback', 'https://[::ffff:7f00:1]/'],
    ['an IPv4-mapped private address', 'https://[::ffff:10.0.0.1]/'],
    ['an IPv4-mapped public address', 'https://[::ffff:93.184.215.14]/'],
    ['an IPv4-compatible address', 'https://[::7f00:1]/'],
    ['NAT64', 'https://[64:ff9b::7f00:1]/'],
    ['6to4', 'https://[2002:7f00:1::]/'],
    ['Teredo', 'https://[2001:0:7f00:1::]/'],
    ['unique local', 'https://[fc00::1]/'],
    ['link-local', 'https://[fe80::1]/'],
    ['multicast', 'https://[ff02::1]/'],
    ['documentation', 'https://[2001:db8::1]/'],
    ['private', 'https://10.1.2.3/'],
    ['private', 'https://172.31.255.255/'],
    ['private', 'https://192.168.1.1/'],
    ['carrier-grade NAT', 'https://100.64.0.1/'],
    ['carrier-grade NAT', 'https://100.127.255.255/'],
    ['multicast', 'https://224.0.0.1/'],
    ['broadcast', 'https://255.255.255.255/'],
    ['benchmarks', 'https://198.19.0.1/'],
  ])('is refused for %s: %s', (_why, url) => {
    expect(findDestinationFault(url, strict)).toEqual(expect.any(String));
    expect(findDestinationFault(url, atHome)).toEqual(expect.any(String));
  });

  it('may be loopback where that is allowed, and nowhere else', () => {
    for (const url of ['http://127.0.0.1:9000/hook', 'http://[::1]:9000/hook']) {
      expect(findDestinationFault(url, atHome)).toBeUndefined();
      expect(findDestinationFault(url, strict)).toBe('must begin with https://');
    }
    expect(findDestinationFault('http://user@127.0.0.1/', atHome)).toBe(
      'must not have user information',
    );
    expect(findDestinationFault('http://127.0.0.2/', atHome)).toBe('must begin with https://');
  });
});

test.each(['', 'example.com', '127.0.0.1%eth0', '[::1]', '1.2.3', '::ffff:8.8.8.8'])(
  '%j is no public address',
  (text) => {
    expect(isPublicAddress(text)).toBe(false);
  },
);
