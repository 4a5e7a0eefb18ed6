/** Tells which vault a node belongs to: by its operator's word, never by the database. */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../process/config.js';

const genesisHash = z.hex().length(64);
const fileSchema = z.object({ genesis_hash: genesisHash });

/** Settings of every process that folds the ledger: one of the two is required. */
export const trustedGenesis = {
  /** The hash of the vault's genesis, hex, as `countersign init` printed it. */
  GENESIS_HASH: genesisHash.optional(),
  /** A file with the output of `countersign init`. It may come later: until then the vault has no genesis. */
  GENESIS_FILE: z.string().min(1).optional(),
};

/**
 * Reads the hash (hex) of the genesis that the operator named; undefined until its file is there. Throws ConfigError
 * when neither setting is given, and on a file that holds no genesis hash.
 */
export function readTrustedGenesis({
  GENESIS_HASH: hash,
  GENESIS_FILE: path,
}: {
  readonly GENESIS_HASH?: string | undefined;
  readonly GENESIS_FILE?: string | undefined;
}): () => string | undefined {
  if (hash !== undefined) return () => hash;
  if (path === undefined) {
    throw new ConfigError('GENESIS_HASH or GENESIS_FILE: one of them is required');
  }
  let read: string | undefined;
  return () => (read ??= existsSync(path) ? readGenesisFile(path) : undefined);
}

function readGenesisFile(path: string): string {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).genesis_hash;
  } catch (cause) {
    throw new ConfigError(`${path}: holds no genesis_hash`, { cause });
  }
}
