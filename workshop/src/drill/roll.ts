/**
 * `roll.js OLD NEW [--callers N]`: an upgrade without a pause, tried. OLD and NEW are two built checkouts. A vault of OLD
 * with two gateways and three parties signs under load; then the database is migrated by NEW, and each process is stopped and
 * started again as NEW's, one by one. Prints what was done when, what the callers were answered meanwhile, and in the end
 * what still works. Exit code 1 where a request failed otherwise than by a declared 504.
 */
import { createPrivateKey } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { createCountersignClient } from '@countersign/client/countersign-client.js';
import type { RawClient } from '@countersign/client/raw-client.js';
import type { KeyCredential } from '@countersign/client/sign-request.js';
import { openEmbeddedPostgres } from '@countersign/dev/embedded/postgres.js';
import { openEmbeddedRedis } from '@countersign/dev/embedded/redis.js';
import type * as OpenStack from '@countersign/dev/stack/open-stack.js';
import type * as PrepareVault from '@countersign/dev/stack/prepare-vault.js';
import type { VaultProcess } from '@countersign/dev/stack/vault-process.js';
import { RollingLoad } from './rolling-load.js';

const runFile = promisify(execFile);
const PARTIES = [1, 2, 3] as const;
const GATEWAYS = ['gateway_a', 'gateway_b'] as const;
/** Between two steps: what is mixed is to run for a while. */
const BETWEEN_STEPS_MS = 4_000;

/** What a gateway does by default. */
const DRAIN_S = 5;

type Stack = typeof OpenStack & typeof PrepareVault;

/** What starts the processes of a checkout: its own code, so that nothing of the other is in them. */
async function stackOf(tree: string): Promise<Stack> {
  const load = (name: string) =>
    import(pathToFileURL(join(tree, 'infra/dev/dist/stack', `${name}.js`)).href) as Promise<object>;
  return { ...(await load('open-stack')), ...(await load('prepare-vault')) } as Stack;
}

interface Roll {
  readonly options: OpenStack.StackOptions;
  readonly load: RollingLoad;
  readonly running: Map<string, VaultProcess>;
}

const begunAt = Date.now();
function say(text: string): void {
  console.log(`${((Date.now() - begunAt) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
}

/** In the order of an upgrade. */
async function rollAll(to: Stack, { options, load, running }: Roll): Promise<void> {
  for (const name of GATEWAYS) {
    await replace(name, running, load, async () => {
      const gateway = await to.startGateway(options, 0, name);
      load.setGateway(name, `http://127.0.0.1:${gateway.port}`);
      return gateway;
    });
  }
  for (const party of PARTIES) {
    await replace(`party_${party}`, running, load, () => to.startSigner(options, party));
  }
}

async function replace(
  name: string,
  running: Map<string, VaultProcess>,
  load: RollingLoad,
  start: () => Promise<VaultProcess>,
): Promise<void> {
  const before = Date.now();
  await running.get(name)!.stop();
  running.set(name, await start());
  const took = ((Date.now() - before) / 1_000).toFixed(1);
  await sleep(BETWEEN_STEPS_MS);
  say(`${name} is of the new release, after ${took} s without it; so far: ${load.summary}`);
}

/** A vault of the old release under load, rolled to the new one. Returns whether nothing was lost. */
async function drill(trees: { old: string; new: string }, callers: number): Promise<boolean> {
  const home = mkdtempSync(join(tmpdir(), 'countersign-roll-'));
  const [from, to] = await Promise.all([stackOf(trees.old), stackOf(trees.new)]);
  const dataDir = join(home, 'postgres');
  const postgres = await openEmbeddedPostgres({ dataDir, settings: 'fast' });
  const packagesDir = join(home, 'packages');
  const redis = await openEmbeddedRedis({ dataDir: join(home, 'redis'), packagesDir });
  const running = new Map<string, VaultProcess>();
  const load = new RollingLoad(callers);
  try {
    const roleUrls = await from.prepareDatabase(home, postgres.url);
    const vault = await from.prepareVault(home, roleUrls);
    const options = { vault, redisUrl: redis.url, logLevel: 'warn', drainS: DRAIN_S };
    const roll = { options, load, running };
    await startOld(from, roll);
    const { api_key: apiKey, private_key_file: file, user_id: userId } = vault.admin;
    const admin = { apiKey, privateKey: createPrivateKey(readFileSync(file)) };
    const target = await prepareWallet(clientOf(load.gateways[0]!, admin), userId);
    load.start((url) => clientOf(url, admin), target);
    await sleep(BETWEEN_STEPS_MS);
    say(`${callers} callers sign; so far: ${load.summary}`);
    await migrateBy(trees.new, postgres.url);
    await rollAll(to, roll);
    await load.stop();
    say(`all of the new release: ${load.summary}`);
    await tryAll(clientOf(load.gateways[0]!, admin), userId);
    say('a key was made, a wallet signed, and the vault was frozen, by the new release alone');
    for (const line of load.failures) console.log(`          failed: ${line}`);
    return load.failures.length === 0;
  } finally {
    await load.stop();
    await Promise.all([...running.values()].map((one) => one.stop()));
    await redis.stop();
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function startOld(from: Stack, { options, load, running }: Roll): Promise<void> {
  for (const name of GATEWAYS) {
    const gateway = await from.startGateway(options, 0, name);
    running.set(name, gateway);
    load.setGateway(name, `http://127.0.0.1:${gateway.port}`);
  }
  for (const party of PARTIES) {
    running.set(`party_${party}`, await from.startSigner(options, party));
  }
  for (const url of load.gateways) await from.waitHealthy(url);
  say(`a vault of the old release runs: ${[...running.keys()].join(', ')}`);
}

async function migrateBy(tree: string, databaseUrl: string): Promise<void> {
  const command = join(tree, 'infra/admin/dist/countersign.js');
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const { stdout } = await runFile(process.execPath, [command, 'migrate'], { env });
  say(`migrated by the new release: ${stdout.replaceAll(/\s+/g, '')}`);
}

const clientOf = (baseUrl: string, credential: KeyCredential): RawClient =>
  createCountersignClient({ baseUrl, ...credential });

/** Returns where the wallet's messages are signed. */
async function prepareWallet(client: RawClient, userId: string): Promise<string> {
  const name = `drill ${Date.now()}`;
  const vault = await ask(client, '/v1/vaults', { display_name: name });
  const wallets = `/v1/vaults/${String(vault['id'])}/wallets`;
  const wallet = await ask(client, wallets, { network_family: 'solana' });
  const group = await ask(client, '/v1/security-groups', {
    display_name: name,
    members: [{ member_id: wallet['id'], member_type: 'wallet' }],
  });
  const when = { operations: ['raw_sign'], initiators: { user_ids: [userId] } };
  await ask(client, '/v1/signing-policies', {
    display_name: name,
    security_group_id: group['id'],
    rules: [{ display_name: 'allow', when, then: 'allow' }],
  });
  return `${wallets}/${String(wallet['address'])}/raw-sign`;
}

async function tryAll(client: RawClient, userId: string): Promise<void> {
  const target = await prepareWallet(client, userId);
  await ask(client, target, { message: Buffer.from('after').toString('base64') });
  await ask(client, '/v1/system/freeze', {});
}

async function ask(client: RawClient, target: string, body: object) {
  const headers = { prefer: 'wait=30' };
  const answer = await client.send({ method: 'POST', target, body, headers });
  if (answer.status === 200) return answer.body as Record<string, unknown>;
  throw new Error(`POST ${target}: ${answer.status} ${answer.text}`);
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { callers: { type: 'string', default: '8' } },
});
const [old, next] = positionals;
if (old === undefined || next === undefined) {
  console.error('roll.js OLD NEW [--callers N]: two built checkouts');
  process.exit(2);
}
const isGood = await drill({ old: resolve(old), new: resolve(next) }, Number(values.callers));
process.exit(isGood ? 0 : 1);
