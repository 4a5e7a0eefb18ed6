/** RSA keys made ahead that a dealer made in a moment, where a test needs keys in stock but not their making. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createKeyLock, RSA_LANE } from '../../signer/dist/party/key-lock.js';
import { partyKeyFiles } from '../../signer/dist/party/party-keys.js';
import { encodeRsaKeyShare } from '../../signer/dist/secrets/rsa/rsa-key-share.js';
import { RSA_SHARE_SCHEME } from '../../signer/dist/threads/rsa-public-values.js';
import { openFileKek } from '../../signer/dist/secrets/kek/file-kek.js';
import { sealShare } from '../../signer/dist/secrets/sealing/share-seal.js';
import { splitRsa } from './split-secrets.ts';
import { eventually, type TestVault } from './test-vault.ts';

const PARTIES = [1, 2, 3] as const;

export interface StockRow {
  readonly stock_id: string;
  readonly wrapped_dek: Buffer;
  readonly sealed: Buffer;
}

/** Oldest first. */
export async function stockOf(owner: pg.Pool, party: PartyNumber): Promise<StockRow[]> {
  const { rows } = await owner.query<StockRow>(
    `SELECT stock_id, wrapped_dek, sealed FROM party_${party}.rsa_stock ORDER BY created_at`,
  );
  return rows;
}

/** As party 1 has them, oldest first; undefined while not all three have the same. */
export async function commonStock(owner: pg.Pool): Promise<StockRow[] | undefined> {
  const [first = [], ...others] = await Promise.all(PARTIES.map((party) => stockOf(owner, party)));
  const idsOf = (rows: readonly StockRow[]) =>
    rows
      .map((row) => row.stock_id)
      .toSorted()
      .join();
  return others.every((rows) => idsOf(rows) === idsOf(first)) ? first : undefined;
}

/** Fills the stock of all three parties up to `target`, while party 1 cannot call a run for it. */
export async function fillStock(vault: TestVault, owner: pg.Pool, target: number): Promise<void> {
  const pool = new pg.Pool({ connectionString: vault.servers.roleUrls.party_1, max: 1 });
  const lock = createKeyLock(pool, 1);
  try {
    await eventually(() => lock.acquire(RSA_LANE), 120_000);
    // a run that has just ended is stored by each party at its own pace
    const stocked = await eventually(() => commonStock(owner));
    for (let count = stocked.length; count < target; count++) await insertKey(vault, owner);
  } finally {
    await lock.close();
    await pool.end();
  }
}

async function insertKey(vault: TestVault, owner: pg.Pool): Promise<void> {
  const stockId = randomUUID();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  for (const { party, common, part } of splitRsa(privateKey)) {
    if (common.type !== 'rsa' || part.type !== 'rsa')
      throw new Error('not the parts of an RSA key');
    const [own, next] = part.parts;
    const { wrappedDek, sealed } = await sealShare({
      kek: openFileKek(partyKeyFiles(vault.prepared.keyDir(party)).kek),
      aad: {
        purpose: 'stock share',
        keyId: stockId,
        party,
        scheme: RSA_SHARE_SCHEME,
        version: 1,
      },
      secret: encodeRsaKeyShare({ ...common, party, own, next }),
    });
    await owner.query(
      `INSERT INTO party_${party}.rsa_stock (stock_id, wrapped_dek, sealed, created_at)
       VALUES ($1, $2, $3, now())`,
      [stockId, wrappedDek, sealed],
    );
  }
}
