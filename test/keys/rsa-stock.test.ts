import { createPublicKey, verify } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allowKeys, generateKey, type KeyView } from '../support/keys.ts';
import { eventually, expectOk, openTestVault, type TestVault } from '../support/test-vault.ts';

interface StockRow {
  readonly stock_id: string;
  readonly public_key: Buffer;
}

const MESSAGE = 'signed with a key made ahead';

let vault: TestVault;
let owner: pg.Pool;

beforeAll(async () => {
  vault = await openTestVault({ rsaStock: 1 });
  owner = new pg.Pool({ connectionString: vault.servers.ownerUrl, max: 3 });
}, 60_000);
afterAll(async () => {
  await owner?.end();
  await vault?.close();
}, 60_000);

async function stockOf(party: number): Promise<StockRow[]> {
  const { rows } = await owner.query<StockRow>(
    `SELECT stock_id, public_key FROM party_${party}.rsa_stock`,
  );
  return rows;
}

/** The one key that all three parties have ready. */
function stockedByAll(): Promise<StockRow> {
  return eventually(async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(stockOf));
    const row = first![0];
    const others = [second![0]?.stock_id, third![0]?.stock_id];
    return row !== undefined && others.every((id) => id === row.stock_id) ? row : undefined;
  }, 120_000);
}

const generate = (name: string) => generateKey(vault, { type: 'rsa', display_name: name });

async function expectSigns(key: KeyView): Promise<void> {
  await allowKeys(vault, [key.id], { operations: ['raw_sign'] });
  for (let count = 0; count < 6; count++) {
    const { signature } = await expectOk<{ signature: string }>(
      vault.admin,
      'POST',
      `/v1/keys/${key.id}/raw-sign`,
      { message: MESSAGE, message_encoding: 'utf8' },
    );
    const publicKey = createPublicKey(key.public_key!.spki_pem);
    const bytes = Buffer.from(signature, 'base64');
    expect(verify('sha256', Buffer.from(MESSAGE), publicKey, bytes)).toBe(true);
  }
}

describe('RSA keys made ahead', () => {
  it('become the next key that is asked for, each once', async () => {
    const stocked = await stockedByAll();
    const key = await generate('from stock');
    const spki = createPublicKey(key.public_key!.spki_pem).export({ format: 'der', type: 'spki' });
    expect(spki).toEqual(stocked.public_key);
    expect(key.custody).toBe('mpc');
    for (const party of [1, 2, 3]) {
      const ids = (await stockOf(party)).map((row) => row.stock_id);
      expect(ids).not.toContain(stocked.stock_id);
    }
    await expectSigns(key);
  }, 180_000);

  it('are not used when one party does not have its share: the key is made anew', async () => {
    const stocked = await stockedByAll();
    await owner.query('DELETE FROM party_2.rsa_stock WHERE stock_id = $1', [stocked.stock_id]);
    const key = await generate('made anew');
    const spki = createPublicKey(key.public_key!.spki_pem).export({ format: 'der', type: 'spki' });
    expect(spki).not.toEqual(stocked.public_key);
    await expectSigns(key);
  }, 240_000);
});
