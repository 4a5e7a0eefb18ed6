/**
 * Finds where a withdrawal goes. A venue's table names every parameter of the endpoint; here is which of them tell the
 * destination, and which cannot change it. Any other leaves the destination unread: an address that something else in
 * the request overrules (a saved entry, a user's number, a payment method) is no destination.
 */
import { writtenText } from '@countersign/core/written-json.js';
import type { Entry } from './request-facts.js';

const ADDRESS = new Set(['address', 'toAddr', 'toAddress', 'crypto_address']);
/** One address may have many owners, whom the tag tells apart. */
const TAG = new Set(['addressTag', 'tag', 'memo', 'destination_tag']);
const NOTHING_OF_WHERE = new Set([
  ...['coin', 'currency', 'ccy', 'asset', 'symbol', 'amount', 'amt', 'size', 'quantity', 'fee'],
  ...['network', 'chain', 'blockchain', 'name', 'addressName', 'remark', 'priority'],
  ...[
    'withdrawOrderId',
    'clientOid',
    'clientId',
    'client_transfer_id',
    'requestId',
    'withdraw_order_id',
  ],
  ...['transactionFeeFlag', 'feeType', 'feeDductType', 'feeDeductType', 'add_network_fee_to_total'],
  ...['walletType', 'accountType', 'profile_id', 'timestamp', 'nonce', 'recvWindow'],
  ...['withdrawType', 'transferType', 'isInner', 'dest', 'no_destination_tag'],
]);

/** An address as a rule may name it: it has no blank and nothing that separates it from a tag. */
const PLAIN = /^[\x21\x22\x24-\x7e]{1,128}$/;

/** One destination for each entry, or undefined if one of them cannot be told. */
export function readDestinations(entries: readonly Entry[]): string[] | undefined {
  const read = entries.map(destinationOf);
  return read.includes(undefined) ? undefined : (read as string[]);
}

function destinationOf(entry: Entry): string | undefined {
  const stated = Object.entries(entry).filter(([, value]) => value !== undefined);
  const isKnown = ([name]: [string, unknown]) =>
    ADDRESS.has(name) || TAG.has(name) || NOTHING_OF_WHERE.has(name);
  if (!stated.every(isKnown)) return undefined;
  const addresses = stated.filter(([name]) => ADDRESS.has(name));
  const tags = stated.filter(([name]) => TAG.has(name));
  if (addresses.length !== 1 || tags.length > 1) return undefined;
  const [address, tag] = [addresses[0]?.[1], tags[0]?.[1]];
  if (typeof address !== 'string' || !PLAIN.test(address)) return undefined;
  if (tags.length === 0) return address;
  const text = typeof tag === 'string' ? tag : writtenText(tag);
  return text !== undefined && PLAIN.test(text) ? `${address}#${text}` : undefined;
}
