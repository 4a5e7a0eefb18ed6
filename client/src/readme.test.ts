/** The blocks of client/README.md, one after the other as one program, against a service. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { API_OPERATIONS } from '@countersign/api/operations/api-operations.js';
import { startFakeService, type FakeService } from '../fixtures/fake-service.js';
import { pemOf } from '../fixtures/key-files.js';
import { signedReceipt } from '../fixtures/signed-receipt.js';
import { createTestVault } from '../fixtures/vault-parties.js';

const run = promisify(execFile);
const userId = randomUUID();
const keyId = randomUUID();

let folder: string;
let service: FakeService | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-readme-'));
});
afterEach(async () => {
  await service?.close();
  rmSync(folder, { recursive: true });
});

/** Programs in another folder find no packages by name. */
function programOfReadme(): string {
  const readme = readFileSync('client/README.md', 'utf8');
  const blocks = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, block]) => block);
  const manifest = JSON.parse(readFileSync('client/package.json', 'utf8')) as {
    exports: Record<string, { default: string }>;
  };
  return blocks
    .join('\n')
    .replaceAll(/'@countersign\/client\/([^']+)'/g, (_match, name: string) => {
      const path = manifest.exports[`./${name}`]?.default;
      if (path === undefined) throw new Error(`the client has no ${name}`);
      return `'${pathToFileURL(resolve('client', path)).href}'`;
    });
}

/** As the vault answers, with a query that shows which order it is of. */
function signedBatch(body: string): object {
  const asked = JSON.parse(body) as { venue_requests: { query: string }[] };
  const results = asked.venue_requests.map(({ query }, index) => ({
    item_id: randomUUID(),
    index,
    status: 'signed',
    request: { query: `${query.split('&').at(-1)} signed` },
  }));
  return { request_id: randomUUID(), results };
}

/** As the vault answers for a key of OKX, whose requests have four headers. */
function signedBalance(): object {
  const { response } = API_OPERATIONS['sign-with-key'].example;
  const names = ['OK-ACCESS-KEY', 'OK-ACCESS-SIGN', 'OK-ACCESS-TIMESTAMP', 'OK-ACCESS-PASSPHRASE'];
  const headers = Object.fromEntries(names.map((name) => [name, 'told']));
  const request = { method: 'GET', path: '/api/v5/account/balance', headers };
  return { ...response, request };
}

test('what the README shows runs', async () => {
  const vault = await createTestVault();
  const genesis = {
    genesis_hash: vault.genesisHash,
    parties: vault.identities.map(({ party, identityPublicKey }) => ({
      party,
      identity_public_key: identityPublicKey,
    })),
  };
  const answer = (body: unknown) => ({ status: 200, body });
  const key = { ...API_OPERATIONS['get-key'].example.response, id: keyId };
  service = await startFakeService({
    'GET /v1/whoami': answer({ id: userId }),
    'POST /v1/vaults': answer(API_OPERATIONS['create-vault'].example.response),
    'GET /v1/keys': answer({ results: [key], next_cursor: null }),
    [`POST /v1/keys/${keyId}/sign`]: answer(signedBalance()),
    [`POST /v1/keys/${keyId}/raw-sign`]: answer({
      signature: 'c2ln',
      receipt: signedReceipt(vault),
    }),
    [`POST /v1/keys/${keyId}/sign-batch`]: ({ body }) => answer(signedBatch(body)),
    'GET /v1/keys/import-recipients': answer(await vault.answer(Date.now() + 60_000)),
    'POST /v1/keys/import': answer(key),
  });
  const files = {
    'api-key': `${randomUUID()}\n`,
    'caller.pem': pemOf(generateKeyPairSync('ed25519').privateKey, 'pkcs8'),
    'genesis.json': JSON.stringify(genesis),
    'secret.txt': 'NhqPtmdSJYdKjVHj',
    'program.mjs': programOfReadme(),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const { stdout, stderr } = await run(process.execPath, ['program.mjs'], {
    cwd: folder,
    env: { VAULT_URL: service.url, KEY_ID: keyId, USER_ID: userId },
  });
  const example = API_OPERATIONS['create-vault'].example.response;
  expect([stdout.trim().split('\n'), stderr]).toEqual([
    [
      'GET /api/v5/account/balance 4',
      `200 ${example.id}`,
      `${keyId} ${key.display_name}`,
      'c2ln the receipt holds',
      'price=50000 signed',
      'price=49990 signed',
      keyId,
    ],
    '',
  ]);
  expect(JSON.stringify(service.seen)).not.toContain('NhqPtmdSJYdKjVHj');
}, 60_000);
