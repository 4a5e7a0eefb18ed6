/** The READMEs of the packages for bots: their first program, against OKX as it is simulated. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findLabVenue, openLabVenue } from '../../infra/lab/dist/catalogue/lab-venues.js';
import { serveVenue, type ServedVenue } from '../../infra/lab/dist/http/serve-venue.js';
import { findPython } from '../support/python.ts';
import { startSigningStub, type SigningStub } from '../support/signing-stub.ts';

const run = promisify(execFile);
const ACCOUNT = { name: 'desk', apiKey: 'LabKey', secret: 'a secret', passphrase: 'a phrase' };

let folder: string;
let stub: SigningStub;
let venue: ServedVenue;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bot-readmes-'));
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'api-key'), `${randomUUID()}\n`);
  writeFileSync(join(folder, 'caller.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  stub = await startSigningStub(ACCOUNT);
  venue = await serveVenue(openLabVenue(findLabVenue('okx'), [ACCOUNT]));
});
afterAll(async () => {
  await stub.close();
  await venue.close();
  rmSync(folder, { recursive: true });
});

function firstBlock(readme: string, language: string): string {
  const [, block = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(
    readFileSync(readme, 'utf8'),
  )!;
  return block;
}

const environment = () => ({
  PATH: process.env['PATH'],
  VAULT_URL: stub.url,
  VENUE_URL: venue.url,
  KEY_ID: randomUUID(),
});

test('the one of the JavaScript package', async () => {
  const urlOf = (path: string) => pathToFileURL(resolve(path)).href;
  const program = firstBlock('client/ccxt/README.md', 'js')
    .replace("'ccxt'", `'${urlOf('node_modules/ccxt/js/ccxt.js')}'`)
    .replace(
      "'@countersign/ccxt/through-vault.js'",
      `'${urlOf('client/ccxt/dist/through-vault.js')}'`,
    );
  writeFileSync(join(folder, 'program.mjs'), program);
  const { stdout } = await run(process.execPath, ['program.mjs'], {
    cwd: folder,
    env: environment(),
  });
  expect(stdout).toBe('BTC 5\n');
}, 60_000);

const python = findPython();
(python === undefined ? test.skip : test)(
  'the one of the Python package (skipped without python3 and cryptography)',
  async () => {
    writeFileSync(join(folder, 'program.py'), firstBlock('client/python/README.md', 'python'));
    const env = { ...environment(), PYTHONPATH: resolve('client/python/src') };
    const { stdout } = await run(python!, ['-B', 'program.py'], { cwd: folder, env });
    const names = ['KEY', 'PASSPHRASE', 'SIGN', 'TIMESTAMP'].map((name) => `'OK-ACCESS-${name}'`);
    expect(stdout).toBe(`GET /api/v5/account/balance?ccy=BTC [${names.join(', ')}]\n`);
  },
  60_000,
);
