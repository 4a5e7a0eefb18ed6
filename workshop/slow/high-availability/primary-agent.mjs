// Says by HTTP whether a PostgreSQL server is the primary one, as Patroni's agents do. A process of its own: HAProxy would
// take it for gone while the drill's process is busy. `node primary-agent.mjs <url>`; it prints its port.
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';

const LOOK_MS = 200;
const url = process.argv[2];
let isPrimary = false;

/** Over one connection, which breaks when the server ends. */
async function look() {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => (isPrimary = false));
  try {
    await client.connect();
    for (;;) {
      const { rows } = await client.query('SELECT NOT pg_is_in_recovery() AS it');
      isPrimary = rows[0].it;
      await setTimeout(LOOK_MS);
    }
  } catch {
    isPrimary = false;
    await client.end().catch(() => undefined);
  }
}

const server = createServer((_request, response) =>
  response.writeHead(isPrimary ? 200 : 503).end(),
);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
// it ends with whoever started it
process.stdin.on('end', () => process.exit(0)).resume();
for (;;) {
  await look();
  await setTimeout(LOOK_MS);
}
