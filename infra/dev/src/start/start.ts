/**
 * `npm start`: the whole vault on this machine, on servers of its own unless DATABASE_URL and REDIS_URL
 * name others. `--once` ends after the proof. What a vault does without until it is healthy is imported when it is wanted:
 * whoever starts one waits for what is loaded before.
 */
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import { withFolderLock } from '../embedded/folder-lock.js';
import { openPrivateFolder, writePrivateFile } from '../embedded/private-folder.js';
import { openServers, type Servers } from '../embedded/servers.js';
import { openDevelopmentProvider } from '../sign-in/development-provider.js';
import { loadPrograms, type LoadedPrograms } from '../stack/loaded-programs.js';
import { openStack, type Stack } from '../stack/open-stack.js';
import { preparePrices, type PreparedPrices } from '../stack/prepare-prices.js';
import { keepPricesMoving } from '../stack/simulated-prices.js';
import { prepareDatabase, prepareVault, type PreparedVault } from '../stack/prepare-vault.js';
import { takeBundlesAsFresh } from '../stack/programs.js';
import { superviseStack } from '../stack/supervise-stack.js';
import type { EndSignals } from '../stack/vault-process.js';
import {
  API_KEY_FILE,
  DEV_FILE,
  EXPLAIN_END,
  explainConsole,
  explainProof,
  explainUse,
} from './explain.js';
import { startPorts, type StartPorts } from './start-ports.js';
import { openStopSignals } from './stop-signals.js';

/** RSA-2048 keys made ahead once the vault has been idle for a while. */
const RSA_STOCK = 2;
const PRICES_MOVE_MS = 5_000;
/** A starter that was killed leaves its lock, which is found to be stale at once. */
const LOCK_WAIT_MS = 1_000;

interface Wanted {
  readonly onlyProve: boolean;
  readonly openBeside?: OpenBeside | undefined;
}

/** What is opened beside a vault that has proved itself. It closes with the vault. */
export type OpenBeside = (
  vault: PreparedVault,
  baseUrl: string,
  ports: StartPorts,
) => Promise<{ readonly text: string; close(): Promise<void> }>;

/** Returns the exit code. One starter to a home: a second one would take the servers from the first. */
async function main(wanted: Wanted): Promise<number> {
  const home = resolve(process.env['COUNTERSIGN_HOME'] ?? '.countersign');
  try {
    const lock = join(await openPrivateFolder(home), 'starter.lock');
    return await withFolderLock(lock, () => runVault(home, wanted), LOCK_WAIT_MS);
  } catch (error) {
    complain(messageOf(error));
    return 1;
  }
}

/**
 * Exit code: 0 after an orderly stop, 1 after a fault, and what a shell makes of a signal (128 and its
 * number) where one came before the vault had proved itself. Never rejects.
 */
async function runVault(home: string, wanted: Wanted): Promise<number> {
  const endSignals = openStopSignals(process);
  const { stop } = endSignals;
  const stops: (() => Promise<void>)[] = [];
  try {
    await openVault(home, wanted, endSignals, stops);
    if (!wanted.onlyProve) await aborted(stop);
    return 0;
  } catch (error) {
    if (stop.aborted) return 128 + constants.signals[stop.reason as NodeJS.Signals];
    complain(messageOf(error));
    return 1;
  } finally {
    if (stop.aborted) say('stopping ...');
    for (const step of stops.toReversed()) await step().catch(complain);
  }
}

/** Leaves in `stops` how to undo what it has opened, also when it rejects halfway. */
async function openVault(
  home: string,
  wanted: Wanted,
  endSignals: EndSignals,
  stops: (() => Promise<void>)[],
): Promise<void> {
  const { PORT, LOG_LEVEL, OTEL_EXPORTER_OTLP_ENDPOINT } = process.env;
  const { stop } = endSignals;
  const startedAt = Date.now();
  const loaded = loadAhead(stops);
  const servers = await openStartServers(home, stops);
  stop.throwIfAborted();
  const roleUrls = await prepareDatabase(home, servers.databaseUrl);
  const ports = startPorts(PORT);
  // on a free port, which another start takes anew, no page could sign
  const origin = ports.vault === 0 ? undefined : `http://localhost:${ports.vault}`;
  const vault = await prepareVault(home, roleUrls, origin);
  const prices = openMovingPrices(home, stops);
  stop.throwIfAborted();
  const providersFile = await openSignIn(home, ports.signIn, stops);
  say('starting one gateway and three signer parties ...');
  const options = {
    vault,
    redisUrl: servers.redisUrl,
    logLevel: LOG_LEVEL ?? 'warn',
    rsaStock: RSA_STOCK,
    hasNotifier: true,
    providersFile,
    tracesTo: OTEL_EXPORTER_OTLP_ENDPOINT,
    prices,
    onOutput: passOn,
    loaded,
    endSignals,
  };
  const stack = await openStack(options, ports.vault);
  const supervised = superviseStack(stack, options, complain);
  stops.push(() => supervised.stop());
  await writeDevFile(home, vault, stack, servers);
  await writeImportFiles(home, vault);
  // whoever tells us to stop need not wait for the proof
  const told = proveAndTell(vault, stack, startedAt, wanted.onlyProve);
  await Promise.race([told, rejectWhenAborted(stop)]);
  if (wanted.openBeside === undefined) return;
  const opened = wanted.openBeside(vault, stack.baseUrl, ports);
  // whoever stops meanwhile does not wait for it
  stops.push(async () => void opened.then(({ close }) => close()).catch(() => undefined));
  say((await Promise.race([opened, rejectWhenAborted(stop)])).text);
}

/** What a vault is not healthy without: it loads while the databases start. */
function loadAhead(stops: (() => Promise<void>)[]): LoadedPrograms {
  takeBundlesAsFresh();
  const loaded = loadPrograms(
    ['gateway', ...PARTY_NUMBERS.map(() => 'signer' as const), 'infra/prices'],
    passOn,
  );
  stops.push(() => loaded.stop());
  return loaded;
}

async function openStartServers(home: string, stops: (() => Promise<void>)[]): Promise<Servers> {
  const { DATABASE_URL, REDIS_URL } = process.env;
  say('starting PostgreSQL and Redis ...');
  const env = { DATABASE_URL, REDIS_URL };
  const servers = await openServers({ home, env, log: () => undefined });
  stops.push(() => servers.stop());
  return servers;
}

function openMovingPrices(home: string, stops: (() => Promise<void>)[]): PreparedPrices {
  const prices = preparePrices(home);
  const stopMoving = keepPricesMoving(prices.simulatedFile, PRICES_MOVE_MS, complain);
  stops.push(async () => stopMoving());
  return prices;
}

async function openSignIn(
  home: string,
  port: number,
  stops: (() => Promise<void>)[],
): Promise<string> {
  const provider = await openDevelopmentProvider(port, join(home, 'identity-providers.json'));
  stops.push(() => provider.close());
  return provider.providersFile;
}

async function proveAndTell(
  vault: PreparedVault,
  stack: Stack,
  startedAt: number,
  onlyProve: boolean,
): Promise<void> {
  const { createCountersignClient } = await import('@countersign/client/countersign-client.js');
  const { PROOF_PATIENCE, prove } = await import('./prove.js');
  const privateKey = createPrivateKey(readFileSync(vault.admin.private_key_file));
  const client = createCountersignClient({
    baseUrl: stack.baseUrl,
    apiKey: vault.admin.api_key,
    privateKey,
    ...PROOF_PATIENCE,
  });
  try {
    const proof = await prove(client, vault.admin.user_id);
    say(explainProof(proof, Date.now() - startedAt));
    if (!onlyProve) await tellUse(client, vault, stack);
  } finally {
    client.close();
  }
}

async function tellUse(
  client: CountersignClient,
  vault: PreparedVault,
  stack: Stack,
): Promise<void> {
  const { openConsoleDoor } = await import('./first-person.js');
  say(explainUse(stack.baseUrl, vault));
  try {
    const door = await openConsoleDoor(client, vault, Date.now());
    say(explainConsole(door, vault, process.stdout.isTTY));
  } catch (error) {
    // whoever has taken rights from the administrator has people of their own
    complain(`no first person for the console: ${messageOf(error)}`);
  }
  say(EXPLAIN_END);
}

async function writeDevFile(
  home: string,
  vault: PreparedVault,
  stack: Stack,
  servers: { databaseUrl: string; redisUrl: string },
): Promise<void> {
  const content = {
    base_url: stack.baseUrl,
    admin: vault.admin,
    database_url: servers.databaseUrl,
    redis_url: servers.redisUrl,
  };
  await writePrivateFile(join(home, DEV_FILE), JSON.stringify(content, null, 2) + '\n');
}

/** What `countersign login` and `countersign keys import` ask for beside the pinned genesis: the administrator's API key by itself. */
async function writeImportFiles(home: string, vault: PreparedVault): Promise<void> {
  await writePrivateFile(join(home, API_KEY_FILE), vault.admin.api_key);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

async function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  await aborted(signal);
  throw signal.reason;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the vault's processes say. */
function passOn(text: string): void {
  process.stderr.write(text);
}

function say(text: unknown): void {
  process.stdout.write(`${String(text)}\n`);
}

function complain(text: unknown): void {
  process.stderr.write(`countersign: ${String(text)}\n`);
}

/** Ends this process. `given`: what follows `npm start --`. */
export async function start(given: readonly string[], openBeside?: OpenBeside): Promise<never> {
  // a reader of our output that has gone (a closed terminal, `| head`) must not take the vault along
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.exit(await main({ onlyProve: given.includes('--once'), openBeside }));
}
