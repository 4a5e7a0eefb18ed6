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

  function connect(): Promise<pg.Client> {
    connection ??= open().catch((error: unknown) => {
      connection = undefined;
      throw error;
    });
    return connection;
  }

  async function open(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: 3_000,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    });
    const lose = () => (connection = undefined);
    client.on('error', lose);
    client.on('end', lose);
    await client.connect();
    return client;
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

  // a connection does one thing at a time
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = last.then(run);
    last = result.catch(() => undefined);
    return result;
  }

  async function tryLock(name: string): Promise<boolean> {
    return (await ask(await connect(), LOCK, name)) === true;
  }

  async function unlock(name: string): Promise<void> {
    const client = await connection?.catch(() => undefined);
    if (client !== undefined) await ask(client, UNLOCK, name).catch(() => undefined);
  }

  return {
    acquire: (name) => inTurn(() => tryLock(name)),
    release: (name) => inTurn(() => unlock(name)),
    async close() {
      const client = await connection?.catch(() => undefined);
      await client?.end().catch(() => undefined);
    },
  };
}
