/**
 * ccxt's own signing as an independent second opinion: the library desks use today, with its clock,
 * nonce and random ids frozen, so that its bytes can be compared with ours.
 */
import type { CcxtErrors } from '../../client/ccxt/dist/through-vault.js';

export interface CcxtCall {
  /** ccxt's name of the exchange, e.g. `krakenfutures`. */
  readonly exchange: string;
  /** ccxt's api group, e.g. `private`, `sapi`, or a nested one, e.g. ['v5', 'private']. */
  readonly api: string | readonly string[];
  readonly method: string;
  /** As in ccxt's endpoint lists, e.g. `capital/withdraw/apply`. */
  readonly path: string;
  readonly params?: object;
  readonly apiKey: string;
  /** As ccxt wants it: text, base64 text or PEM. */
  readonly secret: string;
  readonly password?: string;
  /** ms since the Unix epoch. */
  readonly at: number;
  /** What nonce() gives; default: `at`, which is what most exchanges of ccxt derive it from. */
  readonly nonce?: number;
  /** What uuid(), uuid16(), uuid22() and randomBytes() give (cut to length, without dashes). */
  readonly requestId?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * ccxt puts the timestamp in front of Binance's parameters, the venue's examples and the vault put
   * it behind them. The venue takes either: this moves it, and ccxt signs what it then has.
   */
  readonly timestampLast?: boolean;
}

export interface CcxtSigned {
  readonly method: string;
  /** Complete URL. */
  readonly url: string;
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface SigningExchange {
  readonly id: string;
  readonly api: object;
  apiKey: string;
  secret: string;
  password: string;
  options: Record<string, unknown>;
  milliseconds(): number;
  microseconds(): number;
  seconds(): number;
  nonce(): number;
  uuid(): string;
  uuid16(): string;
  uuid22(): string;
  /** Hex. */
  randomBytes(length: number): string;
  extend(...parts: object[]): object;
  fetch(url: string, method?: string, headers?: object, body?: string): Promise<unknown>;
  close(): Promise<unknown>;
  sign(
    path: string,
    api: string | readonly string[],
    method: string,
    params: object,
  ): { url: string; method: string; body?: string; headers?: Record<string, string> };
}

type ExchangeClass = new (config?: object) => SigningExchange;

const classes = new Map<string, ExchangeClass>();

/** By ccxt's names of the exchanges. The whole of ccxt takes three times as long to load as one of them. */
export async function loadCcxt(...exchanges: readonly string[]): Promise<void> {
  for (const name of exchanges) {
    const loaded = (await import(`../../node_modules/ccxt/js/src/${name}.js`)) as {
      default: ExchangeClass;
    };
    classes.set(name, loaded.default);
  }
  errors = (await import('../../node_modules/ccxt/js/src/base/errors.js')) as CcxtErrors;
}

let errors: CcxtErrors | undefined;

/** ccxt's own error classes, once an exchange is loaded. */
export function ccxtErrors(): CcxtErrors {
  if (errors === undefined) throw new Error("ccxt's errors were not loaded");
  return errors;
}

/** One that was loaded before. */
export function ccxtClass(exchange: string): ExchangeClass {
  const found = classes.get(exchange);
  if (found === undefined) throw new Error(`ccxt's ${exchange} was not loaded`);
  return found;
}

const DEFAULT_REQUEST_ID = '6f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b90';

export function signWithCcxt(call: CcxtCall): CcxtSigned {
  const exchange = createFrozenExchange(call);
  // sign() writes into the parameters it is given
  const params = structuredClone(call.params ?? {});
  const signed = exchange.sign(call.path, call.api, call.method, params);
  const url = new URL(signed.url);
  const [target = '', query = ''] = signed.url.slice(url.origin.length).split('?');
  return {
    method: signed.method,
    url: signed.url,
    path: target,
    query,
    body: signed.body ?? '',
    headers: signed.headers ?? {},
  };
}

function createFrozenExchange(call: CcxtCall): SigningExchange {
  const Exchange = ccxtClass(call.exchange);
  const exchange = new Exchange({
    apiKey: call.apiKey,
    secret: call.secret,
    password: call.password ?? '',
  });
  const requestId = call.requestId ?? DEFAULT_REQUEST_ID;
  const compactId = requestId.replaceAll('-', '');
  Object.assign(exchange.options, call.options);
  exchange.milliseconds = () => call.at;
  exchange.microseconds = () => call.at * 1000;
  exchange.seconds = () => Math.floor(call.at / 1000);
  exchange.nonce = () => call.nonce ?? call.at;
  exchange.uuid = () => requestId;
  exchange.uuid16 = () => compactId.slice(0, 16);
  exchange.uuid22 = () => compactId.slice(0, 22);
  exchange.randomBytes = (length) => compactId.slice(0, 2 * length);
  if (call.timestampLast === true) {
    const extend = exchange.extend.bind(exchange);
    exchange.extend = (first, ...rest) =>
      'timestamp' in first ? extend(...rest, first) : extend(first, ...rest);
  }
  return exchange;
}
