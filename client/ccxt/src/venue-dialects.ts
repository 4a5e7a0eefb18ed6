/**
 * What ccxt puts into a request when it signs it, by exchange: that is taken out again, and the vault puts in its own.
 * ccxt signs with a placeholder, which no venue knows.
 */

export interface Dialect {
  /** Where ccxt puts the signature: the name of a header, or of a parameter. A request without it needs none. */
  readonly signature: { readonly header: string } | { readonly parameter: string };
  /** Parameters of query, form or JSON body that the vault sets itself. */
  readonly owned: readonly string[];
  /** Of headers that ccxt's signature stands in, or that are signed with it. */
  readonly ownHeaders: RegExp;
  /** The venue takes a request only when its nonce is above all before: one goes at a time. */
  readonly isOrdered?: boolean;
  /** In the form that ccxt's code for the exchange asks for. */
  readonly placeholders: Placeholders;
  /** Of a WebSocket message that is signed: what is asked of the vault. */
  readonly login?: (message: Message) => Login | undefined;
}

export interface Placeholders {
  readonly apiKey: string;
  readonly secret: string;
  readonly password: string;
}

/** A JSON message of a WebSocket. */
export type Message = Readonly<Record<string, unknown>>;

export interface Login {
  /** The venue's name of the operation. */
  readonly method: string;
  readonly params: Message;
}

const PLACEHOLDER = 'countersign';
const WORDS: Placeholders = { apiKey: PLACEHOLDER, secret: PLACEHOLDER, password: PLACEHOLDER };
const BASE64: Placeholders = { ...WORDS, secret: Buffer.from(PLACEHOLDER).toString('base64') };
/** ccxt makes an EdDSA token of a secret of 64 bytes. */
const CLOUD: Placeholders = { ...WORDS, secret: Buffer.alloc(64, 1).toString('base64') };

const BINANCE: Dialect = {
  signature: { parameter: 'signature' },
  owned: ['timestamp', 'signature'],
  ownHeaders: /^x-mbx-apikey$/i,
  placeholders: WORDS,
  login: ({ method, params }) => {
    if (typeof method !== 'string' || !isMessage(params) || !('signature' in params))
      return undefined;
    return { method, params: without(params, ['apiKey', 'timestamp', 'signature']) };
  },
};

const BYBIT: Dialect = {
  signature: { header: 'x-bapi-sign' },
  owned: [],
  ownHeaders: /^x-bapi-/i,
  placeholders: WORDS,
  login: ({ op }) => (op === 'auth' ? { method: 'auth', params: {} } : undefined),
};

const OKX: Dialect = {
  signature: { header: 'ok-access-sign' },
  owned: [],
  ownHeaders: /^ok-access-/i,
  placeholders: WORDS,
  login: ({ op }) => (op === 'login' ? { method: 'login', params: {} } : undefined),
};

const KRAKEN: Dialect = {
  signature: { header: 'api-sign' },
  owned: ['nonce'],
  ownHeaders: /^api-/i,
  isOrdered: true,
  placeholders: BASE64,
};

const DERIBIT: Dialect = {
  signature: { header: 'authorization' },
  owned: [],
  ownHeaders: /^authorization$/i,
  placeholders: WORDS,
  login: ({ method }) =>
    method === 'public/auth' ? { method: 'public/auth', params: {} } : undefined,
};

const COINBASE: Dialect = {
  signature: { header: 'authorization' },
  owned: [],
  ownHeaders: /^authorization$/i,
  placeholders: CLOUD,
  // by the placeholder ccxt takes the key for one of an older kind, and signs in its way
  login: (message) => {
    const { type } = message;
    if (typeof type !== 'string' || !('jwt' in message || 'signature' in message)) return undefined;
    const owned = ['type', 'jwt', 'api_key', 'timestamp', 'signature'];
    return { method: type, params: without(message, owned) };
  },
};

const DIALECTS: Readonly<Record<string, Dialect>> = {
  binance: BINANCE,
  binanceusdm: BINANCE,
  binancecoinm: BINANCE,
  bybit: BYBIT,
  okx: OKX,
  kraken: KRAKEN,
  deribit: DERIBIT,
  coinbase: COINBASE,
};

export function findDialect(exchangeId: string): Dialect | undefined {
  return Object.hasOwn(DIALECTS, exchangeId) ? DIALECTS[exchangeId] : undefined;
}

/** Whether the vault's message is the one that was asked for, with nothing but its own put in. */
export function isLoginFor({ method, params }: Login, text: Message, dialect: Dialect): boolean {
  const given = dialect.login?.(text);
  // Binance' window of time may have been put in
  const own = 'recvWindow' in params ? [] : ['recvWindow'];
  return (
    given?.method === method &&
    JSON.stringify(without(given.params, own)) === JSON.stringify(params)
  );
}

export function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function without(message: Message, names: readonly string[]): Message {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
}
