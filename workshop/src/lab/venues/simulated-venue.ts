/** What a simulated venue is: a pure answer to a request as it stood on the wire. */
import type { KeyObject } from 'node:crypto';
import type { Exchange } from '../exchange/simulated-exchange.js';

export interface WireRequest {
  readonly method: string;
  /** Raw, before the `?`. */
  readonly path: string;
  /** Raw, after the `?`. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface WireAnswer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: unknown;
}

/** An API key as the venue knows it: secret text as it hands it out, or the public half of the customer's key. */
export interface VenueAccount {
  readonly name: string;
  readonly apiKey: string;
  readonly secret?: string | undefined;
  readonly publicKey?: KeyObject | undefined;
  readonly passphrase?: string | undefined;
}

/** One connection to a venue's WebSocket. */
export interface VenueSocket {
  /** What answers one message of the customer's: objects are sent as JSON, text as it is. */
  receive(text: string): readonly (object | string)[];
}

export interface SimulatedVenue {
  readonly exchange: Exchange;
  handle(request: WireRequest): WireAnswer;
  /** A connection to its private WebSocket, where it has one at this path. */
  readonly openSocket?: (path: string) => VenueSocket | undefined;
}

export interface VenueOptions {
  readonly exchange: Exchange;
  readonly accounts: readonly VenueAccount[];
}

export type Parameters = Readonly<Record<string, string | undefined>>;

/** Of a query or a form, decoded. */
export function readForm(text: string): Parameters {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Values of a JSON body as text, as forms have them; lists and objects as they are. */
export function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** Every value that is text, a number or a boolean. */
export function plainParameters(value: Readonly<Record<string, unknown>>): Parameters {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asText(one)]));
}
