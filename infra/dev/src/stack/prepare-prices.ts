/** What a relay of prices on this machine needs, and who believes it: made once and kept in the home folder. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPriceKey } from '@countersign/admin/prices/create-price-key.js';
import { FIRST_PRICES } from './simulated-prices.js';

export interface PreparedPrices {
  /** The relay's private key. */
  readonly keyFile: string;
  /** Where it takes its prices from. */
  readonly sourcesFile: string;
  /** Its one source: whoever changes it moves the prices. */
  readonly simulatedFile: string;
  /** What gateway and parties believe. */
  readonly trustFile: string;
}

const RELAY = 'simulated';

/** Safe to run again: what is there is kept. */
export function preparePrices(home: string): PreparedPrices {
  const folder = join(home, 'prices');
  const prepared = {
    keyFile: join(folder, 'relay.key'),
    sourcesFile: join(folder, 'sources.json'),
    simulatedFile: join(folder, 'simulated-prices.json'),
    trustFile: join(folder, 'prices.json'),
  };
  // written last: with it all the others are there
  if (existsSync(prepared.trustFile)) return prepared;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // of a start that was killed: nobody believes it yet
  rmSync(prepared.keyFile, { force: true });
  const publicKey = createPriceKey(prepared.keyFile);
  writeJson(prepared.simulatedFile, FIRST_PRICES);
  writeJson(prepared.sourcesFile, {
    relay: RELAY,
    every_s: 5,
    sources_needed: 1,
    sources: [
      {
        name: 'simulator',
        type: 'file',
        file: prepared.simulatedFile,
        max_age_s: 86_400,
        prices: Object.fromEntries(Object.keys(FIRST_PRICES).map((asset) => [asset, `/${asset}`])),
      },
    ],
  });
  writeJson(prepared.trustFile, {
    relays: [{ name: RELAY, public_key: publicKey }],
    relays_needed: 1,
    max_age_s: 60,
  });
  return prepared;
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
