/**
 * Gives a party another KEK, wherever the old one comes from and the new one is to come from. The party stands still
 * meanwhile, and the other two sign.
 *
 * A rotation that was cut off goes on when it is asked for again in the same way. The new KEK and the keys sealed under
 * it are written before the database is touched. A place in memory keeps no KEK when the power goes: the operator then
 * brings one along whose copy is safe (`KekRotation.kekFile`). The new identity file takes its place last of all: while
 * it waits, no process of the party starts (`requireNoRotation`).
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { PartyNumber } from '@countersign/core/parties.js';
import { sodium } from '@countersign/custody/sodium.js';
import type { ProviderSettings } from '@countersign/runtime/settings/kek-settings.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import type pg from 'pg';
import { inTransaction } from '../../records/in-transaction.js';
import { waiting, type PartyKeyFiles } from '../../party/party-keys.js';
import { KEK_BYTES } from '../kek/file-kek.js';
import { openKek } from '../kek/open-kek.js';
import { makeWrappedKek } from '../kek/wrapped-kek.js';
import { readSealedKey, sealKey } from '../sealing/sealed-key-file.js';
import type { KeyEncryptionKey } from '../sealing/share-seal.js';
import { requireKnownKeks, rewrapRows, type Rewrapped } from './rewrap-rows.js';

export interface KekRotation {
  readonly party: PartyNumber;
  readonly files: PartyKeyFiles;
  /** Where the new KEK is to lie. What lies there already, and is not the old one's place, is the new KEK. */
  readonly kekFile: string;
  /** Whose key wraps the new KEK; absent: the file holds it. */
  readonly provider: ProviderSettings | undefined;
  /** As the role of the party. */
  readonly pool: pg.Pool;
}

export interface KekRotated extends Rewrapped {
  readonly kekId: string;
}

/**
 * Rejects, and changes nothing, where a process of the party runs, where the old KEK does not open, or where the
 * database has shares under a third KEK: those of a host that has rotated already.
 */
export async function rotateKek(rotation: KekRotation): Promise<KekRotated> {
  const { party, files, kekFile, pool } = rotation;
  const next = placeOfNew(rotation);
  const done = await inTransaction(pool, async (client) => {
    await requireStopped(client, party);
    const from = await openKek(files.kek, party);
    const there = await openNew(rotation, from, next);
    await requireKnownKeks(client, party, there === undefined ? [from] : [from, there]);
    const to = there ?? (await begin(rotation, from, next));
    await sealKeys(rotation, { from, to });
    return { ...(await rewrapRows(client, party, { from, to })), kekId: to.id };
  });
  renameSync(waiting(files.exchange), files.exchange);
  if (next !== kekFile) await replaceDurably(kekFile, readFileSync(next));
  await replaceDurably(files.identity, readFileSync(waiting(files.identity)));
  for (const left of [waiting(files.identity), waiting(kekFile)]) rmSync(left, { force: true });
  return done;
}

function placeOfNew({ files, kekFile, provider }: KekRotation): string {
  const isGiven = files.kek !== kekFile && provider === undefined && existsSync(kekFile);
  return isGiven ? kekFile : waiting(kekFile);
}

/** Returns the new KEK where it is there already: brought along, or of a rotation that was begun here. */
async function openNew(
  { party, files, kekFile }: KekRotation,
  from: KeyEncryptionKey,
  next: string,
): Promise<KeyEncryptionKey | undefined> {
  if (next === kekFile) {
    const given = await openKek(next, party);
    if (given.id !== from.id) return given;
    throw new ConfigError(`${kekFile} holds the KEK that the party has: make another one`);
  }
  if (!existsSync(waiting(files.identity))) return undefined;
  if (existsSync(next)) return openKek(next, party);
  throw new ConfigError(`a rotation was begun with another place for the new KEK than ${kekFile}`);
}

/** What an earlier rotation left without touching anything is of no use: this one has a KEK of its own. */
async function begin(
  { party, files, kekFile, provider }: KekRotation,
  kek: KeyEncryptionKey,
  next: string,
): Promise<KeyEncryptionKey> {
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
  return openKek(next, party);
}

/** Opens both keys before it writes one. */
async function sealKeys(
  rotation: KekRotation,
  keks: { readonly from: KeyEncryptionKey; readonly to: KeyEncryptionKey },
): Promise<void> {
  const { party, files } = rotation;
  const made = (['identity', 'exchange'] as const).map((purpose) => {
    const secret = readKey(rotation, purpose, keks);
    const sealed = sealKey({ kek: keks.to, party, purpose }, secret);
    sodium.sodium_memzero(secret);
    return { path: waiting(files[purpose]), sealed };
  });
  for (const { path, sealed } of made) await replaceDurably(path, sealed);
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

/**
 * A process that runs would go on with the old KEK, and could open nothing. Until the transaction of `client` ends no
 * process starts, no share is written, and no other rotation goes on.
 */
async function requireStopped(
  client: Pick<pg.ClientBase, 'query'>,
  party: PartyNumber,
): Promise<void> {
  const schema = `party_${party}`;
  await client.query(
    `LOCK TABLE ${schema}.key_lease, ${schema}.key_share IN SHARE ROW EXCLUSIVE MODE`,
  );
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM ${schema}.key_lease
     WHERE name LIKE 'replica %' AND expires_at > clock_timestamp() ORDER BY name`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new ConfigError(`stop party ${party} first: ${names} runs, or ended a moment ago`);
}
