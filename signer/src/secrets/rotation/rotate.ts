/**
 * `node signer/bundle/secrets/rotation/rotate.js kek [--kek-file <new place>] [--kek-provider <file>]`, with the environment
 * of the party's primary replica: gives the party another KEK. With a file the new one lies there, else where the old
 * one lay, and a KEK that lies there already is taken. With the settings of a provider that provider's key wraps it.
 * Ends with 1 if the rotation is done and a share of a key is lost.
 */
import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '@countersign/runtime/process/config.js';
import { runProgram } from '@countersign/runtime/process/run-program.js';
import pg from 'pg';
import { z } from 'zod';
import { partyKeyFiles } from '../../party/party-keys.js';
import { readProviderSettings } from '../kek/wrapped-kek.js';
import { rotateKek } from './rotate-kek.js';

const USAGE = 'usage: rotate kek [--kek-file <new place>] [--kek-provider <file>]';

const schema = z.object({
  PARTY: z.enum(['1', '2', '3']).transform((text) => Number(text) as 1 | 2 | 3),
  /** As the role of the party. */
  DATABASE_URL: z.url(),
  KEY_DIR: z.string().min(1),
  KEK_FILE: z.string().min(1).optional(),
});

function readArguments(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'kek-file': { type: 'string' }, 'kek-provider': { type: 'string' } },
    });
    if (positionals.join(' ') === 'kek') {
      return { kekFile: values['kek-file'], settings: values['kek-provider'] };
    }
  } catch {
    // said below
  }
  throw new ConfigError(USAGE);
}

async function main(environment: NodeJS.ProcessEnv, args: readonly string[]): Promise<void> {
  const { kekFile, settings } = readArguments(args);
  const { PARTY: party, DATABASE_URL, KEY_DIR: folder, KEK_FILE } = readConfig(schema, environment);
  const files = partyKeyFiles(folder, KEK_FILE);
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 1 });
  try {
    const { kekId, rewrapped, unreadable, unreadableShares } = await rotateKek({
      ...{ party, files, pool },
      kekFile: kekFile ?? files.kek,
      provider: settings === undefined ? undefined : readProviderSettings(settings),
    });
    process.stdout.write(`${JSON.stringify({ kek_id: kekId, rewrapped, unreadable })}\n`);
    if (unreadableShares > 0) {
      process.stderr.write(
        `rotate: the KEK is rotated, but some shares of party ${party} were damaged before and open under no KEK ` +
          `(${unreadableShares}). Restore the party from an earlier backup, or refresh the shares with the other two ` +
          'parties as dealers\n',
      );
      process.exitCode = 1;
    }
  } finally {
    await pool.end();
  }
}

void runProgram('rotate', process.env, (environment) => main(environment, process.argv.slice(2)));
