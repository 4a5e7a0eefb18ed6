/**
 * Finds the address for an event: the name is looked up once, its address is checked, and that very address is
 * connected to.
 */
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
  /** The event may not be sent there. */
  | { readonly refused: string };

export const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Rejects when the name cannot be resolved. Refuses a name if one of several addresses is private. */
export async function findDestination(
  text: string,
  rules: DestinationRules,
  resolve: Resolve,
): Promise<Destination> {
  const fault = findDestinationFault(text, rules);
  if (fault !== undefined) return { refused: `url: ${fault}` };
  const url = new URL(text);
  const host = hostOf(url);
  // the rules have already checked a literal address
  if (isIP(host) !== 0 || (rules.isLoopbackAllowed && isLoopback(url))) return { address: host };
  const addresses = await resolve(host);
  const [first] = addresses;
  if (first === undefined) throw new Error('the name has no address');
  return addresses.every(isPublicAddress)
    ? { address: first }
    : { refused: 'the name has a private or special address' };
}
