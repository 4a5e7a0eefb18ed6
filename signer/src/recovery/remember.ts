/**
 * `node signer/bundle/recovery/remember.js <pin file of another node>...`, with the environment of the party's primary
 * replica. It gives a party whose pin file is lost a memory to start with. The party then takes no request of the last
 * five minutes, nor of the next.
 */
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readTrustedGenesis, trustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { ConfigError, readConfig } from '@countersign/runtime/process/config.js';
import { runProgram } from '@countersign/runtime/process/run-program.js';
import pg from 'pg';
import { z } from 'zod';
import { readKnownHistory } from './known-history.js';
import { readPins, refuseMemory, writeMemory } from './party-memory.js';

const TRUST_DATABASE = '--trust-database';
const USAGE = `usage: remember <pin file of another node>... (or ${TRUST_DATABASE}, where no node has one)`;

const schema = z.object({
  /** As the role of the party. */
  DATABASE_URL: z.url(),
  PIN_FILE: z.string().min(1),
  ...trustedGenesis,
});

async function main(environment: NodeJS.ProcessEnv, paths: readonly string[]): Promise<void> {
  const config = readConfig(schema, environment);
  const genesisHash = readTrustedGenesis(config)();
  if (genesisHash === undefined) throw new ConfigError('GENESIS_FILE is not there');
  refuseMemory(config.PIN_FILE);
  // a pin that is given is never left aside
  if (paths.length === 0 || (paths.includes(TRUST_DATABASE) && paths.length > 1)) {
    throw new ConfigError(USAGE);
  }
  const pins = paths[0] === TRUST_DATABASE ? [] : await readPins(paths);
  const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: 1 });
  try {
    const head = await readKnownHistory({ store: createLedgerStore(pool), genesisHash, pins });
    await writeMemory(config.PIN_FILE, head, Date.now());
    const { seq, hash } = head;
    process.stdout.write(`${JSON.stringify({ ledger_head: { seq, hash } })}\n`);
  } finally {
    await pool.end();
  }
}

void runProgram('remember', process.env, (environment) => main(environment, process.argv.slice(2)));
