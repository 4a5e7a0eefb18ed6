/**
 * Coinbase Advanced over WebSocket: each subscription brings a token of its own, without a place that it is good for; the
 * channel `user` tells the orders that are open (docs.cdp.coinbase.com, Advanced Trade WebSocket).
 */
import type { Exchange } from '../../exchange/simulated-exchange.js';
import { isLive } from '../../exchange/orders.js';
import { createLoginSocket, listOf, type SocketMessage } from '../login-socket.js';
import type { VenueAccount, VenueSocket } from '../simulated-venue.js';
import { authenticateToken } from './coinbase-authentication.js';
import { productOf, socketOrderView } from './coinbase-order-words.js';

export function openCoinbaseSocket(
  exchange: Exchange,
  accounts: readonly VenueAccount[],
): VenueSocket {
  return createLoginSocket({
    logIn: () => undefined,
    answer: (message) => subscribe(exchange, message, accounts),
  });
}

function subscribe(
  exchange: Exchange,
  { type, channel, product_ids: products, jwt }: SocketMessage,
  accounts: readonly VenueAccount[],
): readonly object[] {
  const account = authenticateToken(String(jwt), accounts, undefined, exchange.now());
  if (account === undefined) return [{ type: 'error', message: 'authentication failure' }];
  if (type !== 'subscribe' || channel !== 'user') {
    return [{ type: 'error', message: 'failed to subscribe: invalid channel' }];
  }
  const wanted = listOf(products);
  const orders = exchange
    .orders(account.name)
    .filter((order) => isLive(order))
    .filter(({ terms }) => wanted.length === 0 || wanted.includes(productOf(terms.market)));
  const head = {
    client_id: '',
    timestamp: new Date(exchange.now()).toISOString(),
    sequence_num: 0,
  };
  return [
    { ...head, channel: 'subscriptions', events: [{ subscriptions: { user: [account.name] } }] },
    { ...head, channel, events: [{ type: 'snapshot', orders: orders.map(socketOrderView) }] },
  ];
}
