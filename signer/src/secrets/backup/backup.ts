/**
 * `node signer/bundle/secrets/backup/backup.js <command>`, with the environment of the party's primary replica:
 *
 * - `recovery-key <new file>`: makes a recovery key and prints its public half. Needs no environment.
 * - `make <new file> --recipient <age1…>... --threshold <number>`: the party's backup, which so many recovery keys open.
 *   Ends with 1 if it is made and lacks a share that does not open.
 * - `restore <backup> --recovery-key <file>... --pin <pin file of another node>...`: the party, on a host without it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PartyNumber } from '@countersign/core/parties.js';
import { readTrustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { ConfigError, readConfig } from '@countersign/runtime/process/config.js';
import { runProgram } from '@countersign/runtime/process/run-program.js';
import pg from 'pg';
import { partyKeyFiles } from '../../party/party-keys.js';
import { readPins } from '../../recovery/party-memory.js';
import { backUpParty } from './back-up-party.js';
import { backupVariables } from './backup-variables.js';
import { makeRecoveryKey } from './recovery-box.js';
import { readBox, restoreParty, type PartyPlace } from './restore-party.js';

const USAGE = `usage: backup recovery-key <new file>
       backup make <new file> --recipient <age1…>... --threshold <number>
       backup restore <backup> --recovery-key <file>... --pin <pin file of another node>...`;

function readArguments(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        recipient: { type: 'string', multiple: true, default: [] },
        threshold: { type: 'string' },
        'recovery-key': { type: 'string', multiple: true, default: [] },
        pin: { type: 'string', multiple: true, default: [] },
      },
    });
    const [command, path, ...more] = positionals;
    if (path !== undefined && more.length === 0) return { command, path, values };
  } catch {
    // said below
  }
  throw new ConfigError(USAGE);
}

async function main(environment: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  const { command, path, values } = readArguments(args);
  if (command === 'recovery-key') {
    const key = await makeRecoveryKey();
    writeFileSync(path, `${key.secret}\n`, { mode: 0o600, flag: 'wx' });
    return tell({ recipient: key.public });
  }
  if (command === 'make' && values.threshold !== undefined) {
    const threshold = Number(values.threshold);
    return withPlace(environment, async (place) => {
      const made = await backUpParty(place, values.recipient, threshold, Date.now());
      const { box, shares, unreadable } = made;
      writeFileSync(path, `${JSON.stringify(box)}\n`, { mode: 0o600, flag: 'wx' });
      tell({ shares, threshold, recovery_keys: values.recipient.length, unreadable });
      if (unreadable.length > 0) tellOfLost(place.party, unreadable.length);
    });
  }
  if (command === 'restore' && values['recovery-key'].length > 0 && values.pin.length > 0) {
    const secrets = values['recovery-key'].map((file) => readFileSync(file, 'utf8').trim());
    const pins = await readPins(values.pin);
    return withPlace(environment, async (place) => {
      const restored = await restoreParty(place, { box: readBox(path), secrets, pins });
      const { backup, head, restored: shares, missing } = restored;
      tell({
        made_at: backup.made_at,
        ledger_head: { seq: head.seq, hash: head.hash },
        restored_shares: shares,
        keys_without_share: missing,
      });
    });
  }
  throw new ConfigError(USAGE);
}

async function withPlace(
  environment: NodeJS.ProcessEnv,
  work: (place: PartyPlace) => Promise<void>,
): Promise<void> {
  const config = readConfig(backupVariables, environment);
  const genesisHash = readTrustedGenesis(config)();
  if (genesisHash === undefined) throw new ConfigError('GENESIS_FILE is not there');
  const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: 1 });
  try {
    await work({
      ...{ party: config.PARTY, genesisHash, pool },
      keys: partyKeyFiles(config.KEY_DIR, config.KEK_FILE),
      evidenceKeyFile: config.EVIDENCE_KEY_FILE,
      pinFile: config.PIN_FILE,
    });
  } finally {
    await pool.end();
  }
}

/** The backup is written all the same: it may be the only one with the party's own keys. */
function tellOfLost(party: PartyNumber, shares: number): void {
  process.stderr.write(
    `backup: the backup is written, but it lacks shares of party ${party} that do not open under this host's KEK ` +
      `(${shares}). Keep the backup before it. If another host has rotated the KEK, make the backup there\n`,
  );
  process.exitCode = 1;
}

function tell(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

void runProgram('backup', process.env, (environment) => main(environment, process.argv.slice(2)));
