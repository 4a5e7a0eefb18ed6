/** Deribit over WebSocket: `public/auth` by client signature, and `user.portfolio.{currency}` (docs.deribit.com). */
import type { Exchange } from '../../exchange/simulated-exchange.js';
import { createLoginSocket, listOf, type SocketMessage } from '../login-socket.js';
import { plainParameters, type VenueAccount, type VenueSocket } from '../simulated-venue.js';
import { authenticateLogin } from './deribit-authentication.js';
import { summariesOf } from './deribit-summaries.js';

const PORTFOLIO = /^user\.portfolio\.(\w+)$/;

/** `seenLogins`: as the requests that were taken, kept for all connections. */
export function openDeribitSocket(
  exchange: Exchange,
  accounts: readonly VenueAccount[],
  seenLogins: Map<string, number>,
): VenueSocket {
  return createLoginSocket({
    logIn: (message) => {
      if (message['method'] !== 'public/auth') return undefined;
      const given = plainParameters({ ...Object(message['params']) });
      const account = authenticateLogin(given, accounts, seenLogins, exchange.now());
      return account === undefined
        ? { answer: failed(message, 13004, 'invalid_credentials') }
        : { account, answer: answerTo(message, token()) };
    },
    answer: (message, account) => subscribe(exchange, message, account),
  });
}

function token(): object {
  return {
    access_token: 'lab',
    refresh_token: 'lab',
    token_type: 'bearer',
    expires_in: 900,
    scope: 'connection',
  };
}

function answerTo({ id }: SocketMessage, result: unknown): object {
  return { jsonrpc: '2.0', id, result, usIn: 0, usOut: 0, usDiff: 0, testnet: false };
}

function failed({ id }: SocketMessage, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message }, testnet: false };
}

function subscribe(
  exchange: Exchange,
  message: SocketMessage,
  account: VenueAccount | undefined,
): readonly object[] {
  if (message['method'] !== 'private/subscribe')
    return [failed(message, -32601, 'Method not found')];
  if (account === undefined) return [failed(message, 13009, 'unauthorized')];
  const { channels } = Object(message['params']) as { channels?: unknown };
  const known = listOf(channels)
    .map(String)
    .filter((channel) => PORTFOLIO.test(channel));
  const told = known.flatMap((channel) =>
    summariesOf(exchange, account.name)
      .filter(({ currency }) => currency === PORTFOLIO.exec(channel)?.[1]?.toUpperCase())
      .map((data) => ({ jsonrpc: '2.0', method: 'subscription', params: { channel, data } })),
  );
  return [answerTo(message, known), ...told];
}
