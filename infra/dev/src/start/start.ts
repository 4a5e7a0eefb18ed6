/**
 * `npm start`: the whole vault on this machine, on servers of its own unless DATABASE_URL and REDIS_URL
 * name others. `--once` ends after the proof.
 */
import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createCountersignClient } from '@countersign/client/countersign-client.js';
import { openServers } from '../embedded/servers.js';
import { readPin } from '@countersign/admin/genesis/read-genesis.js';
import { openStack, type Stack } from '../stack/open-stack.js';
import { prepareDatabase, prepareVault, type PreparedVault } from '../stack/prepare-vault.js';
import { explain } from './explain.js';
import { prove } from './prove.js';

/** RSA-2048 keys made ahead once the vault has been idle for a while. */
const RSA_STOCK = 2;
const DEFAULT_PORT = 8080;

async function main(once: boolean): Promise<void> {
  const { DATABASE_URL, REDIS_URL, PORT, COUNTERSIGN_HOME, LOG_LEVEL } = process.env;
  const home = resolve(COUNTERSIGN_HOME ?? '.countersign');
  const stops: (() => Promise<void>)[] = [];
  let isStopping = false;
  const stop = async (code: number): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    for (const step of stops.toReversed()) await step().catch(say);
    process.exit(code);
  };
  process.on('SIGINT', () => void stop(0));
  process.on('SIGTERM', () => void stop(0));

  try {
    const startedAt = Date.now();
    say('starting PostgreSQL and Redis ...');
    const servers = await openServers({
      home,
      env: { DATABASE_URL, REDIS_URL },
      log: () => undefined,
    });
    stops.push(() => servers.stop());
    const roleUrls = await prepareDatabase(home, servers.databaseUrl);
    const vault = await prepareVault(home, roleUrls);
    say('starting one gateway and three signer parties ...');
    const stack = await openStack(
      {
        vault,
        redisUrl: servers.redisUrl,
        logLevel: LOG_LEVEL ?? 'warn',
        rsaStock: RSA_STOCK,
        onOutput: (line) => process.stderr.write(line),
      },
      PORT === undefined ? DEFAULT_PORT : Number(PORT),
    );
    stops.push(() => stack.stop());
    writeDevFile(home, vault, stack, servers);
    await writeImportFiles(home, vault);
    await proveAndTell(vault, stack, startedAt, once);
    if (once) return await stop(0);
    watch(stack, () => void stop(1));
  } catch (error) {
    process.stderr.write(
      `countersign: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    await stop(1);
  }
}

async function proveAndTell(
  vault: PreparedVault,
  stack: Stack,
  startedAt: number,
  once: boolean,
): Promise<void> {
  const privateKey = createPrivateKey(readFileSync(vault.admin.private_key_file));
  const client = createCountersignClient({
    baseUrl: stack.baseUrl,
    apiKey: vault.admin.api_key,
    privateKey,
  });
  try {
    const proof = await prove(client, vault.admin.user_id);
    say(explain(proof, stack.baseUrl, vault, Date.now() - startedAt, once));
  } finally {
    client.close();
  }
}

/** For scripts on this machine: where the vault is and how to be its administrator. */
function writeDevFile(
  home: string,
  vault: PreparedVault,
  stack: Stack,
  servers: { databaseUrl: string; redisUrl: string },
): void {
  const content = {
    base_url: stack.baseUrl,
    admin: vault.admin,
    database_url: servers.databaseUrl,
    redis_url: servers.redisUrl,
  };
  const path = join(home, 'dev.json');
  writeFileSync(path, JSON.stringify(content, null, 2) + '\n', { mode: 0o600 });
}

/** What `npm run import-key` asks for: the pinned genesis, and the administrator's API key by itself. */
async function writeImportFiles(home: string, vault: PreparedVault): Promise<void> {
  const pin = await readPin(vault.roleUrls.gateway);
  writeFileSync(join(home, 'genesis.json'), JSON.stringify(pin, null, 2) + '\n');
  writeFileSync(join(home, 'admin.api-key'), vault.admin.api_key, { mode: 0o600 });
}

/** A process that ends by itself ends the whole: half a vault must not look like one. */
function watch(stack: Stack, onEnd: () => void): void {
  for (const child of [stack.gateway, ...stack.signers]) {
    void child.exited.then((code) => {
      process.stderr.write(`countersign: ${child.name} ended (${code})\n`);
      onEnd();
    });
  }
}

function say(text: unknown): void {
  process.stdout.write(`${String(text)}\n`);
}

await main(process.argv.includes('--once'));
