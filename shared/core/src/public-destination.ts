/**
 * The addresses that the vault may connect to. A caller who names a URL must not reach what only hosts of the vault's
 * network can: the networks of RFC 6890 and their like, and a cloud's metadata service among them.
 */
import { BlockList, isIP } from 'node:net';

const MAX_URL_CHARACTERS = 2048;

/** Special-purpose IPv4 networks (IANA registry, RFC 6890), multicast and reserved ones. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/** Special networks within the global unicast addresses, including those with an IPv4 address inside (6to4, Teredo). */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [network, bits] of SPECIAL_IPV4) special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of SPECIAL_IPV6) special.addSubnet(network, bits, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether the address, without brackets, belongs to the public Internet; false if it is no address. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      // all other addresses, IPv4-mapped ones too, are no public host's
      return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Names that resolve on the host or in its network alone (RFC 6761, RFC 6762, RFC 8375, RFC 9476). */
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|alt|invalid|test|onion|arpa)$/;

export interface DestinationRules {
  /** For development: also allows `http://127.0.0.1` and `http://[::1]`, with any port. */
  readonly isLoopbackAllowed: boolean;
}

/**
 * Why the vault may not connect to the URL, for people; undefined if it may. It does not look at what the name
 * resolves to.
 */
export function findDestinationFault(
  text: string,
  { isLoopbackAllowed }: DestinationRules,
): string | undefined {
  // refuses characters that a URL parser removes or reads as something else
  if (!/^[!-~]+$/.test(text) || text.includes('\\') || text.length > MAX_URL_CHARACTERS) {
    return 'must be a URL of at most 2048 printable ASCII characters';
  }
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not have user information';
  if (text.includes('#')) return 'must not have a fragment';
  if (isLoopbackAllowed && isLoopback(url)) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    return isPublicAddress(host) ? undefined : 'must not name a private or special address';
  }
  if (!host.includes('.')) return 'must name a host with its domain';
  return LOCAL_NAME.test(host) ? 'must not name a local host' : undefined;
}

/** Name or address in the form that is resolved: without brackets, and without the dot at its end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Goes by the address: a name could resolve to anything. */
export function isLoopback(url: URL): boolean {
  return url.protocol === 'http:' && ['127.0.0.1', '::1'].includes(hostOf(url));
}
