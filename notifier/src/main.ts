/**
 * The notifier process: sends events to webhooks until it is told to stop. It is the only process that connects to the
 * outside.
 */
import type pg from 'pg';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { createLoggedAlarms } from '@countersign/runtime/alarms/alarms.js';
import {
  openLedgerFollower,
  type LedgerFollower,
} from '@countersign/runtime/ledger/ledger-follower.js';
import type { OutcomeListener } from '@countersign/runtime/ledger/followed-fold.js';
import { openPinFile } from '@countersign/runtime/ledger/ledger-pin.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { createLatestRun } from '@countersign/runtime/ledger/latest-run.js';
import { readTrustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { openMetrics } from '@countersign/runtime/metrics/metrics-server.js';
import { createLogger, type Logger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import { openProcessLife } from '@countersign/runtime/process/process-life.js';
import { requireDatabase } from '@countersign/runtime/process/required-database.js';
import { runProgram } from '@countersign/runtime/process/run-program.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { EMPTY_STATE } from '@countersign/vault/state/state.js';
import { createDeliveryStore } from './deliveries/delivery-store.js';
import { openEventSigner } from './deliveries/event-signer.js';
import { resolveHost } from './deliveries/find-destination.js';
import { postEvent } from './deliveries/post-event.js';
import { sendMail } from './deliveries/send-mail.js';
import { createAlarmSource } from './events/alarm-source.js';
import { readConfig } from '@countersign/runtime/process/config.js';
import {
  notifierVariables,
  type NotifierConfig,
} from '@countersign/runtime/settings/notifier-config.js';
import { readTargets } from './formats/targets.js';
import { createNotifier } from './notifier.js';
import { notifierMetrics } from './notifier-metrics.js';

const POSTGRES_CONNECTIONS = 4;
const STOP_WITHIN_MS = 15_000;

const elapsed = () => performance.now();

async function main(config: NotifierConfig): Promise<void> {
  const logger = createLogger('notifier', config.LOG_LEVEL);
  const life = openProcessLife(logger, STOP_WITHIN_MS);
  const pool = openPool(config.DATABASE_URL, POSTGRES_CONNECTIONS, logger);
  life.onStop(() => pool.end());
  await requireDatabase(pool);
  const vault = { state: EMPTY_STATE };
  const notifier = createNotifier({
    state: () => vault.state,
    store: createDeliveryStore(pool),
    alarms: createAlarmSource(pool, () => vault.state),
    keptDays: config.WEBHOOK_KEPT_DAYS,
    signer: openEventSigner(config.WEBHOOK_KEY_FILE),
    targets: readTargets(config.WEBHOOK_TARGETS_FILE),
    consoleUrl: config.CONSOLE_URL,
    rules: { isLoopbackAllowed: config.WEBHOOK_LOOPBACK === 'allowed' },
    resolve: resolveHost,
    post: postEvent,
    mail: sendMail,
    logger,
    now: Date.now,
    elapsed,
  });
  const follower = await followLedger(config, pool, logger, (outcomes, view) => {
    vault.state = view.state;
    notifier.hear(outcomes);
  });
  const looking = keepLooking(config.LOOK_MS, () => notifier.look(), logger);
  follower.onOutcomes(() => looking.look());
  life.onStop(async () => {
    await follower.stop();
    await looking.stop();
    await notifier.settled();
  });
  await openMetrics(
    config,
    { logger, life },
    notifierMetrics({ notifier, follower, pool, elapsed }),
  );
  logger.info({ event: 'ready' }, 'notifier ready');
  process.send?.({ event: 'ready' });
}

function followLedger(
  config: NotifierConfig,
  pool: pg.Pool,
  logger: Logger,
  onOutcomes: OutcomeListener,
): Promise<LedgerFollower> {
  return openLedgerFollower({
    store: createLedgerStore(pool),
    fold: createFold({
      keys: readEvidenceKeys(config.EVIDENCE_KEY_FILE),
      findChanges: findRowChanges,
    }),
    logger,
    alarms: createLoggedAlarms(logger),
    connectionString: config.DATABASE_URL,
    now: Date.now,
    pollMs: config.LOOK_MS,
    genesisHash: readTrustedGenesis(config),
    pinFile: openPinFile(config.PIN_FILE),
    onOutcomes,
  });
}

/** Looks at intervals, and when told to; a failed look is followed by the next. */
function keepLooking(
  everyMs: number,
  start: () => Promise<void>,
  logger: Logger,
): { look(): void; stop(): Promise<void> } {
  const looks = createLatestRun(start);
  const look = () => {
    looks.run().catch((error: unknown) => {
      logger.warn({ event: 'look_failed', reason: String(error) }, 'events not looked for');
    });
  };
  const timer = setInterval(look, everyMs);
  return {
    look,
    async stop() {
      clearInterval(timer);
      await looks.settle();
    },
  };
}

void runProgram('notifier', process.env, (environment) =>
  main(readConfig(notifierVariables, environment)),
);
