/** To which address an event is sent: looked up once, looked at, and then connected to, that very address. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import {
  findDestinationFault,
  hostOf,
  isLoopback,
  isPublicAddress,
  type DestinationRules,
} from '@countersign/core/public-destination.js';

/** All addresses of a name; rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export type Destination =
  | { readonly address: string }
  /** It may not be sent there. */
  | { readonly refused: string };

export const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Rejects when the name cannot be resolved. One private address among several is one too many. */
export async function findDestination(
  text: string,
  rules: DestinationRules,
  resolve: Resolve,
): Promise<Destination> {
  const fault = findDestinationFault(text, rules);
  if (fault !== undefined) return { refused: `url: ${fault}` };
  const url = new URL(text);
  const host = hostOf(url);
  // with a literal, the rules have looked at the address itself
  if (isIP(host) !== 0 || (rules.isLoopbackAllowed && isLoopback(url))) return { address: host };
  const addresses = await resolve(host);
  const [first] = addresses;
  if (first === undefined) throw new Error('the name has no address');
  return addresses.every(isPublicAddress)
    ? { address: first }
    : { refused: 'the name has a private or special address' };
}
