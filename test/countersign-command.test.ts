/** What docs/how-to/install.md and remove-old-requests.md tell an operator to type, typed against an empty database. */
import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, randomBytes, randomUUID, verify } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCountersign } from '../infra/admin/dist/commands/run-countersign.js';
import { rawPublicKey } from '../infra/dev/dist/stack/prepare-vault.js';
import { openLostAnswer } from './support/lost-answer.ts';
import { openTestServers, type TestServers } from './support/test-servers.ts';
import { expectOk, openSharedVault, type VaultInUse } from './support/test-vault.ts';

// each command is a process of its own
jest.setTimeout(120_000);

const run = promisify(execFile);

interface Failure {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In this process: to load the command anew for each would take most of the time. Rejects with a Failure. */
async function countersign(words: readonly string[], databaseUrl = ''): Promise<unknown> {
  let [stdout, stderr] = ['', ''];
  const code = await runCountersign(words, {
    environment: {
      XDG_CONFIG_HOME: folder,
      ...(databaseUrl !== '' && { DATABASE_URL: databaseUrl }),
    },
    readStandardInput: () => Buffer.alloc(0),
    writeOutput: (text) => void (stdout += String(text)),
    writeNote: (text) => void (stderr += text),
    showProgress: () => undefined,
    confirm: async () => undefined,
  });
  if (code !== 0) throw Object.assign(new Error(stderr), { code, stdout, stderr });
  return JSON.parse(stdout);
}

/** As a process of its own: what a party's program says goes past the command. */
async function createKeys(party: number): Promise<string> {
  const words = ['party', 'create-keys', join(folder, `keys-${party}`), String(party)];
  const args = [...words, '--kek-file', join(folder, `kek-${party}`)];
  const { stdout } = await run(process.execPath, ['infra/admin/dist/countersign.js', ...args]);
  const file = join(folder, `party-${party}.json`);
  writeFileSync(file, stdout);
  return file;
}

/** What `init` is given but for the places that it writes to, and a database without a genesis. */
async function emptyVault() {
  const empty = await openTestServers();
  const evidenceKey = at(`${randomUUID()}.key`);
  await countersign(['evidence-key', 'create', evidenceKey]);
  const keys = () => randomBytes(32).toString('base64');
  const parties = [1, 2, 3].map((party) => {
    const file = at(`public-${party}.json`);
    const publicKeys = { identity_public_key: keys(), exchange_public_key: keys() };
    writeFileSync(file, JSON.stringify(publicKeys));
    return file;
  });
  const user = rawPublicKey(generateKeyPairSync('ed25519').privateKey).toString('base64url');
  const files = ['--parties', parties.join(','), '--evidence-key', evidenceKey];
  const words = ['init', ...files, '--user', `Ada=${user}`];
  return { words, databaseUrl: empty.roleUrls.gateway, close: () => empty.close() };
}

const at = (name: string) => join(folder, name);

let folder: string;
let servers: TestServers;
let vault: VaultInUse;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-command-'));
  [servers, vault] = await Promise.all([openTestServers(), openSharedVault()]);
}, 60_000);
afterAll(async () => {
  await vault?.close();
  await servers?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe('countersign', () => {
  it('makes a genesis once, and a second time is an error', async () => {
    const parties = await Promise.all([1, 2, 3].map(createKeys));
    const user = rawPublicKey(generateKeyPairSync('ed25519').privateKey).toString('base64url');
    const evidenceKey = join(folder, 'first-evidence.key');
    await countersign(['evidence-key', 'create', evidenceKey]);
    const files = ['--parties', parties.join(','), '--evidence-key', evidenceKey];
    const secrets = join(folder, 'first-users');
    const args = ['init', ...files, '--user', `Ada=${user}`, '--secret-folder', secrets];
    const created = (await countersign(args, servers.roleUrls.gateway)) as {
      genesis_hash: string;
      users: { user_id: string }[];
    };
    const file = join(secrets, `${created.users[0]!.user_id}.api-key`);
    expect(created).toMatchObject({ users: [{ display_name: 'Ada', api_key_file: file }] });
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f-]{36}\n$/);
    expect([statSync(secrets).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(JSON.stringify(created)).not.toContain(readFileSync(file, 'utf8').trim());
    const pinned = await countersign(['genesis'], servers.roleUrls.gateway);
    expect(pinned).toMatchObject({
      genesis_hash: created.genesis_hash,
    });
    const again = args.with(-1, join(folder, 'again'));
    await expect(countersign(again, servers.roleUrls.gateway)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has its genesis'),
    } satisfies Partial<Record<keyof Failure, unknown>>);
    expect(existsSync(join(folder, 'again'))).toBe(false);
  });

  it('makes no genesis where one lies already, nor where API keys cannot be kept', async () => {
    const { words, databaseUrl, close } = await emptyVault();
    try {
      const genesis = at('genesis-of-another-vault.json');
      writeFileSync(genesis, 'another');
      const secrets = at('users-of-none');
      const asked = [...words, '--secret-folder', secrets, '--genesis', genesis];
      await expect(countersign(asked, databaseUrl)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${genesis} is there`),
      });
      expect([readFileSync(genesis, 'utf8'), existsSync(secrets)]).toEqual(['another', false]);
      const inFile = [...words, '--secret-folder', join(genesis, 'folder')];
      await expect(countersign(inFile, databaseUrl)).rejects.toMatchObject({ code: 1 });
      await expect(countersign(['genesis'], databaseUrl)).rejects.toMatchObject({
        stderr: expect.stringContaining('the ledger has no genesis'),
      });
    } finally {
      await close();
    }
  });

  it('keeps the API keys of a genesis that came into force with its answer lost', async () => {
    const { words, databaseUrl, close } = await emptyVault();
    const cut = await openLostAnswer(databaseUrl, 'countersign_append');
    try {
      const secrets = at('users-in-doubt');
      const failure = await countersign([...words, '--secret-folder', secrets], cut.url).then(
        () => undefined,
        (error: unknown) => error as Failure,
      );
      const { genesis_hash: hash } = (await countersign(['genesis'], databaseUrl)) as {
        genesis_hash: string;
      };
      expect(failure?.stderr).toContain(`whether the genesis ${hash} is in force is not known`);
      expect(failure?.stderr).toContain('Run `countersign genesis`');
      const [file, ...more] = readdirSync(secrets);
      expect(more).toEqual([]);
      expect(readFileSync(join(secrets, file!), 'utf8')).toMatch(/^[0-9a-f-]{36}\n$/);
    } finally {
      await cut.close();
      await close();
    }
  });

  it('makes an evidence key that only its owner can read, and never overwrites one', async () => {
    const file = join(folder, 'evidence.key');
    await countersign(['evidence-key', 'create', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(countersign(['evidence-key', 'create', file])).rejects.toMatchObject({ code: 1 });
  });

  it('verifies a receipt against a pinned genesis, and refuses a changed one', async () => {
    const wallet = await vault.createWallet();
    const message = Buffer.from('with a receipt');
    const answer = await expectOk<{ signature: string; receipt: { ledger_seq: number } }>(
      vault.admin,
      'POST',
      `${wallet.path}/raw-sign`,
      { message: message.toString('base64') },
    );
    const x = Buffer.from(wallet.publicKey, 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, message, key, Buffer.from(answer.signature, 'base64'))).toBe(true);

    const genesis = join(folder, 'genesis.json');
    writeFileSync(
      genesis,
      JSON.stringify(await countersign(['genesis'], vault.servers.roleUrls.gateway)),
    );
    const receipt = join(folder, 'receipt.json');
    writeFileSync(receipt, JSON.stringify(answer.receipt));
    const files = { message: join(folder, 'message'), signature: join(folder, 'signature') };
    writeFileSync(files.message, message);
    writeFileSync(files.signature, Buffer.from(answer.signature, 'base64'));
    const beside = ['--message', files.message, '--signature', files.signature];
    const publicKey = ['--public-key', wallet.publicKey];
    const args = ['receipt', 'verify', receipt, '--genesis', genesis, '--json'];
    expect(await countersign([...args, ...beside, ...publicKey])).toMatchObject({
      checks: { receipt: 'holds', message: 'holds', signature: 'holds', public_key: 'holds' },
      scheme: 'ed25519',
    });

    const changed = { ...answer.receipt, ledger_seq: answer.receipt.ledger_seq + 1 };
    writeFileSync(receipt, JSON.stringify(changed));
    await expect(countersign(args)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('was not signed by party'),
    });
    await expect(countersign([...args, '--nonsense'])).rejects.toMatchObject({ code: 2 });
  });

  it('explains a request to a venue, and what could not be signed is a failure', async () => {
    const cancel = "curl -X DELETE 'https://api.binance.com/api/v3/order?symbol=A&orderId=1'";
    expect(await countersign(['venue', 'explain', 'binance', cancel])).toMatchObject({
      venue: 'binance',
      reads_as: { operation_class: 'cancel' },
    });
    const twice = ['venue', 'explain', 'binance', 'GET /api/v3/order?symbol=A&symbol=B'];
    await expect(countersign(twice)).rejects.toMatchObject({ code: 1 });
    await expect(countersign(twice.slice(0, 3))).rejects.toMatchObject({ code: 2 });
  });

  it('takes away what is old, of an age that is said', async () => {
    const args = ['requests', 'remove-old', '--older-than'];
    expect(await countersign([...args, '400', '--dry-run'], servers.ownerUrl)).toEqual({
      older_than_days: 400,
      dry_run: true,
      rows: {
        signing_request: 0,
        request_result: 0,
        idempotency_key: 0,
        promised_request: 0,
        batch_evidence: 0,
      },
    });
    await expect(countersign([...args, '29'], servers.ownerUrl)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('30 or more'),
    } satisfies Partial<Record<keyof Failure, unknown>>);
  });

  it('tells wrong usage from failure', async () => {
    await expect(countersign([])).rejects.toMatchObject({ code: 2 });
    await expect(countersign(['requets', 'list'])).rejects.toMatchObject({
      code: 2,
      stderr: "countersign: unknown command 'requets'\n(Did you mean requests?)\n",
    });
    const typed = run(process.execPath, ['infra/admin/dist/countersign.js', 'nonsense']);
    await expect(typed).rejects.toMatchObject({ code: 2, stdout: '' });
  });
});
