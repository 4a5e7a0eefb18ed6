/** All that a party does about keys besides signing with them: it completes, imports and makes them ahead. */
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import { isAnothersKey } from '@countersign/vault/ledger/anothers-key.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Redis } from 'ioredis';
import type pg from 'pg';
import type { PartyMessage } from './channel/messages.js';
import type { SignerConfig } from '@countersign/runtime/settings/signer-config.js';
import type { ThreadFiles } from './threads/thread-files.js';
import { openImportKeyRotation } from './imports/import-key-rotation.js';
import { createRecipientStore, type RecipientStore } from './imports/recipient-store.js';
import type { OwnPresence } from './party/own-presence.js';
import type { ShareStore } from './records/share-store.js';
import type { TrialCommitments } from './signing/commitment-lender.js';
import type { ThreadPools } from './threads/thread-pools.js';
import { createCeremonyInboxes } from './ceremonies/ceremony-inbox.js';
import { createKeyAttester } from './ceremonies/key-attester.js';
import { KEY_START, openKeyCeremonies } from './ceremonies/key-ceremonies.js';
import { createKeyLock } from './party/key-lock.js';
import { createProgressReporter } from './ceremonies/progress-reporter.js';
import { createRefreshStatements } from './ceremonies/refresh-statements.js';
import { runReshare } from './ceremonies/reshare-ceremony.js';
import { openShareRefresh, REFRESH_START, type ShareRefresh } from './ceremonies/share-refresh.js';
import { createSupersededStore } from './records/superseded-store.js';
import { createSupersededSweep, SUPERSEDED_SWEEP_MS } from './ceremonies/superseded-shares.js';
import { createPerformer, type Performer } from './ceremonies/perform-ceremony.js';
import { assignStock } from './stock/assign-stock.js';
import { findStock } from './stock/find-stock.js';
import { openRsaStockMaker, STOCK_START } from './stock/rsa-stock-maker.js';
import { createRsaStockStore, type RsaStockStore } from './stock/rsa-stock-store.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface KeyWorkDeps {
  readonly self: Replica;
  readonly config: SignerConfig;
  readonly kekFile: string;
  readonly cloudVariables: Readonly<Record<string, string>>;
  readonly threadFiles: ThreadFiles;
  readonly pool: pg.Pool;
  readonly redis: Redis;
  readonly follower: LedgerFollower;
  readonly ledger: LedgerStore;
  readonly threads: ThreadPools;
  readonly shares: ShareStore;
  readonly lender: TrialCommitments;
  readonly presence: OwnPresence;
  readonly logger: Logger;
  readonly alarms: Alarms;
  readonly now: () => number;
  send(to: Replica, message: PartyMessage): Promise<void>;
  /** See `RecentSigning`. */
  isSigning(): boolean;
}

export interface KeyWork {
  receive(from: Replica, message: CeremonyMessage): void;
  /** Begins what the ledger asks for now. */
  look(): void;
  stop(): Promise<void>;
}

export function openKeyWork(deps: KeyWorkDeps): KeyWork {
  const { self, config, pool, follower, presence } = deps;
  const { party } = self;
  const lock = createKeyLock(pool, party);
  const recipients = createRecipientStore(pool, party);
  const primary = openImportKeyRotation({ ...deps, party, recipients, lock });
  const stock = createRsaStockStore(pool, party);
  const inboxes = createCeremonyInboxes(party, deps.now);
  const common = { ...deps, inboxes, lock, findReplicas: () => presence.findReplicas() };
  const performer = openPerformer(deps, recipients, stock);
  const ceremonies = openKeyCeremonies({
    ...common,
    attester: createKeyAttester({ ...deps, party }),
    findStock: (keyId) => findStock(follower.state.keys.rows.get(keyId), stock),
    perform: (run, key) => performer.perform(run, key),
  });
  const refresh = openRefresh(deps, common);
  const isKeyPending = () => follower.state.keys.indexes.pending.size > 0;
  const stockMaker = openRsaStockMaker({
    ...common,
    store: stock,
    target: config.RSA_STOCK,
    delayMs: config.RSA_STOCK_DELAY_S * 1_000,
    isIdle: () => !isKeyPending() && !deps.isSigning(),
    generate: (run, modulusBits) => performer.generateRsa(run, modulusBits),
  });
  follower.onOutcomes((outcomes) => {
    if (isKeyPending()) stockMaker.yieldToKeys();
    ceremonies.onOutcomes(outcomes);
    refresh.look();
  });

  const starts = new Map<string, Pick<KeyWork, 'receive'>>([
    [KEY_START, ceremonies],
    [STOCK_START, stockMaker],
    [REFRESH_START, refresh],
  ]);
  return {
    receive(from, message) {
      const start = starts.get(message.tag);
      if (start !== undefined) start.receive(from, message);
      else inboxes.put(message.session, message.tag, from.party, message.payload);
    },
    look: () => [ceremonies, refresh].forEach((part) => part.look()),
    async stop() {
      for (const part of [primary, stockMaker, refresh, ceremonies]) part.stop();
      await lock.close();
    },
  };
}

type CommonDeps = Pick<Parameters<typeof openShareRefresh>[0], 'inboxes' | 'lock' | 'findReplicas'>;

/** Makes new shares where the ledger asks for them, and deletes those whose place they have taken. */
function openRefresh(deps: KeyWorkDeps, common: CommonDeps): ShareRefresh {
  const { self, follower, logger } = deps;
  const logFailure = (event: string) => (error: unknown) =>
    logger.warn({ event, reason: String(error) }, 'shares are left as they are');
  const refresh = openShareRefresh({
    ...deps,
    ...common,
    statements: createRefreshStatements({
      ...deps,
      party: self.party,
      onFailure: logFailure('refresh_not_stated'),
    }),
    reshare: (run, wanted) => runReshare(deps, run, wanted),
  });
  const sweep = createSupersededSweep({
    store: createSupersededStore(deps.pool, self.party),
    state: () => follower.state,
  });
  const ticks = openTicks(
    SUPERSEDED_SWEEP_MS,
    () => void sweep().catch(logFailure('shares_not_swept')),
  );
  return {
    ...refresh,
    stop() {
      ticks.stop();
      refresh.stop();
    },
  };
}

/** Makes a key: by itself, from a part that was imported, or from stock. */
function openPerformer(
  deps: KeyWorkDeps,
  recipients: RecipientStore,
  stock: RsaStockStore,
): Performer {
  const { follower, threads, threadFiles, lender, kekFile, cloudVariables, redis, now } = deps;
  const isAnothersRsaKey = (id: string, publicKey: Uint8Array) =>
    isAnothersKey(follower.state, { id, type: 'rsa' }, publicKey);
  return createPerformer({
    genesisHash: follower.state.genesisHash,
    threads,
    lender,
    recipients,
    kekFile,
    cloudVariables,
    generationThread: threadFiles.generation,
    assignStock: (run, modulusBits) =>
      assignStock({ stock, threads, isAnothersKey: isAnothersRsaKey }, run, modulusBits),
    isAnothersKey: (key, publicKey) => isAnothersKey(follower.state, key, publicKey),
    progress: createProgressReporter(redis, now),
  });
}
