/** Bybit's private WebSocket: `auth`, and the topic `wallet` (bybit-exchange.github.io/docs/v5/ws/connect). */
import type { Exchange } from '../../exchange/simulated-exchange.js';
import { createLoginSocket, listOf, type SocketMessage } from '../login-socket.js';
import type { VenueAccount, VenueSocket } from '../simulated-venue.js';
import { authenticateLogin } from './bybit-authentication.js';
import { walletView } from './bybit-wallet.js';

export function openBybitSocket(
  exchange: Exchange,
  accounts: readonly VenueAccount[],
): VenueSocket {
  return createLoginSocket({
    logIn: ({ op, args }) => {
      if (op !== 'auth') return undefined;
      const account = authenticateLogin(listOf(args).map(String), accounts, exchange.now());
      const isRight = account !== undefined;
      return { account, answer: answerTo('auth', isRight, isRight ? '' : 'Params Error') };
    },
    answer: (message, account) => subscribe(exchange, message, account),
  });
}

function answerTo(op: string, success: boolean, text = ''): object {
  return { success, ret_msg: text, op, conn_id: 'lab' };
}

function subscribe(
  exchange: Exchange,
  { op, args }: SocketMessage,
  account: VenueAccount | undefined,
): readonly object[] {
  if (op === 'ping') return [{ ...answerTo('ping', true, 'pong') }];
  if (op !== 'subscribe') return [answerTo(String(op), false, 'error:invalid op')];
  if (account === undefined) return [answerTo('subscribe', false, 'error:not authorized')];
  const topics = listOf(args).map(String);
  const strange = topics.find((topic) => topic !== 'wallet');
  if (strange !== undefined)
    return [answerTo('subscribe', false, `error:handler not found,topic:${strange}`)];
  const at = exchange.now();
  return [
    answerTo('subscribe', true),
    ...topics.map((topic) => ({
      topic,
      id: `lab-${at}`,
      creationTime: at,
      data: [walletView(exchange, account.name)],
    })),
  ];
}
