/** What the vault is asked to sign in the place of ccxt: the request without what ccxt's signing put into it. */
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import type { SentRequest } from './offline-exchange.js';

interface Signing {
  /** In a header of this name, or a parameter of query or body: what tells a signed request. */
  readonly mark: string;
  /** Parameters that the vault sets. */
  readonly owned: readonly string[];
  /** The body travels as base64 JSON in this header. */
  readonly payloadHeader?: string;
}

const SIGNINGS: Readonly<Record<string, Signing>> = {
  binance: { mark: 'signature', owned: ['timestamp', 'signature'] },
  bybit: { mark: 'x-bapi-sign', owned: [] },
  okx: { mark: 'ok-access-sign', owned: [] },
  kraken: { mark: 'api-sign', owned: ['nonce'] },
  kraken_futures: { mark: 'authent', owned: [] },
  coinbase_advanced: { mark: 'authorization', owned: [] },
  coinbase_exchange: { mark: 'cb-access-sign', owned: [] },
  deribit: { mark: 'authorization', owned: [] },
  bitfinex: { mark: 'bfx-signature', owned: [] },
  gate: { mark: 'sign', owned: [] },
  kucoin: { mark: 'kc-api-sign', owned: [] },
  bitget: { mark: 'access-sign', owned: [] },
  gemini: {
    mark: 'x-gemini-signature',
    owned: ['request', 'nonce'],
    payloadHeader: 'x-gemini-payload',
  },
  backpack: { mark: 'x-signature', owned: [] },
};

/** Undefined for a request that ccxt did not sign. */
export function unsignedOf(venueId: string, sent: SentRequest): VenueRequest | undefined {
  const signing = SIGNINGS[venueId]!;
  const headers = new Map(
    Object.entries(sent.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { origin } = new URL(sent.url);
  const [path = '', ...rest] = sent.url.slice(origin.length).split('?');
  const query = rest.join('?');
  const isMarked = [query, sent.body].some((form) =>
    form.split('&').some((one) => one.startsWith(`${signing.mark}=`)),
  );
  if (!isMarked && !headers.has(signing.mark)) return undefined;
  const payload = headers.get(signing.payloadHeader ?? '');
  const body = payload === undefined ? sent.body : Buffer.from(payload, 'base64').toString();
  return {
    method: sent.method,
    path,
    query: unowned(query, signing),
    body: unowned(body, signing),
    channel: 'rest',
  };
}

function unowned(text: string, { owned }: Signing): string {
  if (owned.length === 0 || text === '') return text;
  if (text.startsWith('{')) {
    const object = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(
      Object.fromEntries(Object.entries(object).filter(([name]) => !owned.includes(name))),
    );
  }
  const kept = text.split('&').filter((one) => !owned.includes(one.split('=')[0] ?? ''));
  // ccxt leaves brackets and quotes of lists as they are: the adapters encode them, as the vault signs one spelling
  return kept.map((one) => one.replaceAll(/[^\w.~%+!*'()=-]/gu, encodeURIComponent)).join('&');
}
