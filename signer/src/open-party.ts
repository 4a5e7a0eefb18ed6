/**
 * Opens what a replica of a party is made of, in order: each step takes what those before it gave, and says what to do
 * when the process stops. How a replica signs is in open-signing.ts.
 */
import { existsSync } from 'node:fs';
import { alarmMessage } from '@countersign/core/alarm-statement.js';
import { readEvidenceKeys, readWithdrawnKeyIds } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ChainHead } from '@countersign/core/party-statements.js';
import { createAlarmStore } from '@countersign/runtime/alarms/alarm-store.js';
import {
  openRecordedAlarms,
  tellBeforeFailing,
  type RecordedAlarms,
} from '@countersign/runtime/alarms/recorded-alarms.js';
import { openUnwrittenAlarms } from '@countersign/runtime/alarms/unwritten-alarms.js';
import { SPOKEN } from '@countersign/runtime/jobs/protocol.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import {
  openFoldSnapshots,
  type FoldSnapshots,
} from '@countersign/runtime/ledger/fold-snapshots.js';
import { partyAuthor } from '@countersign/runtime/ledger/snapshot-author.js';
import { openLedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { openPinFile } from '@countersign/runtime/ledger/ledger-pin.js';
import { createLedgerStore, type LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readTrustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import type { Tracing } from '@countersign/runtime/tracing/tracing.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import type { ProcessLife } from '@countersign/runtime/process/process-life.js';
import { requireDatabase } from '@countersign/runtime/process/required-database.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { NEWEST_RULES } from '@countersign/vault/ledger/rules.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { Redis } from 'ioredis';
import { encodeMessage, type PartyMessage } from './channel/messages.js';
import { openRedis } from './channel/open-redis.js';
import { openLeaseClock } from '@countersign/runtime/process/lease-clock.js';
import { exchangePublicKeys } from './channel/channel-keys.js';
import { createPartyChannel, type PartyChannel } from './channel/party-channel.js';
import { x25519Key } from './channel/x25519.js';
import {
  primaryTrust,
  openVouchedTrust,
  type HeadTrust,
  type VouchMessage,
} from './party/head-trust.js';
import { requireNewParty } from './party/require-new-party.js';
import { openPrimary } from './party/primary.js';
import { createNotedOutcomes } from './party/noted-outcomes.js';
import type { OwnPresence } from './party/own-presence.js';
import { watchParties } from './party/watch-parties.js';
import { requireOwnIdentity } from './party/own-identity.js';
import { partyKeyFiles, requireNoRotation, type PartyKeyFiles } from './party/party-keys.js';
import { createReplicaVouching, UNDER_WAY_MS } from './party/vouch-for-replicas.js';
import { vouchForEvidenceKeys } from './party/vouch-for-evidence-keys.js';
import { withdrawEvidenceKeys } from './party/withdraw-evidence-keys.js';
import { waitForGenesis } from './party/wait-for-genesis.js';
import { openAnchorWriter } from './records/anchor-writer.js';
import { createRecordHeads } from './records/record-heads.js';
import {
  createGivenContributions,
  type GivenContributions,
} from './signing/given-contributions.js';
import { createReleaseGate, type ReleaseGate } from './signing/release-gate.js';
import type { SignerConfig } from '@countersign/runtime/settings/signer-config.js';
import { createNoncePoolMemory } from './threads/nonce-memory.js';
import type { ThreadFiles } from './threads/thread-files.js';
import { openThreadPools, type OpenThreadPools, type ThreadPools } from './threads/thread-pools.js';
import type pg from 'pg';

const POOL_SIZE = 4;
const RECORD_POOL_SIZE = 2;
/** The server gives up a commit that takes longer: until then its party cannot acknowledge a freeze. */
const COMMIT_WITHIN_MS = 2_000;
export const NONCE_SLOTS = 16_384;

export interface PartyProcess {
  readonly config: SignerConfig;
  readonly logger: Logger;
  readonly life: ProcessLife;
  /** The host's clock, ms: for what is compared with other people's times. */
  readonly now: () => number;
  /** This process's own monotonic clock, ms: for durations. */
  readonly elapsed: () => number;
  readonly tracing: Tracing;
  readonly threadFiles: ThreadFiles;
  /** See `cloudVariables`: what threads are given of the environment. */
  readonly cloudVariables: Readonly<Record<string, string>>;
}

/** What a party decides over, and which replica it is. */
export interface PartyGround {
  readonly self: Replica;
  /** Whether this process speaks for the party: it has the party's pin file. */
  readonly isPrimary: boolean;
  /**
   * Whether a process of this party may have taken requests before this one: with the same pin file, or on the host of
   * a party that was replaced.
   */
  readonly isRestarted: boolean;
  /** See `NotedOutcomes`. */
  readonly newestFreeze: () => number;
  /** Where the primary replica writes snapshots of its fold; undefined in another replica. */
  readonly snapshots: FoldSnapshots | undefined;
  readonly files: PartyKeyFiles;
  readonly evidenceKeys: EvidenceKeys;
  readonly pool: pg.Pool;
  /** The pool for records of signatures alone: its commits have a deadline of their own. */
  readonly recordPool: pg.Pool;
  readonly ledger: LedgerStore;
  readonly follower: LedgerFollower;
  readonly alarms: RecordedAlarms;
  /** See `NotedOutcomes`. */
  readonly anchored: Map<string, ChainHead>;
}

/** Waits for a genesis. Throws when the database is not this release's, or the ledger not the one this party knows. */
export async function openLedger(own: PartyProcess): Promise<PartyGround> {
  const { config, logger, life, now } = own;
  const self = startReplica(config.PARTY, config.REPLICA);
  const files = partyKeyFiles(config.KEY_DIR, config.KEK_FILE);
  requireNoRotation(files);
  const evidenceKeys = readEvidenceKeys(config.EVIDENCE_KEY_FILE);
  const isRestarted = config.PIN_FILE !== undefined && existsSync(config.PIN_FILE);
  const { pool, recordPool } = openPools(config, logger, life);
  await requireDatabase(pool);
  const ledger = createLedgerStore(pool);
  const alarms = await openAlarms(self, config, logger, now);
  const noted = createNotedOutcomes(self.party);
  const snapshots = openSnapshots(self, config, logger);
  const opening = openLedgerFollower({
    store: ledger,
    fold: createFold({ keys: evidenceKeys }),
    logger,
    alarms,
    connectionString: config.DATABASE_URL,
    now,
    pollMs: config.LEDGER_POLL_MS,
    genesisHash: readTrustedGenesis(config),
    pinFile: config.PIN_FILE === undefined ? undefined : openPinFile(config.PIN_FILE),
    requireNew: (view) => requireNewParty(view, self.party),
    onOutcomes: (outcomes) => noted.note(outcomes),
    kept: snapshots && { snapshots, memory: noted },
  });
  const follower = await tellBeforeFailing(alarms, opening);
  life.onStop(() => follower.stop());
  await waitForGenesis(follower, logger);
  return {
    self,
    isPrimary: config.PIN_FILE !== undefined,
    isRestarted: isRestarted || hasPredecessor(follower.state, self.party),
    newestFreeze: () => noted.newestFreeze,
    snapshots,
    files,
    evidenceKeys,
    pool,
    recordPool,
    ledger,
    follower,
    alarms,
    anchored: noted.anchored,
  };
}

function hasPredecessor({ formerParties = [] }: VaultState, party: PartyNumber): boolean {
  return formerParties.some((row) => row.party === party);
}

/** Snapshots lie beside the pin: a replica without one begins with the genesis. */
function openSnapshots(
  { party }: Replica,
  { PIN_FILE }: SignerConfig,
  logger: Logger,
): FoldSnapshots | undefined {
  if (PIN_FILE === undefined) return undefined;
  return openFoldSnapshots({
    path: `${PIN_FILE}.snapshot`,
    author: partyAuthor(party),
    logger,
  });
}

function openPools(
  { DATABASE_URL }: SignerConfig,
  logger: Logger,
  life: ProcessLife,
): Pick<PartyGround, 'pool' | 'recordPool'> {
  const pool = openPool(DATABASE_URL, POOL_SIZE, logger);
  life.onStop(() => pool.end());
  const recordPool = openPool(DATABASE_URL, RECORD_POOL_SIZE, logger, COMMIT_WITHIN_MS);
  life.onStop(() => recordPool.end());
  return { pool, recordPool };
}

/** Alarms wait, beside the pin where this replica has one, until the process can sign for its party. */
function openAlarms(
  { party }: Replica,
  { PIN_FILE }: SignerConfig,
  logger: Logger,
  now: () => number,
): Promise<RecordedAlarms> {
  const accuser = `party_${party}` as const;
  const file =
    PIN_FILE === undefined ? undefined : openUnwrittenAlarms(`${PIN_FILE}.alarms`, accuser);
  return openRecordedAlarms({ accuser, logger, now, elapsed: () => performance.now(), file });
}

/**
 * Opens the threads that hold this party's secrets: from now on its alarms are written. Then says in the ledger which
 * evidence keys the party holds, and which it no longer trusts.
 */
export async function openOwnThreads(
  { config, logger, life, now, threadFiles, cloudVariables }: PartyProcess,
  { self, files, evidenceKeys, pool, ledger, follower, alarms, snapshots }: PartyGround,
): Promise<OpenThreadPools> {
  const threads = await openThreadPools({
    threadFile: threadFiles.signing,
    cloudVariables,
    party: self.party,
    kekFile: files.kek,
    identityFile: files.identity,
    exchangeFile: files.exchange,
    nonceMemory: createNoncePoolMemory(NONCE_SLOTS),
    maxThreads: config.SIGNING_THREADS,
  });
  life.onStop(() => threads.close());
  requireOwnIdentity(follower.state, self.party, threads.identityPublicKey);
  const { genesisHash } = follower.state;
  alarms.writeBy({
    store: createAlarmStore(pool),
    sign: (statements) =>
      threads.signIdentity(statements.map((statement) => alarmMessage(statement, genesisHash))),
  });
  life.onStop(() => alarms.stop());
  snapshots?.proveBy(async (message) => (await threads.signIdentity([message]))[0]!);
  const withdrawn = readWithdrawnKeyIds(config.EVIDENCE_KEY_FILE);
  const speaker = { party: self.party, follower, ledger, threads, now };
  await vouchForEvidenceKeys({ ...speaker, held: evidenceKeys.ids, withdrawn });
  await withdrawEvidenceKeys({ ...speaker, withdrawn, logger });
  return threads;
}

/** The connections to the other parties. */
export interface PartyConnections {
  readonly redis: Redis;
  /** Hears what is published to this replica, once it subscribes. */
  readonly subscriber: Redis;
  readonly channel: PartyChannel;
  send(to: Replica, message: PartyMessage): Promise<void>;
}

export async function connectParties(
  { config, logger, life, now }: PartyProcess,
  { self, follower, alarms }: PartyGround,
  threads: ThreadPools,
): Promise<PartyConnections> {
  const redis = openRedis(config.REDIS_URL, logger);
  const subscriber = openRedis(config.REDIS_URL, logger);
  for (const connection of [redis, subscriber]) life.onStop(() => connection.disconnect());
  const channel = createPartyChannel({
    self,
    own: x25519Key(await threads.openExchangeKey()),
    publicKeys: exchangePublicKeys(follower.state),
    genesisHash: follower.state.genesisHash,
    spoken: SPOKEN,
    publish: (name, frame) => redis.publish(name, frame),
    logger,
    alarms,
    now,
  });
  life.onStop(() => channel.stop());
  watchParties({
    ...{ party: self.party, identityPublicKey: threads.identityPublicKey, follower, channel },
    onReplaced: (error) => {
      logger.fatal({ event: 'party_replaced', reason: String(error) }, 'this party was replaced');
      process.exit(1);
    },
  });
  return {
    redis,
    subscriber,
    channel,
    send: (to, message) => channel.send(to, () => encodeMessage(message)),
  };
}

/** What ties this replica's signatures to the ledger that its party has pinned. */
export interface PartyTrust {
  readonly trust: HeadTrust;
  readonly gate: ReleaseGate;
  readonly given: GivenContributions;
  readonly vouching: { receive(from: Replica, message: VouchMessage): void };
}

/** The primary replica speaks from now on; another replica asks it. */
export function openTrust(
  { logger, life, now, elapsed }: PartyProcess,
  deps: PartyGround & PartyConnections & { threads: ThreadPools; presence: OwnPresence },
): PartyTrust {
  const { self, isPrimary, follower, send } = deps;
  const gate = createReleaseGate();
  const given = createGivenContributions();
  life.onStop(() => given.stop());
  if (!isPrimary) {
    const trust = openVouchedTrust({
      follower,
      elapsed: openLeaseClock(),
      findPrimary: () => deps.presence.findPrimary(),
      clearedSeq: () => Math.min(gate.oldestFrozen(follower.view) ?? Infinity, follower.state.seq),
      send,
    });
    gate.onDone(() => trust.tellCleared());
    life.onStop(() => trust.stop());
    return { trust, gate, given, vouching: trust };
  }
  const vouching = createReplicaVouching({ follower, elapsed, send });
  // what the previous process decided, or vouched for, may still come to a signature
  const clearFrom = deps.isRestarted ? elapsed() + UNDER_WAY_MS : 0;
  const primary = openPrimary({
    ...deps,
    party: self.party,
    newestRules: NEWEST_RULES,
    logger,
    now,
    elapsed,
    newestFreeze: deps.newestFreeze(),
    isCleared: (seq) =>
      elapsed() >= clearFrom &&
      (gate.oldestFrozen(follower.view) ?? seq) >= seq &&
      vouching.isCleared(seq),
  });
  gate.onDone(primary.look);
  vouching.onCleared(primary.look);
  life.onStop(() => primary.stop());
  return { trust: primaryTrust(follower), gate, given, vouching };
}

/**
 * From now on the primary replica anchors what its party records. If an anchored record is gone, the process ends at
 * once, and ends again when it is started. Throws LostRecordsError.
 */
export async function openAnchors(
  { config, logger, life, now }: PartyProcess,
  { self, isPrimary, anchored, pool, ledger, follower, alarms }: PartyGround,
  threads: ThreadPools,
): Promise<void> {
  if (!isPrimary) return;
  const opening = openAnchorWriter({
    party: self.party,
    anchored,
    heads: createRecordHeads(pool, self.party),
    follower,
    ledger,
    threads,
    logger,
    alarms,
    now,
    everyMs: config.ANCHOR_EVERY_S * 1_000,
    onLost: () => void alarms.settle().finally(() => process.exit(1)),
  });
  const primary = await tellBeforeFailing(alarms, opening);
  life.onStop(() => primary.stop());
}
