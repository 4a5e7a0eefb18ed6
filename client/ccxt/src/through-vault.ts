/**
 * A ccxt exchange whose signed requests go through a vault. ccxt builds and signs each request as always, with a
 * placeholder for the secret that it has not; what it signed is taken out, the vault signs in its place, and ccxt sends
 * that and reads the answer.
 */
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
  /** Scheme, host and port in place of the venue's, e.g. of a simulator. */
  readonly venueUrl?: string;
};

export interface VaultConfig {
  readonly countersign: VaultOptions;
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
  client?(url: string): { reject(error: Error, messageHash: string): void };
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
      if (dialect === undefined) throw new RangeError(`${this.id} is not served through a vault`);
      for (const name of ['secret', 'privateKey', 'password', 'walletAddress']) {
        if (config[name] !== undefined) throw new TypeError(`${name}: the vault has it`);
      }
      Object.assign(this, {
        ...dialect.placeholders,
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

    override watch(
      url: string,
      messageHash: string,
      message?: unknown,
      subscribeHash?: string,
      subscription?: unknown,
    ): Promise<unknown> {
      const login = isMessage(message) ? this.#dialect.login?.(message) : undefined;
      if (login === undefined) {
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
      watched.catch((error: Error) => this.client?.(url).reject(error, messageHash));
      return watched;
    }

    async #signMessage(message: Message, { method, params }: Login): Promise<Message> {
      const body = Object.keys(params).length === 0 ? '' : JSON.stringify(params);
      const unsigned = { method, path: '', query: '', body };
      const signed = await this.#ask(() => this.#signer.sign(unsigned, 'ws'));
      const text = JSON.parse(signed.body) as Message;
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
