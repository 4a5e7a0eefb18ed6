/** The notifier process: sends events to webhooks until it is told to stop. The only one that connects to the outside. */
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { createLoggedAlarms } from '@countersign/runtime/alarms/alarms.js';
import { openLedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { openPinFile } from '@countersign/runtime/ledger/ledger-pin.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { createLatestRun } from '@countersign/runtime/ledger/latest-run.js';
import { readTrustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import { openProcessLife } from '@countersign/runtime/process/process-life.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import { createDeliveryStore } from './deliveries/delivery-store.js';
import { openEventSigner } from './deliveries/event-signer.js';
import { resolveHost } from './deliveries/find-destination.js';
import { postEvent } from './deliveries/post-event.js';
import { createAlarmSource } from './events/alarm-source.js';
import { readNotifierConfig, type NotifierConfig } from './notifier-config.js';
import { createNotifier } from './notifier.js';

const POSTGRES_CONNECTIONS = 4;
const STOP_WITHIN_MS = 15_000;

async function main(config: NotifierConfig): Promise<void> {
  const logger = createLogger('notifier', config.LOG_LEVEL);
  const life = openProcessLife(logger, STOP_WITHIN_MS);
  const pool = openPool(config.DATABASE_URL, POSTGRES_CONNECTIONS, logger);
  life.onStop(() => pool.end());
  let state: VaultState = EMPTY_STATE;
  const notifier = createNotifier({
    state: () => state,
    store: createDeliveryStore(pool),
    alarms: createAlarmSource(pool, () => state),
    signer: openEventSigner(config.WEBHOOK_KEY_FILE),
    rules: { isLoopbackAllowed: config.WEBHOOK_LOOPBACK === 'allowed' },
    resolve: resolveHost,
    post: postEvent,
    logger,
    now: Date.now,
  });
  const looks = createLatestRun(() => notifier.look());
  const look = () =>
    looks.run().catch((error: unknown) => {
      logger.warn(
        { event: 'look_failed', reason: String(error) },
        'events could not be looked for',
      );
    });
  const follower = await openLedgerFollower({
    store: createLedgerStore(pool),
    fold: createFold({ keys: readEvidenceKeys(config.EVIDENCE_KEY_FILE) }),
    logger,
    alarms: createLoggedAlarms(logger),
    connectionString: config.DATABASE_URL,
    now: Date.now,
    pollMs: config.LOOK_MS,
    genesisHash: readTrustedGenesis(config),
    pinFile: openPinFile(config.PIN_FILE),
    onOutcomes(outcomes, view) {
      state = view.state;
      notifier.hear(outcomes);
    },
  });
  follower.onOutcomes(() => void look());
  const timer = setInterval(() => void look(), config.LOOK_MS);
  life.onStop(async () => {
    await follower.stop();
    clearInterval(timer);
    await looks.settle();
    await notifier.settled();
  });
  logger.info({ event: 'ready' }, 'notifier ready');
  process.send?.({ event: 'ready' });
}

try {
  await main(readNotifierConfig(process.env));
} catch (error) {
  const text = error instanceof ConfigError ? error.message : String(error);
  process.stderr.write(`notifier: ${text}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
