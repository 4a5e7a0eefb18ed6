/**
 * Gives a party another KEK, wherever the old one comes from and the new one is to come from. The party stands still
 * meanwhile, and the other two sign.
 *
 * A rotation that was cut off goes on where it was when it is asked for again. What is new lies in the key folder,
 * durably, before the database is touched; the old files are replaced last. While it lies there no process of the party
 * starts (`requireNoRotation`).
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import type pg from 'pg';
import { nextKekFile, type PartyKeyFiles } from '../../party/party-keys.js';
import { KEK_BYTES } from '../kek/file-kek.js';
import { openKek } from '../kek/open-kek.js';
import { makeWrappedKek, type ProviderSettings } from '../kek/wrapped-kek.js';
import { readSealedKey, sealKey } from '../sealing/sealed-key-file.js';
import type { KeyEncryptionKey } from '../sealing/share-seal.js';
import { rewrapRows, type Rewrapped } from './rewrap-rows.js';

export interface KekRotation {
  readonly party: PartyNumber;
  readonly folder: string;
  readonly files: PartyKeyFiles;
  /** Where the new KEK is to lie. */
  readonly kekFile: string;
  /** Whose key wraps the new KEK; absent: the file holds it. */
  readonly provider: ProviderSettings | undefined;
  /** As the role of the party. */
  readonly pool: pg.Pool;
}

export interface KekRotated extends Rewrapped {
  readonly kekId: string;
}

/** Rejects, and changes nothing, where a process of the party runs or where the old KEK does not open. */
export async function rotateKek(rotation: KekRotation): Promise<KekRotated> {
  const { party, folder, files, kekFile, provider, pool } = rotation;
  await requireStopped(pool, party);
  const next = nextKekFile(folder);
  const from = await openKek(files.kek);
  if (!existsSync(next)) {
    if (files.kek !== kekFile && existsSync(kekFile)) {
      throw new ConfigError(`${kekFile} is there: nothing is written over it`);
    }
    // a KEK that does not open the party's keys is not its KEK: nothing is begun
    for (const one of PURPOSES) sodium.sodium_memzero(readKey(files, party, one, [from]));
    await replaceDurably(next, await makeKek(provider));
  }
  const to = await openKek(next);
  for (const purpose of PURPOSES) {
    const secret = readKey(files, party, purpose, [from, to]);
    const sealed = sealKey({ kek: to, party, purpose }, secret);
    sodium.sodium_memzero(secret);
    await replaceDurably(`${files[purpose]}.next`, sealed);
  }
  const rewrapped = await inTransaction(pool, (client) => rewrapRows(client, party, { from, to }));
  for (const purpose of PURPOSES) renameSync(`${files[purpose]}.next`, files[purpose]);
  await replaceDurably(kekFile, readFileSync(next));
  rmSync(next);
  return { ...rewrapped, kekId: to.id };
}

const PURPOSES = ['identity', 'exchange'] as const;

async function makeKek(provider: ProviderSettings | undefined): Promise<Uint8Array | string> {
  return provider === undefined ? randomBytes(KEK_BYTES) : makeWrappedKek(provider);
}

/** Opens by whichever KEK of these it was sealed under. */
function readKey(
  files: PartyKeyFiles,
  party: PartyNumber,
  purpose: (typeof PURPOSES)[number],
  [kek, ...others]: readonly KeyEncryptionKey[],
): Uint8Array {
  try {
    return readSealedKey(files[purpose], { kek: kek!, party, purpose });
  } catch (error) {
    if (others.length === 0) throw error;
    return readKey(files, party, purpose, others);
  }
}

/** A process that runs would go on with the old KEK, and could open nothing. */
async function requireStopped(pool: pg.Pool, party: PartyNumber): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT name FROM party_${party}.key_lease
     WHERE name LIKE 'replica %' AND expires_at > clock_timestamp() ORDER BY name`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new ConfigError(`stop party ${party} first: ${names} runs, or ended a moment ago`);
}

async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
