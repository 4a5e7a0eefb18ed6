/**
 * Gives a party another KEK, wherever the old one comes from and the new one is to come from. The party stands still
 * meanwhile, and the other two sign.
 *
 * A rotation that was cut off goes on when it is asked for again in the same way. The new KEK and the keys sealed under
 * it are on the disk before the database is touched. The new identity file takes its place last of all: while it waits,
 * no process of the party starts (`requireNoRotation`).
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import type { ProviderSettings } from '@countersign/runtime/settings/kek-settings.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import type pg from 'pg';
import { waiting, type PartyKeyFiles } from '../../party/party-keys.js';
import { KEK_BYTES } from '../kek/file-kek.js';
import { openKek } from '../kek/open-kek.js';
import { makeWrappedKek } from '../kek/wrapped-kek.js';
import { readSealedKey, sealKey } from '../sealing/sealed-key-file.js';
import type { KeyEncryptionKey } from '../sealing/share-seal.js';
import { rewrapRows, type Rewrapped } from './rewrap-rows.js';

export interface KekRotation {
  readonly party: PartyNumber;
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
  const { party, files, kekFile, pool } = rotation;
  await requireStopped(pool, party);
  const from = await openKek(files.kek, party);
  const next = `${kekFile}.next`;
  if (!existsSync(waiting(files.identity))) await begin(rotation, from, next);
  else if (!existsSync(next)) {
    throw new ConfigError(
      `a rotation was begun with another place for the new KEK than ${kekFile}`,
    );
  }
  const to = await openKek(next, party);
  for (const purpose of ['identity', 'exchange'] as const) {
    const secret = readKey(rotation, purpose, { from, to });
    const sealed = sealKey({ kek: to, party, purpose }, secret);
    sodium.sodium_memzero(secret);
    await replaceDurably(waiting(files[purpose]), sealed);
  }
  const rewrapped = await inTransaction(pool, (client) => rewrapRows(client, party, { from, to }));
  renameSync(waiting(files.exchange), files.exchange);
  await replaceDurably(kekFile, readFileSync(next));
  await replaceDurably(files.identity, readFileSync(waiting(files.identity)));
  for (const done of [waiting(files.identity), next]) rmSync(done);
  return { ...rewrapped, kekId: to.id };
}

/** What an earlier rotation left without touching anything is of no use: this one has a KEK of its own. */
async function begin(
  { party, files, kekFile, provider }: KekRotation,
  kek: KeyEncryptionKey,
  next: string,
): Promise<void> {
  if (files.kek !== kekFile && existsSync(kekFile)) {
    throw new ConfigError(`${kekFile} is there: nothing is written over it`);
  }
  // a KEK that does not open the party's keys is not its KEK
  for (const purpose of ['identity', 'exchange'] as const) {
    sodium.sodium_memzero(readSealedKey(files[purpose], { kek, party, purpose }));
  }
  await replaceDurably(
    next,
    provider === undefined ? randomBytes(KEK_BYTES) : await makeWrappedKek(provider, party),
  );
}

/** Opens by whichever KEK it was sealed under, and where the old one is gone already, from the new file. */
function readKey(
  { party, files }: KekRotation,
  purpose: 'identity' | 'exchange',
  { from, to }: { readonly from: KeyEncryptionKey; readonly to: KeyEncryptionKey },
): Uint8Array {
  const path = files[purpose];
  const attempts = [
    () => readSealedKey(path, { kek: from, party, purpose }),
    () => readSealedKey(path, { kek: to, party, purpose }),
    () => readSealedKey(waiting(path), { kek: to, party, purpose }),
  ];
  for (const attempt of attempts.slice(0, -1)) {
    try {
      return attempt();
    } catch {
      // another KEK opens it, or the last attempt says why none does
    }
  }
  return attempts.at(-1)!();
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
