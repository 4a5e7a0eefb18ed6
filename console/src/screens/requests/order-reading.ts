/**
 * The order in a request, read in the page from the very bytes that an approval is for, by the tables that gateways and
 * parties go by: whatever the gateway says of it. At which venue the key is good follows from the key's id where the record
 * has the entry that made it; otherwise it is the gateway's word.
 */
import { isRefusal } from '@countersign/core/errors.js';
import type { MarketAssets } from '@countersign/venues/engine/market-assets.js';
import type { OrderTerm, OrderTermName, VenueRequest } from '@countersign/venues/engine/venue.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import { readVenueRequest, type RequestReading } from '@countersign/venues/read-venue-request.js';
import { visibleText } from '../../design/visible-text.js';
import { assetsOfOrder, worthInUsd, worthOfAll, worthOfOrder } from './order-worth.js';
import { askedIn, summaryOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';
import { signerVenue } from './signer-venue.js';

export interface OrderReadHere extends RequestReading {
  /** What the gateway says otherwise of it than this page reads, whatever the kind of key: empty for an honest one. */
  readonly differsIn: readonly string[];
}

export type OrderRead = OrderReadHere | { readonly unreadable: string };

/** Undefined where nothing is asked of a venue. `venueId`: of the key. */
export function orderIn(
  record: RequestRecord,
  venueId: string | undefined = signerVenue(record)?.id,
): OrderRead | undefined {
  const { facts } = record;
  const asked = askedIn(record)['venue_request'];
  if (asked === undefined) return undefined;
  const request = requestOf(asked);
  if (request === undefined) return { unreadable: 'it is not of the form that the vault takes' };
  const reading = readVenueRequest(venueId, request);
  if (isRefusal(reading)) return { unreadable: reading.message };
  const all = reading.factsOfKinds.map((read) => differences(facts, read));
  return { ...reading, differsIn: all.find((some) => some.length === 0) ?? all[0] ?? [] };
}

/**
 * As {@link summaryOf} says it; where the gateway does not tell what is in it, as of what is done with, as it is read here.
 * `ofKey`: the venue of the key.
 */
export function titleOf(record: RequestRecord, ofKey?: string): string {
  const order = record.facts === undefined ? orderIn(record, ofKey) : undefined;
  if (order === undefined || 'unreadable' in order) return summaryOf(record);
  const { venueId, operationClass, sides, amounts, symbols, destinations = [] } = order.facts;
  const goesTo = destinations.length > 0 ? `to ${destinations.join(', ')}` : '';
  const words = [operationClass, venueId, sides.join(', '), amounts.join(', '), symbols.join(', ')];
  return visibleText([...words, goesTo].filter((word) => word !== '').join(' · '));
}

/** As the API takes it: what is absent is empty. */
function requestOf(asked: unknown): VenueRequest | undefined {
  const {
    channel,
    method,
    path = '',
    query = '',
    body = '',
  } = (asked ?? {}) as Partial<Record<keyof VenueRequest, unknown>>;
  const isText = [method, path, query, body].every((part) => typeof part === 'string');
  const isKnown = channel === 'rest' || channel === 'ws' || channel === 'fix';
  return isText && isKnown ? ({ channel, method, path, query, body } as VenueRequest) : undefined;
}

function differences(told: RequestRecord['facts'], read: VenueFacts): string[] {
  const pairs: Readonly<Record<string, readonly [unknown, unknown]>> = {
    'what it does': [told?.operation_class, read.operationClass],
    symbols: [told?.symbols, read.symbols],
    sides: [told?.sides, read.sides],
    amounts: [told?.amounts, read.amounts],
    'amounts in the quote asset': [told?.quote_amounts, read.quoteAmounts],
    contracts: [told?.contracts, read.contracts],
    destinations: [told?.destinations, read.destinations],
  };
  return Object.entries(pairs)
    .filter(
      ([, [said, found]]) => said !== undefined && JSON.stringify(said) !== JSON.stringify(found),
    )
    .map(([name]) => name);
}

/** As people ask for them, in this order. */
export const TERMS: Readonly<Record<OrderTermName, string>> = {
  symbol: 'Symbol',
  side: 'Side',
  order_type: 'Order type',
  amount: 'Quantity',
  quote_amount: 'Amount in the quote asset',
  contracts: 'Contracts',
  size: 'Size, in a unit that the request does not tell',
  price: 'Price',
  trigger_price: 'Trigger price',
  client_id: 'Client id',
};

const ORDER = Object.keys(TERMS);

/** One row of an order: what it is called, its value, and where it stands in the request. */
export interface TermRow {
  readonly title: string;
  readonly value: string;
  /** The asset that it is counted in; absent: none, or it is not known for certain. */
  readonly unit?: string;
  readonly source: string;
}

type Prices = NonNullable<NonNullable<RequestRecord['receipt']>['prices']>;

/**
 * Of each order, in the order of {@link TERMS}; of a trade with its worth at the end. `prices`: those by which both
 * parties valued it.
 */
export function rowsOf(
  { orders, facts }: Pick<RequestReading, 'orders' | 'facts'>,
  prices: Prices = [],
): readonly (readonly TermRow[])[] {
  return orders.map((terms) => {
    const assets = assetsOfOrder(terms, facts);
    const rows = terms
      .toSorted((one, other) => ORDER.indexOf(one.term) - ORDER.indexOf(other.term))
      .map((term) => rowOf(term, assets));
    return facts.operationClass === 'trade' ? [...rows, ...worthRows(terms, assets, prices)] : rows;
  });
}

function rowOf({ term, value, name, from }: OrderTerm, assets: MarketAssets | undefined): TermRow {
  const side = UNITS[term];
  return {
    title: TERMS[term],
    value,
    ...(assets !== undefined && side !== undefined && { unit: assets[side] }),
    source: from === 'table' ? `follows from the request, as ${name}` : `${name} in its ${from}`,
  };
}

/** What a term is counted in. */
const UNITS: Readonly<Partial<Record<OrderTermName, keyof MarketAssets>>> = {
  amount: 'base',
  quote_amount: 'quote',
  price: 'quote',
  trigger_price: 'quote',
};

function worthRows(
  terms: readonly OrderTerm[],
  assets: MarketAssets | undefined,
  prices: Prices,
): TermRow[] {
  const title = 'Worth';
  const worth = worthOfOrder(terms, assets);
  if ('unknownBecause' in worth) {
    return [{ title, value: 'not known', source: worth.unknownBecause }];
  }
  const { value, unit, isStated } = worth;
  const source = isStated ? 'as the order states it' : 'price × quantity, computed here';
  const usd = worthInUsd(worth, prices);
  const row = { title, value, unit, source };
  if (usd === undefined) return [row];
  return [
    row,
    {
      title: 'Worth in US dollars',
      value: usd,
      unit: 'USD',
      source: 'by the price in its receipt',
    },
  ];
}

/**
 * What the orders in a request are worth together by their own prices, with the asset; undefined where that is not known,
 * and where the gateway reads the request otherwise.
 */
export function worthIn(record: RequestRecord): string | undefined {
  const reading = orderIn(record);
  if (reading === undefined || 'unreadable' in reading || reading.differsIn.length > 0) {
    return undefined;
  }
  return worthOfAll(
    reading.orders.map((terms) => worthOfOrder(terms, assetsOfOrder(terms, reading.facts))),
  );
}

const PARTS = ['method', 'path', 'query', 'body'] as const;

/** Parts of the request that could be others after it was signed. */
export function unboundParts({ facts }: Pick<RequestReading, 'facts'>): string[] {
  return PARTS.filter((part) => !facts.binds.includes(part));
}
