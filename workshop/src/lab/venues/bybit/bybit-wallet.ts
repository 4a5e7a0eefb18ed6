/** A unified account as Bybit tells it, by REST and over WebSocket. */
import { formatDecimal } from '../../exchange/exact-decimal.js';
import type { Exchange } from '../../exchange/simulated-exchange.js';

export function walletView(exchange: Exchange, account: string): object {
  return {
    accountType: 'UNIFIED',
    coin: exchange.balances(account).map(({ asset, free, held }) => ({
      coin: asset,
      walletBalance: formatDecimal(free + held),
      equity: formatDecimal(free + held),
      locked: formatDecimal(held),
      totalOrderIM: '0',
      totalPositionIM: '0',
      borrowAmount: '0',
    })),
  };
}
