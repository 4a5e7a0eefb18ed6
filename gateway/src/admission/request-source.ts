import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Request } from 'express';

/** The source of a request, under which it is counted. */
export type SourceOf = (request: IncomingMessage) => string;
/** The address that a request came from; undefined if it is not known. */
export type AddressOf = (request: IncomingMessage) => string | undefined;

const NOWHERE = 'unknown';
/** The first four of eight groups of an IPv6 address, /64, belong to one customer of a provider. */
const GROUPS_OF_NETWORK = 4;
const GROUPS = 8;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The other end of the connection. If that is a proxy that the operator named, it is the address that the proxies say
 * (Express looks at `x-forwarded-for` from its end). A header of anybody else is never read.
 */
export function createAddressOf(hasTrustedProxies: boolean): AddressOf {
  return hasTrustedProxies
    ? (request) => (request as Request).ip
    : ({ socket }) => socket.remoteAddress;
}

export function createSourceOf(hasTrustedProxies: boolean): SourceOf {
  const addressOf = createAddressOf(hasTrustedProxies);
  if (hasTrustedProxies) return (request) => networkOf(addressOf(request));
  const known = new WeakMap<object, string>();
  return (request) => {
    const { socket } = request;
    const earlier = known.get(socket);
    if (earlier !== undefined) return earlier;
    const source = networkOf(addressOf(request));
    known.set(socket, source);
    return source;
  };
}

/** An IPv4 address, or the /64 network of an IPv6 address; a constant for anything else. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return NOWHERE;
  const ipv4 = MAPPED_IPV4.exec(address)?.[1] ?? address;
  switch (isIP(ipv4)) {
    case 4:
      return ipv4;
    case 6:
      return ipv6Network(address);
    default:
      return NOWHERE;
  }
}

function ipv6Network(address: string): string {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = groupsOf(head);
  if (tail !== undefined) {
    const ending = groupsOf(tail);
    const left = GROUPS - groups.length - ending.length;
    groups.push(...Array<string>(Math.max(0, left)).fill('0'), ...ending);
  }
  return groups
    .slice(0, GROUPS_OF_NETWORK)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** An IPv4 address at the end stands for two groups. */
function groupsOf(text: string): string[] {
  return text.split(':').flatMap((group) => {
    if (group === '') return [];
    return group.includes('.') ? ['0', '0'] : [group];
  });
}
