/** A vault's processes on this host: gateways and the three parties. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { LoadedPrograms } from './loaded-programs.js';
import type { PreparedPrices } from './prepare-prices.js';
import type { PreparedVault } from './prepare-vault.js';
import { bundledProgram } from './programs.js';
import { startVaultProcess, type EndSignals, type VaultProcess } from './vault-process.js';

export interface StackOptions {
  readonly vault: PreparedVault;
  readonly redisUrl: string;
  readonly logLevel: string;
  /** RSA keys that the parties make ahead; none by default. */
  readonly rsaStock?: number;
  readonly rsaStockDelayS?: number;
  /** How often parties anchor their records; every minute by default. */
  readonly anchorEveryS?: number;
  /** The KEK of the party that is started, where it does not lie in the party's folder. */
  readonly kekFile?: string;
  /** A process that sends events to webhooks, also to those of this host; none by default. */
  readonly hasNotifier?: boolean;
  /** Whose tokens count: a provider for development may be among them. None by default: then no person signs in. */
  readonly providersFile?: string | undefined;
  /** A relay of prices, which gateway and parties believe; none by default. */
  readonly prices?: PreparedPrices;
  /** Options of Node itself, for measuring. */
  readonly execArgv?: readonly string[];
  readonly onOutput?: (line: string) => void;
  /** Programs that are being loaded already; none by default. */
  readonly loaded?: LoadedPrograms;
  /** How long gateway and parties may fold the ledger at their start; a minute by default. */
  readonly readyTimeoutMs?: number;
  /** How long the gateway serves on after SIGTERM, s; not at all by default: nobody balances here. */
  readonly drainS?: number;
  /** Where gateway, parties and notifier tell their metrics; nowhere by default. 0 takes a free port. */
  readonly metricsPort?: number;
  /** A collector of spans that gateway and parties send theirs to; none by default. */
  readonly tracesTo?: string | undefined;
  /** None by default: then processes end when they are told to, one by one. */
  readonly endSignals?: EndSignals;
}

/** `name` names its memory of the ledger: a gateway that is started again under it goes on from there. */
export function startGateway(
  options: StackOptions,
  port: number,
  name = `gateway-${randomBytes(4).toString('hex')}`,
): Promise<VaultProcess> {
  const { vault, redisUrl, logLevel, execArgv, onOutput, endSignals, readyTimeoutMs } = options;
  return startVaultProcess(
    'gateway',
    bundledProgram('gateway', 'main'),
    {
      DATABASE_URL: vault.roleUrls.gateway,
      REDIS_URL: redisUrl,
      EVIDENCE_KEY_FILE: vault.evidenceKeyFile,
      GENESIS_FILE: vault.genesisFile,
      PIN_FILE: vault.pinFile(name),
      WEBHOOK_JWKS_FILE: vault.webhookKeysFile,
      WEBHOOK_LOOPBACK: 'allowed',
      ...signInOf(options),
      ...pricesOf(options),
      ...metricsOf(options),
      ...tracesOf(options),
      PORT: String(port),
      DRAIN_S: String(options.drainS ?? 0),
      LOG_LEVEL: logLevel,
    },
    {
      onOutput,
      execArgv,
      endSignals,
      readyTimeoutMs,
      loaded: options.loaded?.take('gateway'),
    },
  );
}

function metricsOf({ metricsPort }: StackOptions): { readonly METRICS_PORT?: string } {
  return metricsPort === undefined ? {} : { METRICS_PORT: String(metricsPort) };
}

function tracesOf({ tracesTo }: StackOptions): Record<string, string> {
  return tracesTo === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: tracesTo };
}

function signInOf({ providersFile }: StackOptions): Record<string, string> {
  return providersFile === undefined
    ? {}
    : { IDENTITY_PROVIDERS_FILE: providersFile, DEVELOPMENT_SIGN_IN: 'allowed' };
}

/** Replica `a` is its party's primary replica; others ask it. */
export function startSigner(
  options: StackOptions,
  party: PartyNumber,
  replica = 'a',
): Promise<VaultProcess> {
  const { vault, redisUrl, logLevel, rsaStock = 0, rsaStockDelayS, anchorEveryS } = options;
  const { execArgv, onOutput, endSignals, readyTimeoutMs } = options;
  return startVaultProcess(
    `party_${party}-${replica}`,
    bundledProgram('signer', 'main'),
    {
      PARTY: String(party),
      REPLICA: replica,
      DATABASE_URL: vault.roleUrls[`party_${party}`],
      REDIS_URL: redisUrl,
      EVIDENCE_KEY_FILE: vault.evidenceKeyFile,
      KEY_DIR: vault.keyDir(party),
      ...(options.kekFile !== undefined && { KEK_FILE: options.kekFile }),
      GENESIS_FILE: vault.genesisFile,
      ...(replica === 'a' && { PIN_FILE: vault.pinFile(`party-${party}`) }),
      ...signInOf(options),
      ...pricesOf(options),
      ...metricsOf(options),
      ...tracesOf(options),
      RSA_STOCK: String(rsaStock),
      ...(rsaStockDelayS !== undefined && { RSA_STOCK_DELAY_S: String(rsaStockDelayS) }),
      ...(anchorEveryS !== undefined && { ANCHOR_EVERY_S: String(anchorEveryS) }),
      LOG_LEVEL: logLevel,
    },
    {
      onOutput,
      execArgv,
      endSignals,
      readyTimeoutMs,
      loaded: options.loaded?.take('signer'),
    },
  );
}

export function startNotifier(options: StackOptions): Promise<VaultProcess> {
  const { vault, logLevel, onOutput, endSignals } = options;
  return startVaultProcess(
    'notifier',
    bundledProgram('notifier', 'main'),
    {
      DATABASE_URL: vault.roleUrls.notifier,
      EVIDENCE_KEY_FILE: vault.evidenceKeyFile,
      GENESIS_FILE: vault.genesisFile,
      PIN_FILE: vault.pinFile('notifier'),
      WEBHOOK_KEY_FILE: vault.webhookKeyFile,
      WEBHOOK_LOOPBACK: 'allowed',
      ...metricsOf(options),
      LOG_LEVEL: logLevel,
    },
    { onOutput, endSignals },
  );
}

function pricesOf({ prices }: StackOptions): { readonly PRICES_FILE?: string } {
  return prices === undefined ? {} : { PRICES_FILE: prices.trustFile };
}

export function startPriceRelay(
  { redisUrl, logLevel, onOutput, endSignals, loaded }: StackOptions,
  prices: PreparedPrices,
): Promise<VaultProcess> {
  return startVaultProcess(
    'prices',
    bundledProgram('infra/prices', 'main'),
    {
      REDIS_URL: redisUrl,
      PRICE_KEY_FILE: prices.keyFile,
      PRICE_SOURCES_FILE: prices.sourcesFile,
      LOG_LEVEL: logLevel,
    },
    { onOutput, endSignals, loaded: loaded?.take('infra/prices') },
  );
}

export interface Stack {
  readonly gateway: VaultProcess;
  readonly signers: readonly VaultProcess[];
  readonly notifier: VaultProcess | undefined;
  readonly priceRelay: VaultProcess | undefined;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** Rejects with nothing left running where one cannot be started, or they do not become healthy. */
export async function openStack(options: StackOptions, port: number): Promise<Stack> {
  const { prices, hasNotifier = false } = options;
  const [gateway, ...others] = await startAll([
    startGateway(options, port, 'gateway'),
    ...PARTY_NUMBERS.map((party) => startSigner(options, party)),
    ...(prices === undefined ? [] : [startPriceRelay(options, prices)]),
  ]);
  const signers = others.slice(0, PARTY_NUMBERS.length);
  const priceRelay = others[PARTY_NUMBERS.length];
  const baseUrl = `http://127.0.0.1:${gateway!.port}`;
  async function stop(): Promise<void> {
    await gateway!.stop();
    await Promise.all(others.map((child) => child.stop()));
  }
  try {
    await waitHealthy(baseUrl, options.endSignals?.stop);
    // last: what it loads would keep gateway and parties from the cores, and nobody waits for it
    const notifier = hasNotifier ? await startNotifier(options) : undefined;
    if (notifier !== undefined) others.push(notifier);
    return { gateway: gateway!, signers, notifier, priceRelay, baseUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** All of them, or none: those that have started are stopped where one cannot. */
async function startAll(starting: readonly Promise<VaultProcess>[]): Promise<VaultProcess[]> {
  const results = await Promise.allSettled(starting);
  const started = results.flatMap((result) =>
    result.status === 'fulfilled' ? [result.value] : [],
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((child) => child.stop()));
  throw failed.reason;
}

const HEALTHY_TIMEOUT_MS = 15_000;

/** Until the gateway has heard of the parties: before that it has nobody to send work to. */
export async function waitHealthy(baseUrl: string, stop?: AbortSignal): Promise<void> {
  const deadline = Date.now() + HEALTHY_TIMEOUT_MS;
  for (;;) {
    stop?.throwIfAborted();
    const answer = await ask(`${baseUrl}/health`).catch(() => undefined);
    if (answer?.status === 200) return;
    if (Date.now() > deadline) {
      throw new Error(`the vault did not become healthy: ${answer?.body ?? ''}`);
    }
    await setTimeout(50);
  }
}

/** Without `fetch`, which takes four times as long to load as all the rest of it. */
async function ask(url: string): Promise<{ readonly status: number; readonly body: string }> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  return { status: response.statusCode!, body: await text(response) };
}
