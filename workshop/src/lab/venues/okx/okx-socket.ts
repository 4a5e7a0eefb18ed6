/** OKX' private WebSocket: login, and the channel `account` (okx.com/docs-v5, "WebSocket", "Login", "Account channel"). */
import type { Exchange } from '../../exchange/simulated-exchange.js';
import { createLoginSocket, listOf, type SocketMessage } from '../login-socket.js';
import { plainParameters, type VenueAccount, type VenueSocket } from '../simulated-venue.js';
import { authenticateLogin } from './okx-authentication.js';
import { balanceView } from './okx-balance.js';

const CONNECTION = { connId: 'lab' };

export function openOkxSocket(exchange: Exchange, accounts: readonly VenueAccount[]): VenueSocket {
  return createLoginSocket({
    logIn: ({ op, args }) => {
      if (op !== 'login') return undefined;
      const [stated] = listOf(args);
      const outcome = authenticateLogin(
        plainParameters({ ...Object(stated) }),
        accounts,
        exchange.now(),
      );
      return 'code' in outcome
        ? { answer: errorOf(outcome.code, outcome.msg) }
        : { account: outcome, answer: { event: 'login', code: '0', msg: '', ...CONNECTION } };
    },
    answer: (message, account) => subscribe(exchange, message, account),
  });
}

function errorOf(code: string, msg: string): object {
  return { event: 'error', code, msg, ...CONNECTION };
}

function subscribe(
  exchange: Exchange,
  { op, args }: SocketMessage,
  account: VenueAccount | undefined,
): readonly object[] {
  if (op !== 'subscribe') return [errorOf('60012', 'Illegal request')];
  if (account === undefined) return [errorOf('60011', 'Please log in')];
  return listOf(args).flatMap((stated) => {
    const { channel } = plainParameters({ ...Object(stated) });
    if (channel !== 'account') return [errorOf('60018', 'Wrong URL or channel')];
    const arg = { channel };
    return [
      { event: 'subscribe', arg, ...CONNECTION },
      { arg, data: [balanceView(exchange, account.name)] },
    ];
  });
}
