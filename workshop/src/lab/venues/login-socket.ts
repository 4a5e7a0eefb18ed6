/** One connection to a venue's WebSocket: the customer logs in by a signature, and is then told what is theirs. */
import { readJson, type VenueAccount, type VenueSocket } from './simulated-venue.js';

export type SocketMessage = Readonly<Record<string, unknown>>;

export interface LoginOutcome {
  /** Whom the login opened; undefined when it was refused. */
  readonly account?: VenueAccount | undefined;
  readonly answer: object;
}

/** How a venue words it. */
export interface SocketWords {
  /** Undefined for a message that is no login. */
  readonly logIn: (message: SocketMessage) => LoginOutcome | undefined;
  /** `account`: undefined before a login. */
  readonly answer: (message: SocketMessage, account: VenueAccount | undefined) => readonly object[];
}

/** A login that is refused takes nothing from one that was not. */
export function createLoginSocket({ logIn, answer }: SocketWords): VenueSocket {
  let account: VenueAccount | undefined;
  return {
    receive(text) {
      const message = readJson(text);
      if (message === undefined) return text === 'ping' ? ['pong'] : [];
      const login = logIn(message);
      if (login === undefined) return answer(message, account);
      account = login.account ?? account;
      return [login.answer];
    },
  };
}

/** The texts and objects of a list, where there is one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
