/** Builds a gateway from its configuration: everything that is opened here is closed when the process stops. */
import { randomBytes } from 'node:crypto';
import type { ReceiptTrust } from '@countersign/api/receipt.js';
import { readEvidenceKeys, withoutDistrusted } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import {
  CATALOGUES,
  DEVELOPMENT_CATALOGUES,
} from '@countersign/vault/catalogues/todays-catalogues.js';
import type { Catalogues } from '@countersign/vault/catalogues/catalogues.js';
import { createAlarmStore } from '@countersign/runtime/alarms/alarm-store.js';
import {
  openRecordedAlarms,
  tellBeforeFailing,
  type RecordedAlarms,
} from '@countersign/runtime/alarms/recorded-alarms.js';
import { openUnwrittenAlarms } from '@countersign/runtime/alarms/unwritten-alarms.js';
import {
  openFoldSnapshots,
  type FoldSnapshots,
} from '@countersign/runtime/ledger/fold-snapshots.js';
import { openPinFile } from '@countersign/runtime/ledger/ledger-pin.js';
import { sealingAuthor } from '@countersign/runtime/ledger/snapshot-author.js';
import { readTrustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { openMetrics } from '@countersign/runtime/metrics/metrics-server.js';
import { openPriceFeed, type PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import { readPriceTrust } from '@countersign/runtime/prices/price-trust.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import type { ProcessLife } from '@countersign/runtime/process/process-life.js';
import { requireDatabase } from '@countersign/runtime/process/required-database.js';
import {
  findSignInFault,
  readIdentityProviders,
  type IdentityProvider,
} from '@countersign/runtime/tokens/identity-providers.js';
import { openTracing } from '@countersign/runtime/tracing/tracing.js';
import { openTokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';
import type pg from 'pg';
import { createApp, type AppDeps } from './create-app.js';
import { openNonceRenewal } from './admission/nonce-renewal.js';
import { createNonceStore, type NonceStore } from './admission/nonce-store.js';
import { readConsoleFiles } from './pages/console-files.js';
import { createUnusedCheck } from './govern/unused-vault.js';
import type { GatewayConfig } from '@countersign/runtime/settings/gateway-config.js';
import { createBodyMemory } from './http/body-memory.js';
import type { Surface } from './http/fast-server.js';
import { createOwnEntries } from './admission/own-entries.js';
import { createRateLimits } from './admission/rate-limits.js';
import { createAddressOf, createSourceOf } from './admission/request-source.js';
import { watchGovernance, type GovernanceWatch } from './govern/governance-watch.js';
import { openLedger, type GatewayLedger } from './govern/open-ledger.js';
import { createDocuments } from './pages/fixed-documents.js';
import { createCursors, type Cursors } from './read/cursor.js';
import { openRedis, type RedisConnections } from './stores/redis-connections.js';
import { boundRefusals, type BoundedRecorder } from './requests/bounded-refusals.js';
import { createRefusalRecorder, type RefusalRecorder } from './requests/refusal-recorder.js';
import { createIdempotencyStore } from './requests/idempotency.js';
import { createKeyProgressReader } from './requests/key-progress-reader.js';
import { createCheckedResults, type CheckedResults } from './requests/checked-results.js';
import { createReceiptTrust } from './requests/receipt-trust.js';
import { createDispatcher, type Dispatcher } from './sign/dispatcher.js';
import type { ServiceContext } from './watch/service-routes.js';
import { openPresence, type Presence } from './sign/presence.js';
import { createReplyChecks } from './sign/reply-checks.js';
import { isWithdrawnEvidenceKey, type VaultState } from '@countersign/vault/state/state.js';
import { readWebhookKeys } from './read/webhook-keys.js';
import { subscribeToReplies } from './sign/reply-subscription.js';
import { openSigningProbe } from './sign/signing-probe.js';
import { createSigningLog, type SigningLog } from './sign/signing-log.js';
import { createSigningWatch, type SigningWatch } from './sign/signing-watch.js';
import { createSignQueues, type SignQueues } from './sign/sign-queues.js';
import { createSigningRequests, type SigningRequests } from './sign/signing-requests.js';
import { openReleaseWatch } from './sign/release-watch.js';
import { openWorkJobs, type WorkJobs } from './sign/work-jobs.js';
import { openViewedQueues } from './queues/viewed-queues.js';
import { openSweeper } from './sign/sweeper.js';
import { gatewayMetrics } from './watch/gateway-metrics.js';
import { createRequestTally } from './http/request-tally.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';
import type { FigureSources } from './watch/figure-sources.js';
import { openSystemFigures } from './watch/system-figures.js';

const POSTGRES_CONNECTIONS = 8;
/** The ledger has its own connections: one reads while the other appends. */
const LEDGER_CONNECTIONS = 2;
const GOVERNANCE_LOOK_MS = 1_000;

/** The folder of the built console, if any, as the program or its operator sets it. */
interface WithConsole {
  readonly CONSOLE_DIR: string;
}

/** Dependencies of everything else. */
interface Ground {
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly life: ProcessLife;
  readonly now: () => number;
  /** Names this process, until it ends, to the parties and in its chain of records. */
  readonly gatewayId: string;
  readonly evidenceKeys: EvidenceKeys;
  readonly pool: pg.Pool;
  /** The ledger's own connections. */
  readonly ledgerPool: pg.Pool;
  readonly alarms: RecordedAlarms;
}

/** Outcomes that the parties recorded, and checks of them. */
interface Results {
  readonly trust: () => ReceiptTrust;
  readonly results: CheckedResults;
}

interface Signing {
  readonly dispatcher: Dispatcher;
  readonly watch: SigningWatch;
  readonly presence: Presence;
  readonly signingRequests: SigningRequests;
  readonly signingLog: SigningLog;
  readonly queues: SignQueues;
}

/**
 * Resolves to the API once the ledger is folded; Redis may still be away. The stop closes things in the reverse order
 * of their opening. Throws when the evidence key or the ledger is wrong.
 */
export async function openGateway(
  config: GatewayConfig & WithConsole,
  logger: Logger,
  life: ProcessLife,
): Promise<Surface> {
  const startedAt = Date.now();
  const providers = readIdentityProviders(config);
  const tokens = await openTokenVerifier(providers);
  const ground = await openGround(config, logger, life);
  const { now, evidenceKeys, pool } = ground;
  const ledger = await openGatewayLedger(ground);
  const redis = openGatewayRedis(ground);
  const nonces = openNonces(ground, ledger, redis);
  const refusals = openRefusals(ground);
  const prices = openPrices(ground, redis);
  const results = openResults(ground, ledger);
  const signing = openSigning(ground, ledger, redis, { refusals, ...results });
  const service = openService(ground, ledger);
  const about = { nonces, prices, startedAt, providers, signing: signing.watch };
  const traffic = openTraffic(config, now);
  const known = { startedAt, ledger, prices, signing, service, ...traffic };
  return createApp({
    ...traffic,
    ...(await openFigures(ground, known)),
    isStopping: service.isStopping,
    follower: ledger.follower,
    journal: ledger.journal,
    ledger: ledger.writer,
    onAppended: openJobs(ground, ledger, redis, signing).onAppended,
    ...signing,
    results: results.results,
    tokens,
    bodies: createBodyMemory(),
    refusals,
    idempotency: createIdempotencyStore(pool),
    ledgerIdempotency: createIdempotencyStore(ground.ledgerPool),
    cursors: createGatewayCursors(evidenceKeys),
    pool,
    evidenceKeys,
    catalogues: cataloguesOf(config, providers),
    keyProgress: createKeyProgressReader(redis.commands),
    ...openQueuePage(ground, ledger, redis, signing),
    nonces,
    prices,
    logger,
    now,
    service: { ...service, presence: signing.presence, redis: redis.commands, ...about },
    ...openPages(config, providers),
  });
}

/** Opens the public pages. */
function openPages(
  { CONSOLE_DIR }: WithConsole,
  providers: ServiceContext['providers'],
): Pick<AppDeps, 'documents' | 'console'> {
  const files = readConsoleFiles(CONSOLE_DIR);
  return { documents: createDocuments(), console: { files, providers } };
}

/** Opens the limits on who may send how much. */
function openTraffic(
  config: GatewayConfig,
  now: () => number,
): Pick<AppDeps, 'limits' | 'ownEntries' | 'trustedProxies' | 'sourceOf' | 'addressOf'> {
  const rates = {
    perAddress: config.RATE_PER_ADDRESS,
    perCredential: config.RATE_PER_CREDENTIAL,
    failuresPerAddress: config.FAILURES_PER_ADDRESS,
  };
  const { TRUSTED_PROXIES: trustedProxies = [] } = config;
  const limits = createRateLimits(rates, now);
  return {
    limits,
    ownEntries: createOwnEntries(now),
    trustedProxies,
    sourceOf: createSourceOf(trustedProxies.length > 0),
    addressOf: createAddressOf(trustedProxies.length > 0),
  };
}

interface Known extends Pick<FigureSources, 'startedAt' | 'prices' | 'limits'> {
  readonly ledger: GatewayLedger;
  readonly signing: Signing;
  readonly service: Pick<ServiceContext, 'governance'>;
}

/** Opens what this gateway tells of itself: figures for people and for metrics collectors, and spans. */
async function openFigures(
  { config, gatewayId, pool, alarms, logger, life, now }: Ground,
  { ledger, signing, service, startedAt, prices, limits }: Known,
): Promise<Pick<AppDeps, 'figures' | 'tally' | 'tracing'>> {
  const tally = createRequestTally();
  const { follower } = ledger;
  const { governance } = service;
  const own = { gatewayId, startedAt, prices, limits, tally, pool, alarms, now };
  const sources = { ...own, ...signing, follower, governance };
  const figures = openSystemFigures(sources);
  life.onStop(() => figures.stop());
  await openMetrics(config, { logger, life }, gatewayMetrics(sources));
  const tracing = await openTracing(config, 'countersign-gateway', { logger, life });
  return { figures, tally, tracing };
}

/** This release's, with what this deployment's settings add. */
function cataloguesOf(
  { WEBHOOK_LOOPBACK }: GatewayConfig,
  providers: readonly IdentityProvider[],
): Catalogues {
  return {
    ...(WEBHOOK_LOOPBACK === 'allowed' ? DEVELOPMENT_CATALOGUES : CATALOGUES),
    findSignInFault: (provider, issuer) => findSignInFault(providers, provider, issuer),
  };
}

async function openGround(
  config: GatewayConfig,
  logger: Logger,
  life: ProcessLife,
): Promise<Ground> {
  const gatewayId = `gateway-${randomBytes(8).toString('hex')}`;
  const evidenceKeys = readEvidenceKeys(config.EVIDENCE_KEY_FILE);
  const pool = openPool(config.DATABASE_URL, POSTGRES_CONNECTIONS, logger);
  life.onStop(() => pool.end());
  await requireDatabase(pool);
  const ledgerPool = openLedgerPool(config, logger, life);
  const accuser = 'gateway';
  const file = openUnwrittenAlarms(`${config.PIN_FILE}.alarms`, accuser);
  const alarms = await openRecordedAlarms({
    ...{ accuser, logger, file },
    ...{ now: Date.now, elapsed: () => performance.now() },
  });
  life.onStop(() => alarms.stop());
  return { config, logger, life, now: Date.now, gatewayId, evidenceKeys, pool, ledgerPool, alarms };
}

function openService(
  ground: Ground,
  ledger: GatewayLedger,
): Pick<ServiceContext, 'follower' | 'governance' | 'webhookKeys' | 'isStopping' | 'now'> {
  const { config, life, now } = ground;
  return {
    follower: ledger.follower,
    governance: openGovernanceWatch(ground, ledger),
    webhookKeys: readWebhookKeys(config.WEBHOOK_JWKS_FILE),
    isStopping: () => life.isStopping,
    now,
  };
}

/** Opens connections in advance, so that a freeze waits neither for one nor behind requests for signatures. */
function openLedgerPool(config: GatewayConfig, logger: Logger, life: ProcessLife): pg.Pool {
  const pool = openPool(config.DATABASE_URL, LEDGER_CONNECTIONS, logger);
  life.onStop(() => pool.end());
  for (let made = 0; made < LEDGER_CONNECTIONS; made += 1) {
    pool.query('SELECT').catch(() => undefined); // the next query reports the error
  }
  return pool;
}

/** They are stored beside the pin. The gateway has no key to sign them with: they are sealed. */
function openSnapshots({ config, evidenceKeys, logger }: Ground): FoldSnapshots {
  const author = sealingAuthor('gateway', evidenceKeys);
  const snapshots = openFoldSnapshots({ path: `${config.PIN_FILE}.snapshot`, author, logger });
  snapshots.proveBy((message) => author.prove(message));
  return snapshots;
}

async function openGatewayLedger(ground: Ground): Promise<GatewayLedger> {
  const { config, pool, ledgerPool, evidenceKeys: keys, logger, alarms, now, life } = ground;
  const opening = openLedger({
    pool: ledgerPool,
    connectionString: config.DATABASE_URL,
    pollMs: config.LEDGER_POLL_MS,
    keys,
    logger,
    alarms,
    now,
    genesisHash: readTrustedGenesis(config),
    pinFile: openPinFile(config.PIN_FILE),
    snapshots: openSnapshots(ground),
  });
  const ledger = await tellBeforeFailing(alarms, opening);
  life.onStop(() => ledger.follower.stop());
  alarms.writeBy({ store: createAlarmStore(pool) });
  return ledger;
}

function openGovernanceWatch(
  { now, alarms, life }: Ground,
  ledger: GatewayLedger,
): GovernanceWatch {
  const watch = watchGovernance(ledger.follower, now, alarms);
  const ticks = openTicks(GOVERNANCE_LOOK_MS, () => watch.look());
  life.onStop(() => ticks.stop());
  return watch;
}

function openGatewayRedis({ config, logger, life }: Ground): RedisConnections {
  const redis = openRedis(config.REDIS_URL, logger);
  life.onStop(() => redis.close());
  return redis;
}

function openPrices(
  { config: { PRICES_FILE }, logger, life, now }: Ground,
  { commands }: RedisConnections,
): PriceFeed {
  const prices = openPriceFeed({
    trust: PRICES_FILE === undefined ? undefined : readPriceTrust(PRICES_FILE),
    fetch: (keys) => commands.mgetBuffer(keys),
    logger,
    now,
  });
  life.onStop(() => prices.stop());
  return prices;
}

function openNonces(
  { logger, life, now, pool }: Ground,
  { follower, journal }: GatewayLedger,
  { commands }: RedisConnections,
): NonceStore {
  const isVaultUnused = createUnusedCheck({ follower, journal, pool });
  const nonces = createNonceStore(commands, logger, isVaultUnused);
  const renewal = openNonceRenewal(commands, nonces, now);
  life.onStop(() => renewal.stop());
  return nonces;
}

function openResults(
  { pool, evidenceKeys: keys, alarms }: Ground,
  { follower }: GatewayLedger,
): Results {
  const state = () => follower.state;
  const trust = createReceiptTrust(state);
  return { trust, results: createCheckedResults({ pool, keys, state, trust, alarms }) };
}

/**
 * Opens the way to the parties and back: queues, dispatcher, presence, replies, and the sweep of unfinished requests.
 */
function openSigning(
  ground: Ground,
  ledger: GatewayLedger,
  redis: RedisConnections,
  { refusals, trust, results }: Results & { readonly refusals: RefusalRecorder },
): Signing {
  const { gatewayId, evidenceKeys: keys, logger, alarms, life, now, pool } = ground;
  const queues = createSignQueues(redis.commands, now);
  life.onStop(() => queues.close());
  const sending = createDispatcher({
    gatewayId,
    presence: () => presence,
    checks: createReplyChecks({ trust, keys, now }),
    alarms,
    send: queues.send,
    head: () => ledger.follower.state,
    keys,
    logger,
    now,
    elapsed: () => performance.now(),
  });
  const presence = openPresence({
    redis: redis.commands,
    now,
    elapsed: () => performance.now(),
    vault: () => ledger.follower.state,
    onChange: () => sending.pump(),
  });
  life.onStop(() => presence.stop());
  life.onStop(() => sending.stop());
  const receive = sending.receive;
  const state = () => ledger.follower.state;
  const { dispatcher, watch, signingLog } = followSigning(ground, sending, state);
  const trusted = trustedKeysOf(ground, ledger);
  const heard = { subscriber: redis.subscriber, gatewayId, keys: trusted };
  subscribeToReplies({ ...heard, logger, alarms, receive });
  const signingRequests = createSigningRequests({ pool, keys, state, alarms });
  const requests = signingRequests;
  const sweeper = openSweeper({ requests, results, dispatcher, refusals, logger, now });
  life.onStop(() => sweeper.stop());
  const { follower } = ledger;
  const releases = { follower, requests, dispatcher, evidenceKeys: keys, logger, now };
  const releaseWatch = openReleaseWatch(releases, follower);
  life.onStop(() => releaseWatch.stop());
  return { dispatcher, watch, presence, signingRequests, signingLog, queues };
}

/**
 * Follows requests to the parties for health, which sends probes while there are none, and for the log, which has no
 * line for a probe.
 */
function followSigning(
  { logger, life, now }: Ground,
  sending: Dispatcher,
  state: () => VaultState,
): Pick<Signing, 'dispatcher' | 'watch' | 'signingLog'> {
  // monotonic: setting the clock must not affect the watch
  const monotonic = () => performance.now();
  const watch = createSigningWatch(monotonic);
  const dispatcher = watch.over(sending);
  const probe = openSigningProbe({ dispatcher, watch, logger, monotonic, now });
  life.onStop(() => probe.stop());
  const signingLog = createSigningLog({ logger, state, now });
  return { dispatcher: signingLog.over(dispatcher), watch, signingLog };
}

/** Keys that this vault has not withdrawn: they are for current messages. */
function trustedKeysOf({ evidenceKeys }: Ground, { follower }: GatewayLedger): EvidenceKeys {
  return withoutDistrusted(evidenceKeys, (id) => isWithdrawnEvidenceKey(follower.state, id));
}

/** Opens the page of the queues, and its sessions. */
function openQueuePage(
  ground: Ground,
  ledger: GatewayLedger,
  { commands: redis }: RedisConnections,
  { presence, queues }: Signing,
): Pick<AppDeps, 'viewedQueues' | 'trustedKeys'> {
  const viewedQueues = openViewedQueues({ redis, presence, queues });
  ground.life.onStop(() => viewedQueues.close());
  return { viewedQueues, trustedKeys: trustedKeysOf(ground, ledger) };
}

function openJobs(
  { logger, life, now }: Ground,
  { follower }: GatewayLedger,
  { commands: redis }: RedisConnections,
  { presence }: Signing,
): WorkJobs {
  const jobs = openWorkJobs({ redis, presence, follower, logger, now });
  life.onStop(() => jobs.close());
  return jobs;
}

function openRefusals({ pool, gatewayId, life, now }: Ground): BoundedRecorder {
  const refusals = boundRefusals(createRefusalRecorder(pool, gatewayId), now);
  life.onStop(() => refusals.drain());
  return refusals;
}

/** A cursor of one gateway is valid at all of them: its key is derived from the evidence key that they share. */
function createGatewayCursors(keys: EvidenceKeys): Cursors {
  const nothing = Buffer.alloc(0);
  return createCursors(keys.derive(keys.seal(nothing, nothing), 'cursors', nothing));
}
