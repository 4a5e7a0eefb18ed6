import { createWaitingLines } from '@countersign/runtime/process/waiting-lines.js';
import pg from 'pg';

/** Keeps two replicas of one party from doing the same work for keys at once. It guards no secret. */
export interface KeyLock {
  acquire(name: string): Promise<boolean>;
  release(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Held while RSA keys are generated, for the ledger or for stock: it fills the processors. */
export const RSA_LANE = 'rsa generation';

const QUERY_TIMEOUT_MS = 5_000;
const LOCK = `SELECT pg_try_advisory_lock(hashtextextended($1, 7041776)) AS held`;
const UNLOCK = `SELECT pg_advisory_unlock(hashtextextended($1, 7041776))`;

/** Advisory locks of one session: PostgreSQL lets them go when the process dies. */
export function createKeyLock(connectionString: string): KeyLock {
  let connection: Promise<pg.Client> | undefined;
  const { inLine } = createWaitingLines();
  const lose = () => (connection = undefined);

  function connect(): Promise<pg.Client> {
    connection ??= openSession(connectionString, lose).catch((error: unknown) => {
      connection = undefined;
      throw error;
    });
    return connection;
  }

  /** A connection that does not answer, as one that a firewall dropped, is given up. */
  async function ask(client: pg.Client, text: string, name: string): Promise<unknown> {
    try {
      const { rows } = await client.query<{ held?: boolean }>(text, [name]);
      return rows[0]?.held;
    } catch (error) {
      connection = undefined;
      client.end().catch(() => undefined);
      throw error;
    }
  }

  async function tryLock(name: string): Promise<boolean> {
    return (await ask(await connect(), LOCK, name)) === true;
  }

  async function unlock(name: string): Promise<void> {
    const client = await connection?.catch(() => undefined);
    if (client !== undefined) await ask(client, UNLOCK, name).catch(() => undefined);
  }

  // a connection does one thing at a time
  return {
    acquire: (name) => inLine('connection', () => tryLock(name)),
    release: (name) => inLine('connection', () => unlock(name)),
    async close() {
      const client = await connection?.catch(() => undefined);
      await client?.end().catch(() => undefined);
    },
  };
}

/** `onLost` is told when the session is gone, and with it the locks. */
async function openSession(connectionString: string, onLost: () => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 3_000,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  });
  client.on('error', onLost);
  client.on('end', onLost);
  await client.connect();
  return client;
}
