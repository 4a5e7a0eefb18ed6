/** A trading account as OKX tells it, by REST and over WebSocket. */
import { formatDecimal } from '../../exchange/exact-decimal.js';
import type { Exchange } from '../../exchange/simulated-exchange.js';

export function balanceView(exchange: Exchange, account: string): object {
  return {
    uTime: String(exchange.now()),
    details: exchange.balances(account).map(({ asset, free, held }) => ({
      ccy: asset,
      eq: formatDecimal(free + held),
      cashBal: formatDecimal(free + held),
      availBal: formatDecimal(free),
      availEq: formatDecimal(free),
      frozenBal: formatDecimal(held),
    })),
  };
}
