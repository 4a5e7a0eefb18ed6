// The grid bot at one venue of the lab: `node run-grid.mjs .countersign/lab.json binance 60`. The program that a desk runs
// differs in its `countersign` alone.
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import ccxt from 'ccxt';
import { throughVault } from '@countersign/ccxt/through-vault.js';
import { runGrid } from './grid-bot.mjs';

const [file, venueId, seconds] = process.argv.slice(2);
const { base_url: baseUrl, bot, venues } = JSON.parse(readFileSync(file, 'utf8'));
const { key_id: keyId, url: venueUrl, ccxt: name, symbol } = venues[venueId];
const exchange = new (throughVault(ccxt[name], ccxt))({
  countersign: {
    baseUrl,
    apiKey: bot.api_key,
    privateKey: createPrivateKey(readFileSync(bot.private_key_file)),
    keyId,
    venueUrl,
  },
});
const report = await runGrid(exchange, { symbol, size: 0.001, durationMs: Number(seconds) * 1000 });
console.log(JSON.stringify(report));
await exchange.close();
