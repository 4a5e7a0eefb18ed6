/** What an account has in each currency, as Deribit tells it, by REST and over WebSocket. */
import type { Exchange } from '../../exchange/simulated-exchange.js';
import { numberOf } from './deribit-order-words.js';

export function summariesOf(exchange: Exchange, account: string) {
  return exchange.balances(account).map(({ asset, free, held }) => ({
    currency: asset,
    balance: numberOf(free + held),
    equity: numberOf(free + held),
    available_funds: numberOf(free),
    maintenance_margin: 0,
    margin_balance: numberOf(free + held),
  }));
}
