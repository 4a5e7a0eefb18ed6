import pg from 'pg';
import { LEDGER_CHANNEL } from '../jobs/names.js';
import type { Logger } from '../process/logger.js';

const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * A LISTEN connection that reconnects by itself. `wake` is called for each notification, and each time a connection
 * begins to listen: entries from the time before may have been missed.
 */
export function openLedgerListener(
  connectionString: string,
  logger: Logger,
  wake: () => void,
): { stop(): Promise<void> } {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  function connect(): void {
    const current = new pg.Client({
      connectionString,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    client = current;
    let lost = false;
    const lose = (error?: unknown) => {
      if (lost) return;
      lost = true;
      if (stopped) return;
      logger.warn({ event: 'ledger_listen_lost', reason: String(error) }, 'ledger LISTEN lost');
      void current.end().catch(() => undefined);
      retry = setTimeout(connect, RECONNECT_MS);
    };
    current.on('error', lose);
    current.on('end', lose);
    current.on('notification', wake);
    current
      .connect()
      .then(() => current.query(`LISTEN ${LEDGER_CHANNEL}`))
      .then(wake, lose);
  }

  connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
