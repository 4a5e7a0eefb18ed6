/**
 * `node signer/bundle/recovery/remember.js <pin file of another node>...`, with the environment of the party's primary replica:
 * gives a party whose pin file is lost a memory to start with. It takes no request of the last five minutes, nor of the next.
 */
import { existsSync } from 'node:fs';
import { openPinFile, type LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readTrustedGenesis, trustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { ConfigError, readConfig } from '@countersign/runtime/process/config.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import { runProgram } from '@countersign/runtime/process/run-program.js';
import pg from 'pg';
import { z } from 'zod';
import { allForgotten, printMark } from '../requests/taken-until.js';
import { headShown, newestKnown } from './known-history.js';

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
  const { PIN_FILE } = config;
  const genesisHash = readTrustedGenesis(config)();
  if (genesisHash === undefined) throw new ConfigError('GENESIS_FILE is not there');
  if (existsSync(PIN_FILE)) throw new ConfigError(`${PIN_FILE} is there: nothing is to be done`);
  const pins = paths.includes(TRUST_DATABASE) ? [] : await readPins(paths);
  const pin = await readLedger(config.DATABASE_URL, genesisHash, pins);
  // the mark first: a pin without it would be that of a party that has lost it
  await replaceDurably(`${PIN_FILE}.taken`, printMark(allForgotten(Date.now())));
  const file = openPinFile(PIN_FILE);
  await file.read();
  await file.write(pin);
  const { seq, hash } = pin;
  process.stdout.write(`${JSON.stringify({ ledger_head: { seq, hash } })}\n`);
}

async function readPins(paths: readonly string[]): Promise<LedgerPin[]> {
  if (paths.length === 0) throw new ConfigError(USAGE);
  return Promise.all(
    paths.map(async (path) => {
      const pin = await openPinFile(path).read();
      if (pin === undefined) throw new ConfigError(`${path}: there is no such file`);
      return pin;
    }),
  );
}

async function readLedger(
  connectionString: string,
  genesisHash: string,
  pins: readonly LedgerPin[],
): Promise<LedgerPin> {
  const pool = new pg.Pool({ connectionString, max: 1 });
  try {
    const store = createLedgerStore(pool);
    return await (pins.length === 0
      ? headShown(store, genesisHash)
      : newestKnown(store, genesisHash, pins));
  } finally {
    await pool.end();
  }
}

void runProgram('remember', process.env, (environment) => main(environment, process.argv.slice(2)));
