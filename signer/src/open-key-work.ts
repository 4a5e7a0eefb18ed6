/** Everything a party does about keys besides signing with them: completing, importing, making ahead. */
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Redis } from 'ioredis';
import type pg from 'pg';
import type { PartyMessage } from './channel/messages.js';
import type { SignerConfig } from './config.js';
import { openRecipientKeeper } from './imports/recipient-keeper.js';
import { createRecipientStore } from './imports/recipient-store.js';
import type { OwnPresence } from './party/own-presence.js';
import type { ShareStore } from './records/share-store.js';
import type { CommitmentLender } from './signing/commitment-lender.js';
import type { ThreadPools } from './threads/thread-pools.js';
import { createCeremonyInboxes } from './ceremonies/ceremony-run.js';
import { createKeyAttester } from './ceremonies/key-attester.js';
import { KEY_START, openKeyCeremonies } from './ceremonies/key-ceremonies.js';
import { createKeyLock } from './party/key-lock.js';
import { createProgressReporter } from './ceremonies/progress-reporter.js';
import { createPerformer } from './ceremonies/perform-ceremony.js';
import { assignStock } from './stock/assign-stock.js';
import { openRsaStockMaker, STOCK_MODULUS_BITS, STOCK_START } from './stock/rsa-stock-maker.js';
import { createRsaStockStore } from './stock/rsa-stock-store.js';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface KeyWorkDeps {
  readonly self: Replica;
  readonly config: SignerConfig;
  readonly kekFile: string;
  readonly pool: pg.Pool;
  readonly redis: Redis;
  readonly follower: LedgerFollower;
  readonly ledger: LedgerStore;
  readonly threads: ThreadPools;
  readonly shares: ShareStore;
  readonly lender: CommitmentLender;
  readonly presence: OwnPresence;
  readonly logger: Logger;
  readonly now: () => number;
  send(to: Replica, message: PartyMessage): Promise<void>;
  pairSecret(peer: PartyNumber, purpose: string): Buffer;
  /** Whether requests are being signed: keys that nobody waits for can wait. */
  isSigning(): boolean;
}

export interface KeyWork {
  receive(from: Replica, message: CeremonyMessage): void;
  stop(): Promise<void>;
}

export function openKeyWork(deps: KeyWorkDeps): KeyWork {
  const { self, config, pool, follower, ledger, threads, shares, presence } = deps;
  const { logger, now, send } = deps;
  const { party } = self;
  const lock = createKeyLock(config.DATABASE_URL);
  const recipients = createRecipientStore(pool, party);
  const keeper = openRecipientKeeper({
    party,
    follower,
    ledger,
    threads,
    recipients,
    lock,
    logger,
    now,
  });
  const stock = createRsaStockStore(pool, party);
  const inboxes = createCeremonyInboxes(party);
  const performer = createPerformer({
    genesisHash: follower.state.genesisHash,
    threads,
    lender: deps.lender,
    recipients,
    assignStock: (run, modulusBits) => assignStock({ stock, threads }, run, modulusBits),
    pairSecret: (peer, purpose) => deps.pairSecret(peer, purpose),
    kekFile: deps.kekFile,
    progress: createProgressReporter(deps.redis, now),
  });
  const isKeyPending = () => follower.state.keys.indexes.pending.size > 0;

  async function findStock(keyId: string): Promise<string> {
    const key = follower.state.keys.rows.get(keyId);
    const mayUseStock = key?.status === 'generating' && key.modulusBits === STOCK_MODULUS_BITS;
    if (!mayUseStock) return '';
    const [oldest = ''] = await stock.list();
    return oldest;
  }

  const ceremonies = openKeyCeremonies({
    self,
    follower,
    shares,
    inboxes,
    attester: createKeyAttester({ party, follower, ledger, threads, shares, now }),
    lock,
    logger,
    now,
    send,
    findReplicas: () => presence.findReplicas(),
    findStock,
    perform: (run, key) => performer.perform(run, key),
  });
  const stockMaker = openRsaStockMaker({
    self,
    target: config.RSA_STOCK,
    delayMs: config.RSA_STOCK_DELAY_S * 1_000,
    inboxes,
    store: stock,
    lock,
    logger,
    now,
    send,
    findReplicas: () => presence.findReplicas(),
    isIdle: () => !isKeyPending() && !deps.isSigning(),
    generate: (run, modulusBits) => performer.generateRsa(run, modulusBits),
  });
  follower.onOutcomes((outcomes) => {
    if (isKeyPending()) stockMaker.yieldToKeys();
    ceremonies.onOutcomes(outcomes);
  });

  return {
    receive(from, message) {
      if (message.tag === KEY_START) ceremonies.receive(from, message);
      else if (message.tag === STOCK_START) stockMaker.receive(from, message);
      else inboxes.put(message.session, message.tag, from.party, message.payload);
    },
    async stop() {
      keeper.stop();
      stockMaker.stop();
      ceremonies.stop();
      await lock.close();
    },
  };
}
