/**
 * A ccxt exchange whose signed requests go through a vault. ccxt builds and signs each request as always, with a
 * placeholder for the secret that it has not; what it signed is taken out, the vault signs in its place, and ccxt sends
 * that and reads the answer.
 */
import { Agent } from 'node:http';
import { ccxtError, type CcxtErrors } from './ccxt-errors.js';
import {
  isAnswerTo,
  signedRequest,
  unsignedOf,
  type CcxtRequest,
  type Headers,
} from './unsigned-request.js';
import {
  findDialect,
  isLoginFor,
  isMessage,
  type Dialect,
  type Login,
  type Message,
} from './venue-dialects.js';
import {
  createVenueSigner,
  SigningFailure,
  type SignerOptions,
  type VenueSigner,
} from './venue-signer.js';

export type { CcxtErrors } from './ccxt-errors.js';
export type { VenueSigner } from './venue-signer.js';

/** The vault and the key in it. `signer`: whoever signs in the vault's place, e.g. in a test. */
export type VaultOptions = (SignerOptions | { readonly signer: VenueSigner }) & {
  /** Scheme (http or https), host and port in place of the venue's, e.g. of a simulator; WebSockets go there, too. */
  readonly venueUrl?: string;
};

export interface VaultConfig {
  readonly countersign: VaultOptions;
}

/** ccxt's side of a WebSocket. */
interface SocketClient {
  /** What was sent on it, by ccxt's names. */
  readonly subscriptions?: Readonly<Record<string, unknown>>;
  reject(error: Error, messageHash: string): void;
}

/** The part of ccxt's exchanges that is used here. */
interface CcxtExchange {
  readonly id: string;
  readonly clients?: Record<string, unknown>;
  fetch(url: string, method?: string, headers?: Headers, body?: string): Promise<unknown>;
  watch?(
    url: string,
    messageHash: string,
    message?: unknown,
    subscribeHash?: string,
    subscription?: unknown,
  ): Promise<unknown>;
  client?(url: string): SocketClient;
  close(): Promise<unknown>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- TypeScript asks a mixin's base for this form
type ExchangeClass = new (...given: any[]) => CcxtExchange;

type ThroughVault<Base extends ExchangeClass> = new (
  config: VaultConfig & Record<string, unknown>,
) => InstanceType<Base>;

/**
 * The same class, with `countersign` in its configuration instead of `apiKey` and `secret`. `errors`: the module
 * `ccxt`. The constructor throws TypeError when it is given a secret, and RangeError at an exchange that is not served.
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- one class of short methods over the base that it is given
export function throughVault<Base extends ExchangeClass>(
  Exchange: Base,
  errors: CcxtErrors,
): ThroughVault<Base> {
  class VaultExchange extends (Exchange as ExchangeClass) {
    readonly #dialect: Dialect;
    readonly #signer: VenueSigner;
    readonly #venueUrl: string | undefined;
    /** The end of the request before, where one goes at a time. */
    #last: Promise<unknown> = Promise.resolve();
    readonly #logins = new Map<string, Promise<unknown>>();

    constructor({ countersign, ...config }: VaultConfig & Record<string, unknown>) {
      super(config);
      const dialect = findDialect(this.id);
      if (dialect === undefined)
        throw new RangeError(`${this.id} the vault does not sign this call`);
      for (const name of ['secret', 'privateKey', 'password', 'walletAddress']) {
        if (config[name] !== undefined) throw new TypeError(`${name}: the vault has it`);
      }
      Object.assign(this, {
        ...dialect.placeholders,
        // which ccxt asks for where a WebSocket is not encrypted
        ...(countersign.venueUrl?.startsWith('http:') === true && { httpAgent: new Agent() }),
        ...(config['apiKey'] !== undefined && { apiKey: config['apiKey'] }),
      });
      this.#dialect = dialect;
      this.#signer = 'signer' in countersign ? countersign.signer : createVenueSigner(countersign);
      this.#venueUrl = countersign.venueUrl;
    }

    override fetch(
      url: string,
      method = 'GET',
      headers?: Headers,
      body?: string,
    ): Promise<unknown> {
      const request = { url, method, headers, body };
      const unsigned = unsignedOf(request, this.#dialect);
      if (unsigned === undefined) return this.#send(request);
      const exchange = async (): Promise<unknown> => {
        const signed = await this.#ask(() => this.#signer.sign(unsigned, 'rest'));
        if (!isAnswerTo(signed, unsigned, this.#dialect)) {
          throw new errors.ExchangeError(`${this.id} countersign: the vault gave another request`);
        }
        return this.#send(signedRequest(request, signed, this.#dialect));
      };
      if (this.#dialect.isOrdered !== true) return exchange();
      const turn = this.#last.then(exchange, exchange);
      this.#last = turn.catch(() => undefined);
      return turn;
    }

    #send({ url, method, headers, body }: CcxtRequest): Promise<unknown> {
      const { origin } = new URL(url);
      return super.fetch(
        (this.#venueUrl ?? origin) + url.slice(origin.length),
        method,
        headers,
        body,
      );
    }

    async #ask<Value>(question: () => Promise<Value>): Promise<Value> {
      try {
        return await question();
      } catch (error) {
        throw error instanceof SigningFailure ? ccxtError(this.id, error.callError, errors) : error;
      }
    }

    /** ccxt asks for it by the venue's address, in places also outside of `watch`. */
    override client(url: string): SocketClient {
      return super.client!(this.#socketUrl(url));
    }

    #socketUrl(url: string): string {
      if (this.#venueUrl === undefined) return url;
      return this.#venueUrl.replace(/^http/, 'ws') + url.slice(new URL(url).origin.length);
    }

    override watch(
      venueUrl: string,
      messageHash: string,
      message?: unknown,
      subscribeHash?: string,
      subscription?: unknown,
    ): Promise<unknown> {
      const url = this.#socketUrl(venueUrl);
      const login = isMessage(message) ? this.#dialect.login?.(message) : undefined;
      // what was sent before is not sent again, and needs no signature
      const isSent = (this.client(url).subscriptions ?? {})[subscribeHash ?? ''] !== undefined;
      if (login === undefined || isSent) {
        return super.watch!(url, messageHash, message, subscribeHash, subscription);
      }
      const name = `${url} ${subscribeHash ?? messageHash}`;
      const pending = this.#logins.get(name);
      if (pending !== undefined) return pending;
      const watched = this.#signMessage(message as Message, login)
        .finally(() => this.#logins.delete(name))
        .then((signed) => super.watch!(url, messageHash, signed, subscribeHash, subscription));
      this.#logins.set(name, watched);
      // ccxt waits for what the message brings about, not always for the message: it hears of a refusal there
      watched.catch((error: Error) => this.client(url).reject(error, messageHash));
      return watched;
    }

    async #signMessage(message: Message, login: Login): Promise<Message> {
      const { method, params } = login;
      const body = Object.keys(params).length === 0 ? '' : JSON.stringify(params);
      const unsigned = { method, path: '', query: '', body };
      const signed = await this.#ask(() => this.#signer.sign(unsigned, 'ws'));
      const text = JSON.parse(signed.body) as Message;
      if (!isLoginFor(login, text, this.#dialect)) {
        throw new errors.ExchangeError(`${this.id} countersign: the vault gave another message`);
      }
      // ccxt knows the answer by the id that it gave
      return 'id' in message ? { ...text, id: message['id'] } : text;
    }

    override async close(): Promise<unknown> {
      this.#signer.close();
      return super.close();
    }
  }
  return VaultExchange as unknown as ThroughVault<Base>;
}
