import pg from 'pg';

/** Keeps two replicas of one party from calling runs for the same key at once. It guards no secret. */
export interface KeyLock {
  acquire(keyId: string): Promise<boolean>;
  release(keyId: string): Promise<void>;
  close(): Promise<void>;
}

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
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000 });
    const lose = () => (connection = undefined);
    client.on('error', lose);
    client.on('end', lose);
    await client.connect();
    return client;
  }

  // a connection does one thing at a time
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = last.then(run);
    last = result.catch(() => undefined);
    return result;
  }

  async function tryLock(keyId: string): Promise<boolean> {
    const client = await connect();
    const { rows } = await client.query<{ held: boolean }>(LOCK, [keyId]);
    return rows[0]?.held === true;
  }

  async function unlock(keyId: string): Promise<void> {
    const client = await connection?.catch(() => undefined);
    await client?.query(UNLOCK, [keyId]).catch(() => undefined);
  }

  return {
    acquire: (keyId) => inTurn(() => tryLock(keyId)),
    release: (keyId) => inTurn(() => unlock(keyId)),
    async close() {
      const client = await connection?.catch(() => undefined);
      await client?.end().catch(() => undefined);
    },
  };
}
