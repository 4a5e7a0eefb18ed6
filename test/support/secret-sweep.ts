/** Looking for secrets where none may be: every spelling, in everything that is kept or sent. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PartyNumber } from '@countersign/core/parties.js';
import { partyKeyFiles } from '../../signer/dist/party/party-keys.js';
import { openFileKek } from '../../signer/dist/secrets/kek/file-kek.js';
import { readSealedKey } from '../../signer/dist/secrets/sealing/sealed-key-file.js';
import { openShare } from '../../signer/dist/secrets/sealing/share-seal.js';
import { openFinder } from './find-any.ts';
import type { Secrets } from './process-memory.ts';
import { query } from './signing-load.ts';
import { openTestRedis } from './restart-redis.ts';
import type { TestVault } from './test-vault.ts';

/** Every spelling in which these bytes could stand in a text, within a blob or by themselves. */
function spellings(secret: Buffer): string[] {
  const inBase64 = [0, 1, 2].flatMap((lead) => {
    const shifted = Buffer.concat([Buffer.alloc(lead), secret]);
    const whole = shifted.subarray(0, shifted.length - (shifted.length % 3));
    const first = Math.ceil((lead * 8) / 6);
    return [whole.toString('base64').slice(first), whole.toString('base64url').slice(first)];
  });
  const texts = [secret.toString('latin1'), secret.toString('hex'), ...inBase64];
  return [
    ...new Set([...texts, ...texts.map((text) => Buffer.from(text, 'latin1').toString('hex'))]),
  ];
}

/** Names of the secrets that occur in one of the texts. */
export function sweep(secrets: Secrets, ...haystacks: readonly string[]): string[] {
  const needles = [...secrets].flatMap(([name, secret]) =>
    spellings(secret).map((text) => [name, Buffer.from(text, 'latin1')] as const),
  );
  const find = openFinder(needles);
  // a character beyond latin1 becomes another one: no spelling has one, so none is missed for it
  const found = haystacks.flatMap((text) => [...find(Buffer.from(text, 'latin1'))]);
  return [...secrets.keys()].filter((name) => found.includes(name));
}

/** Rows of every table of every schema, as text: bytes stand there in hex. */
export async function dumpDatabase(ownerUrl: string): Promise<string> {
  const tables = await query<{ name: string }>(
    ownerUrl,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  let dump = '';
  for (const { name } of tables) {
    const rows = await query<{ row: string }>(ownerUrl, `SELECT t::text AS row FROM ${name} AS t`);
    dump += rows.map(({ row }) => row).join('\n');
  }
  return dump;
}

/** The append-only file, and every stored value. */
export async function dumpRedis(
  vault: TestVault,
): Promise<{ files: readonly string[]; stored: readonly string[] }> {
  const folder = join(vault.servers.home, 'redis', 'data', 'appendonlydir');
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  const redis = openTestRedis(vault.servers.redis.url);
  const stored: string[] = [];
  for (const key of await redis.keys('*')) {
    const dump = await redis.dumpBuffer(key);
    stored.push(key, dump?.toString('latin1') ?? '');
  }
  redis.disconnect();
  return { files, stored };
}

/** A lasting private key of a party, as only that party can open it. */
export function partySecret(
  vault: Pick<TestVault, 'prepared'>,
  party: PartyNumber,
  purpose: 'identity' | 'exchange',
): Buffer {
  const files = partyKeyFiles(vault.prepared.keyDir(party));
  const context = { kek: openFileKek(files.kek), party, purpose };
  return Buffer.from(readSealedKey(files[purpose], context));
}

/** A party's share as only that party can open it: with the KEK from its own folder. */
export async function openStoredShare(
  vault: TestVault,
  party: PartyNumber,
  keyId: string,
  scheme: string,
): Promise<Uint8Array> {
  const rows = await query<{ version: number; wrapped_dek: Buffer; sealed: Buffer }>(
    vault.servers.ownerUrl,
    `SELECT version, wrapped_dek, sealed FROM party_${party}.key_share WHERE key_id = $1`,
    [keyId],
  );
  return openShare({
    kek: openFileKek(join(vault.prepared.keyDir(party), 'kek.key')),
    aad: { purpose: 'key share', keyId, party, scheme, version: rows[0]!.version },
    wrappedDek: rows[0]!.wrapped_dek,
    sealed: rows[0]!.sealed,
  });
}

/** What two shares come to: the key that must be whole nowhere. Lagrange at 0 for parties 1 and 2. */
export function wholeScalar(first: Buffer, second: Buffer): Buffer {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const [a, b] = [first, second].map((share) =>
    BigInt(`0x${Buffer.from(share).reverse().toString('hex')}`),
  );
  const key = (((2n * a! - b!) % order) + order) % order;
  return Buffer.from(key.toString(16).padStart(64, '0'), 'hex').reverse();
}
