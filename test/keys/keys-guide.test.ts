/** docs/how-to/keys.md is followed as it stands there: a secret imported by the command, an order signed by the script. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readGenesisPin } from '../../infra/admin/dist/genesis/read-genesis.js';
import { readAsBinance, type SentRequest } from '../support/binance-venue.ts';
import { importRecipients } from '../support/desk-import.ts';
import type { KeyView } from '../support/standalone-keys.ts';
import { eventually, openSharedVault, type VaultInUse } from '../support/test-vault.ts';

const run = promisify(execFile);
const SECRET = 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j';

let vault: VaultInUse;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-keys-'));
  vault = await openSharedVault();
  await vault.createWallet();
  await importRecipients(vault);
}, 60_000);
afterAll(async () => {
  await vault?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function secretFile(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

/** The guide's commands, with this vault's files in the places of those that `npm start` writes. */
async function commandsOfGuide(): Promise<string[][]> {
  const guide = readFileSync('docs/how-to/keys.md', 'utf8');
  const [, block = ''] = /(npm run -s countersign -- login[\s\S]*?)```/.exec(guide) ?? [];
  const { admin } = vault.prepared;
  const pin = await readGenesisPin(vault.servers.ownerUrl);
  const replaced = block
    .replace(/"\$\(node -p[^)]*\)[^)]*\)"/, admin.user_id)
    .replace('http://127.0.0.1:8080', vault.baseUrl)
    .replace('.countersign/admin.api-key', secretFile('api-key', admin.api_key))
    .replace('.countersign/admin.pem', admin.private_key_file)
    .replace('.countersign/genesis.json', secretFile('genesis.json', JSON.stringify(pin)))
    .replace('secret.txt', secretFile('secret.txt', SECRET));
  const commands = replaced.split('npm run -s countersign -- ').slice(1);
  return commands.map((one) =>
    [...one.matchAll(/'([^']*)'|([^\s\\]+)/g)].map((match) => match[1] ?? match[2]!),
  );
}

it('imports a secret and signs an order with it', async () => {
  const [login, imports] = (await commandsOfGuide()) as [string[], string[]];
  const type = (args: readonly string[]) =>
    run(process.execPath, ['infra/admin/dist/countersign.js', ...args], {
      env: { XDG_CONFIG_HOME: folder },
    });
  await type(login);
  const imported = await type(imports);
  const key = JSON.parse(imported.stdout) as KeyView;
  expect(key).toMatchObject({ type: 'hmac', venue_id: 'binance', status: 'active' });
  const [order] = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/how-to/keys.md', 'utf8')) ?? [''];
  const printing = order
    .replace(/```(js)?/g, '')
    .replaceAll('console.log(await', 'console.log(JSON.stringify(await')
    .replaceAll("'));", "')));")
    .replace("'./client/examples/call.mjs'", `'${pathToFileURL('client/examples/call.mjs').href}'`);
  writeFileSync(join(folder, 'order.mjs'), printing);
  const { admin } = vault.prepared;
  secretFile('dev.json', JSON.stringify({ base_url: vault.baseUrl, admin }));
  const [small, large] = await eventually(async () => {
    const { stdout } = await run(process.execPath, [join(folder, 'order.mjs'), key.id], {
      env: { COUNTERSIGN_HOME: folder },
    });
    const lines = stdout.trim().split('\n').slice(-2);
    const answers = lines.map((line) => JSON.parse(line) as { status?: string });
    // the script takes the default wait, in which a slow machine may not be done
    return answers.every(({ status }) => status !== 'processing') && answers;
  }, 60_000);
  const { request, operation_class: operationClass } = small as {
    request: SentRequest;
    operation_class: string;
  };
  expect(operationClass).toBe('trade');
  expect(readAsBinance(request, Buffer.from(SECRET))?.get('quantity')).toBe('0.005');
  expect(large).toMatchObject({ err_type: 'forbidden' });
}, 120_000);
