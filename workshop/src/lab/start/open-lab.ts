/** `npm start -- --lab`: simulated venues beside the vault, and a bot with a key at each. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createCountersignClient } from '@countersign/client/countersign-client.js';
import { parsePinnedVault } from '@countersign/client/pinned-vault.js';
import { LAB_VENUES, findLabVenue, openLabVenue } from '../catalogue/lab-venues.js';
import { serveVenue } from '../http/serve-venue.js';
import { accountOf, seedLab, type LabSeed } from '../seed/seed-lab.js';
import { readIfPresent, writePrivateFile } from '@countersign/dev/embedded/private-folder.js';
import { rawPublicKey, type PreparedVault } from '@countersign/dev/stack/prepare-vault.js';
import type { StartPorts } from '@countersign/dev/start/start-ports.js';

/** What the lab put into the vault, kept so that the next start finds it again. Mode 0600. */
const SEED_FILE = 'lab-seed.json';
/** For bots on this machine: where vault and venues are, and how to be the lab's bot. Mode 0600. */
const LAB_FILE = 'lab.json';
const BOT_KEY_FILE = 'lab-bot.pem';

export interface Lab {
  /** For people: how a bot begins. It names the files with credentials, and holds none itself. */
  readonly text: string;
  close(): Promise<void>;
}

export async function openLab(
  vault: PreparedVault,
  baseUrl: string,
  ports: Pick<StartPorts, 'venue'>,
): Promise<Lab> {
  const seed = await readSeed(vault, baseUrl);
  const venues = LAB_VENUES.filter(({ id }) => Object.hasOwn(seed.desks, id));
  const served = await Promise.all(
    venues.map(async (venue, index) => {
      const simulated = openLabVenue(venue, [accountOf(seed.desks[venue.id]!.account)]);
      const { url, close } = await serveVenue(simulated, ports.venue(index));
      return { id: venue.id, url, close };
    }),
  );
  const file = join(vault.home, LAB_FILE);
  await writePrivateFile(
    file,
    `${JSON.stringify(labFacts(vault, baseUrl, seed, served), null, 2)}\n`,
  );
  return {
    text: explainLab(served, relative(process.cwd(), file)),
    close: async () => {
      await Promise.all(served.map(({ close }) => close()));
    },
  };
}

async function readSeed(vault: PreparedVault, baseUrl: string): Promise<LabSeed> {
  const file = join(vault.home, SEED_FILE);
  const found = await readIfPresent(file);
  if (found !== undefined) return JSON.parse(found) as LabSeed;
  const client = createCountersignClient({
    baseUrl,
    apiKey: vault.admin.api_key,
    privateKey: createPrivateKey(readFileSync(vault.admin.private_key_file)),
  });
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  await writePrivateFile(join(vault.home, BOT_KEY_FILE), pem);
  const pinned = parsePinnedVault(JSON.parse(readFileSync(vault.genesisFile, 'utf8')));
  if (pinned === undefined) throw new Error('the genesis file is none');
  try {
    const administrator = { client, userId: vault.admin.user_id, vault: pinned };
    const botPublicKey = rawPublicKey(privateKey).toString('base64url');
    // a seed that was given up halfway keeps its names
    const mark = ` ${Date.now().toString(36)}`;
    const seed = await seedLab(administrator, { botPublicKey, mark });
    await writePrivateFile(file, `${JSON.stringify(seed)}\n`);
    return seed;
  } finally {
    client.close();
  }
}

interface Served {
  readonly id: string;
  readonly url: string;
}

function labFacts(
  vault: PreparedVault,
  baseUrl: string,
  seed: LabSeed,
  served: readonly Served[],
): object {
  const venues = served.map(({ id, url }) => {
    const { ccxt, symbol } = findLabVenue(id);
    return [id, { url, key_id: seed.desks[id]?.keyId, ccxt, symbol }];
  });
  return {
    base_url: baseUrl,
    bot: {
      user_id: seed.botId,
      api_key: seed.botApiKey,
      private_key_file: join(vault.home, BOT_KEY_FILE),
    },
    venues: Object.fromEntries(venues),
  };
}

function explainLab(served: readonly Served[], file: string): string {
  return [
    '',
    'The lab: simulated venues, where every account has play money and the price goes up and down',
    ...served.map(({ id, url }) => `  ${id.padEnd(18)} ${url}`),
    '',
    'A bot without a secret (save it as bot.mjs in this folder):',
    ...botLines(file).map((line) => `  ${line}`),
    '',
    'docs/how-to/bots.md tells more.',
  ].join('\n');
}

function botLines(file: string): string[] {
  return [
    "import { createPrivateKey } from 'node:crypto';",
    "import { readFileSync } from 'node:fs';",
    "import ccxt from 'ccxt';",
    "import { throughVault } from '@countersign/ccxt/through-vault.js';",
    `const { base_url: baseUrl, bot, venues } = JSON.parse(readFileSync('${file}', 'utf8'));`,
    'const privateKey = createPrivateKey(readFileSync(bot.private_key_file));',
    'const { key_id: keyId, url: venueUrl, symbol } = venues.binance;',
    'const Binance = throughVault(ccxt.binance, ccxt);',
    'const exchange = new Binance({ countersign: { baseUrl, apiKey: bot.api_key, privateKey, keyId, venueUrl } });',
    "console.log((await exchange.createOrder(symbol, 'limit', 'buy', 0.01, 45000)).id);",
  ];
}
