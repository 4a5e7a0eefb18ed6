/** `countersign venue check-key` against a venue that checks the vault's signature as Binance does. */
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCountersign } from '../infra/admin/dist/commands/run-countersign.js';
import { grant } from './support/api.ts';
import { allowKeys, generateKey, type KeyView } from './support/standalone-keys.ts';
import { openSharedVault, type TestUser, type VaultInUse } from './support/test-vault.ts';

jest.setTimeout(120_000);

const PATH = '/sapi/v1/account/apiRestrictions';
const SAFE = { ipRestrict: true, enableReading: true, enableWithdrawals: false };

let vault: VaultInUse;
let folder: string;
let officer: TestUser;
let key: KeyView;
let venue: Server;
let answer: { status: number; body: string; location?: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'check-key-'));
  vault = await openSharedVault();
  officer = await vault.createMachine();
  await grant(vault, officer.id, 'view_system_resources');
  key = await generateKey(vault, {
    ...{ type: 'ed25519', display_name: `Checked ${officer.id}` },
    ...{ venue_id: 'binance', venue_api_key: 'checkedApiKey' },
  });
  await allowKeys(vault, [key.id], {
    operation_classes: ['read'],
    initiators: { user_ids: [officer.id] },
  });
  venue = createServer(answerAsBinance).listen(0, '127.0.0.1');
  await once(venue, 'listening');
  await login();
}, 120_000);
afterAll(async () => {
  venue?.close();
  await vault?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function answerAsBinance({ url = '', method, headers }: IncomingMessage, out: ServerResponse) {
  const [path, query = ''] = url.split('?');
  const [, text = '', signature = ''] = /^(.*)&signature=([^&]*)$/.exec(query) ?? [];
  const publicKey = createPublicKey(key.public_key!.pem);
  const bytes = Buffer.from(decodeURIComponent(signature), 'base64');
  const isSigned =
    headers['x-mbx-apikey'] === 'checkedApiKey' &&
    verify(null, Buffer.from(text), publicKey, bytes);
  const isAsked = method === 'GET' && path === PATH && /timestamp=\d{13}/.test(text);
  if (!isAsked || !isSigned) return void out.writeHead(400).end('{"code":-1022}');
  const { status, body, location } = answer;
  out.writeHead(status, location === undefined ? {} : { location }).end(body);
}

async function countersign(...words: string[]) {
  let [output, notes] = ['', ''];
  const code = await runCountersign(words, {
    environment: { XDG_CONFIG_HOME: folder },
    readStandardInput: () => Buffer.alloc(0),
    writeOutput: (text) => void (output += String(text)),
    writeNote: (text) => void (notes += text),
    showProgress: () => undefined,
    confirm: async () => undefined,
  });
  return { code, output, notes };
}

const check = (...words: string[]) => {
  const url = `http://127.0.0.1:${(venue.address() as AddressInfo).port}`;
  return countersign('venue', 'check-key', key.id, '--base-url', url, ...words);
};

const says = (body: object) => void (answer = { status: 200, body: JSON.stringify(body) });

async function login(): Promise<void> {
  const { apiKey, privateKey } = officer.credential;
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  const files = ['--api-key-file', write('api', apiKey), '--private-key-file', write('pem', pem)];
  expect(await countersign('login', '--url', vault.baseUrl, ...files)).toMatchObject({ code: 0 });
}

describe('venue check-key', () => {
  it('asks by a request that the vault signed, and tells what the venue says', async () => {
    says(SAFE);
    const { code, output, notes } = await check();
    expect({ code, notes }).toEqual({ code: 0, notes: '' });
    expect(output).toMatch(/^may +enableReading$/m);
    expect(output).toMatch(/^may withdraw +no$/m);
    expect(JSON.parse((await check('--json')).output)).toEqual({
      ...{ venue_id: 'binance', permissions: ['enableReading'], can_withdraw: false },
      ...{ addresses: 'unlisted', expires_at: null, warnings: [] },
    });
  });

  it('warns, with exit code 1', async () => {
    says({ ...SAFE, ipRestrict: false, enableWithdrawals: true });
    const { code, output } = await check();
    expect(code).toBe(1);
    expect(output.match(/^warning /gm)).toHaveLength(2);
  });

  it.each<[string, typeof answer, RegExp]>([
    ['refuses', { status: 401, body: '{"code":-2015}' }, /answered 401: \{"code":-2015\}/],
    ['says something else', { status: 200, body: '{"x":1}' }, /did not say/],
    ['says no JSON', { status: 200, body: '<html>' }, /no JSON/],
    ['says too much', { status: 200, body: 'x'.repeat(70_000) }, /too much/],
    [
      'sends elsewhere',
      { status: 302, body: '', location: 'https://x.example/' },
      /cannot be asked/,
    ],
  ])('says so where the venue %s, with nothing of the request', async (_what, given, text) => {
    answer = given;
    const { code, notes } = await check();
    expect(code).toBe(1);
    expect(notes).toMatch(text);
    expect(notes).not.toMatch(/signature=|checkedApiKey/);
  });

  it('sends the signed question nowhere without TLS but to this machine', async () => {
    const words = ['venue', 'check-key', key.id, '--base-url'];
    for (const url of ['http://venue.example.com', 'file:///etc/passwd', 'venue']) {
      expect(await countersign(...words, url)).toMatchObject({ code: 2 });
    }
  });

  it('is refused by the vault where no rule lets the caller read with the key', async () => {
    const other = await generateKey(vault, {
      ...{ type: 'ed25519', display_name: `Unruled ${officer.id}` },
      ...{ venue_id: 'binance', venue_api_key: 'otherApiKey' },
    });
    const { code, notes } = await countersign('venue', 'check-key', other.id);
    expect(code).toBe(1);
    expect(notes).toMatch(/resource_not_found|forbidden/);
  });
});
