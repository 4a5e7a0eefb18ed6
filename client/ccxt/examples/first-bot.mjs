// A first bot, at Binance as the lab simulates it: node client/ccxt/examples/first-bot.mjs .countersign/lab.json
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import ccxt from 'ccxt';
import { throughVault } from '@countersign/ccxt/through-vault.js';

const lab = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { key_id: keyId, url: venueUrl, symbol } = lab.venues.binance;

const exchange = new (throughVault(ccxt.binance, ccxt))({
  countersign: {
    baseUrl: lab.base_url,
    apiKey: lab.bot.api_key,
    privateKey: createPrivateKey(readFileSync(lab.bot.private_key_file)),
    keyId,
    venueUrl,
  },
});

/** What came of it, or the class of ccxt's error. */
async function tell(what, act) {
  const outcome = await act().catch((error) => error.constructor.name);
  console.log(`${what}: ${outcome}`);
}

async function order(size) {
  const { last } = await exchange.fetchTicker(symbol);
  const { id } = await exchange.createOrder(symbol, 'limit', 'buy', size, Math.round(last * 0.9));
  return (await exchange.fetchOrder(id, symbol)).status;
}

await tell('order', () => order(0.01));
await tell('too large', () => order(50));
await tell('withdrawal', () =>
  exchange.withdraw('USDT', 10, '0x0000000000000000000000000000000000000001'),
);
await exchange.close();
