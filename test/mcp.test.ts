/** The tools for a language model, asked by the protocol's own client: what docs/how-to/models.md shows, against a running vault. */
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { grant } from './support/api.ts';
import { deskGroup, openBotDesk, type BotDesk } from './support/bot-desk.ts';
import { solanaTransfer } from './support/solana-transfer.ts';
import { expectOk, type TestUser } from './support/test-vault.ts';

jest.setTimeout(60_000);

interface Rule {
  readonly display_name: string;
  readonly when: { readonly initiators?: unknown };
}

interface Policy {
  readonly members: readonly { readonly member_id: string }[];
  readonly rules: readonly Rule[];
}

let desk: BotDesk;
let folder: string;
let model: TestUser;
let rules: readonly Rule[];
let keyId: string;
let client: Client;
beforeAll(async () => {
  desk = await openBotDesk();
  folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  keyId = desk.seed.desks['binance']!.keyId;
  model = await desk.vault.createMachine();
  await grant(desk.vault, model.id, 'view_system_resources');
  rules = await giveBudget(model);
  client = await connect(model);
}, 120_000);
afterAll(async () => {
  await client?.close();
  rmSync(folder, { recursive: true, force: true });
  await desk?.close();
}, 60_000);

/** The page's rules, for this user. */
async function giveBudget({ id }: TestUser): Promise<readonly Rule[]> {
  const page = readFileSync('docs/how-to/models.md', 'utf8');
  const [, block = ''] = /```json\n([\s\S]*?)```/.exec(page)!;
  const written = JSON.parse(block.replaceAll('<model>', id)) as Rule[];
  const { admin } = desk.vault;
  const body = {
    display_name: 'the budget of a model',
    security_group_id: await deskGroup(desk, 'binance'),
    rules: written,
  };
  await expectOk(admin, 'POST', '/v1/signing-policies', body);
  return written;
}

async function connect({ credential }: TestUser): Promise<Client> {
  if (!('privateKey' in credential)) throw new Error('a machine has a key');
  const pem = join(folder, 'model.pem');
  writeFileSync(pem, credential.privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const file = join(folder, 'model.json');
  const kept = { api_key: credential.apiKey, private_key_file: pem };
  writeFileSync(file, JSON.stringify(kept), { mode: 0o600 });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['client/mcp/dist/main.js'],
    env: { COUNTERSIGN_URL: desk.vault.baseUrl, COUNTERSIGN_CREDENTIAL_FILE: file },
  });
  const opened = new Client({ name: 'test', version: '1' });
  await opened.connect(transport);
  return opened;
}

/** What a tool says, as the model reads it. */
async function ask(name: string, given: object = {}): Promise<Record<string, unknown>> {
  const answer = await client.callTool({ name, arguments: { ...given } });
  const [said] = answer.content as { text: string }[];
  const told = JSON.parse(said!.text) as Record<string, unknown>;
  expect('error' in told).toBe(answer.isError);
  return told;
}

/** A purchase for so many USDT. */
const order = (cost: string, more = '') => ({
  key_id: keyId,
  venue_request: {
    channel: 'rest',
    method: 'POST',
    path: '/api/v3/order',
    query: `symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=${cost}${more}`,
  },
});

const withdrawal = () => ({
  key_id: keyId,
  venue_request: {
    channel: 'rest',
    method: 'POST',
    path: '/sapi/v1/capital/withdraw/apply',
    query: 'coin=BTC&address=bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq&amount=0.1',
  },
});

it('has tools that sign, try and read, and none that changes a rule', async () => {
  const { tools } = await client.listTools();
  const marks = tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]);
  expect(Object.fromEntries(marks)).toEqual({
    read_limits: true,
    evaluate_venue_request: true,
    evaluate_transaction: true,
    sign_venue_request: false,
    sign_transaction: false,
    read_request: true,
  });
  // and what its source asks of a vault
  const source = readFileSync('client/mcp/src/vault-tools.ts', 'utf8');
  const called = [...source.matchAll(/\bcall\('([a-z-]+)'/g)].map(([, id]) => id);
  expect(new Set(called)).toEqual(
    new Set(['evaluate-signing-policies', 'get-request', 'sign-with-key', 'sign']),
  );
});

it('reads its own limits, and not those of others', async () => {
  const { user, policies } = (await ask('read_limits')) as { user: TestUser; policies: Policy[] };
  expect(user.id).toBe(model.id);
  const isOfKey = ({ members }: Policy) => members.some(({ member_id }) => member_id === keyId);
  // the bot with this key has rules of its own there
  const [own, ...more] = policies.filter(isOfKey);
  expect([own!.members, more]).toEqual([[expect.objectContaining({ member_id: keyId })], []]);
  expect(own!.rules).toMatchObject(rules);
  // others who use this vault have rules that speak of anyone, and of some user
  for (const { rules: told } of policies.filter((policy) => !isOfKey(policy))) {
    const initiators = told.map(({ when }) => when.initiators ?? 'anyone');
    expect(initiators).toContain('anyone');
  }
});

it('is told beforehand what would be decided', async () => {
  await expect(ask('evaluate_venue_request', order('50'))).resolves.toMatchObject({
    outcome: 'allow',
  });
  await expect(ask('evaluate_venue_request', withdrawal())).resolves.toMatchObject({
    outcome: 'deny',
  });
});

it('spends its budget and not a unit more', async () => {
  const forbidden = { error: { errType: 'forbidden', status: 403 } };
  await expect(ask('sign_venue_request', order('100'))).resolves.toMatchObject(forbidden);
  for (const id of ['first', 'second']) {
    const signed = await ask('sign_venue_request', order('50', `&newClientOrderId=${id}`));
    expect(signed).toMatchObject({ operation_class: 'trade', request: { method: 'POST' } });
  }
  await expect(ask('sign_venue_request', order('50'))).resolves.toMatchObject(forbidden);
  await expect(ask('sign_venue_request', withdrawal())).resolves.toMatchObject(forbidden);
});

it('cannot use what no rule gives it', async () => {
  const { vaultId, address } = await desk.vault.createWallet();
  const given = { vault_id: vaultId, address, ...solanaTransfer({ source: address }) };
  await expect(ask('evaluate_transaction', given)).resolves.toMatchObject({ outcome: 'deny' });
  await expect(ask('sign_transaction', given)).resolves.toMatchObject({
    error: { errType: 'forbidden' },
  });
});

it('is stopped by a freeze of its user', async () => {
  await expectOk(desk.vault.admin, 'POST', `/v1/users/freeze?user_ids=${model.id}`, {});
  await expect(ask('sign_venue_request', order('1'))).resolves.toMatchObject({
    error: { errType: 'unauthorized' },
  });
});
