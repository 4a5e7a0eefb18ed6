/** What the first program of a package's README needs to run: a vault's stand-in, OKX as it is simulated, a bot's credential. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLabVenue, openLabVenue } from '../../workshop/dist/lab/catalogue/lab-venues.js';
import { serveVenue } from '../../workshop/dist/lab/http/serve-venue.js';
import { startSigningStub } from './signing-stub.ts';

const ACCOUNT = { name: 'desk', apiKey: 'LabKey', secret: 'a secret', passphrase: 'a phrase' };

export interface ReadmeDesk {
  /** Where the program is to run: it reads its credential there. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  close(): Promise<void>;
}

export async function openReadmeDesk(): Promise<ReadmeDesk> {
  const folder = mkdtempSync(join(tmpdir(), 'bot-readmes-'));
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'api-key'), `${randomUUID()}\n`);
  writeFileSync(join(folder, 'caller.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const stub = await startSigningStub(ACCOUNT);
  const venue = await serveVenue(openLabVenue(findLabVenue('okx'), [ACCOUNT]));
  return {
    folder,
    environment: {
      PATH: process.env['PATH'],
      VAULT_URL: stub.url,
      VENUE_URL: venue.url,
      KEY_ID: randomUUID(),
    },
    async close() {
      await stub.close();
      await venue.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export function firstBlock(readme: string, language: string): string {
  const pattern = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``);
  const [, block = ''] = pattern.exec(readFileSync(readme, 'utf8'))!;
  return block;
}

/** What the JavaScript program prints. */
export const JS_README_SAYS = 'BTC 5\n';

const NAMES = ['KEY', 'PASSPHRASE', 'SIGN', 'TIMESTAMP'].map((name) => `'OK-ACCESS-${name}'`);

/** What the Python program prints. */
export const PYTHON_README_SAYS = `GET /api/v5/account/balance?ccy=BTC [${NAMES.join(', ')}]\n`;
