import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { partyKeyFiles } from '../../signer/dist/party/party-keys.js';
import { decodeRsaKeyShare } from '../../signer/dist/secrets/rsa/rsa-key-share.js';
import { rsaPublicKey, RSA_SHARE_SCHEME } from '../../signer/dist/threads/rsa-public-values.js';
import { openFileKek } from '../../signer/dist/secrets/kek/file-kek.js';
import { openShare } from '../../signer/dist/secrets/sealing/share-seal.js';
import { readKeyFile } from '../../client/dist/keys/read-key-file.js';
import { importSecret } from '../support/desk-import.ts';
import { allowKeys, generateKey, type KeyView } from '../support/standalone-keys.ts';
import { commonStock, fillStock, stockOf, type StockRow } from '../support/rsa-stock.ts';
import { eventually, expectOk, openTestVault, type TestVault } from '../support/test-vault.ts';
import { drill } from '../support/drills.ts';

const PARTIES = [1, 2, 3] as const;
/** For two keys. Each is the end of a search: seconds on average, minutes by ill luck on a busy machine. */
const RSA_WAIT_MS = 300_000;
const TEST_MS = 3 * RSA_WAIT_MS;
const MESSAGE = 'signed with a key made ahead';

let vault: TestVault;
let owner: pg.Pool;

/** A vault whose parties keep so many keys in stock by themselves. */
function useVault(rsaStock: number): void {
  beforeAll(async () => {
    vault = await openTestVault({ rsaStock });
    owner = new pg.Pool({ connectionString: vault.servers.ownerUrl, max: 3 });
  }, 60_000);
  afterAll(async () => {
    await owner?.end();
    await vault?.close();
  }, 60_000);
}

/** Oldest first, once all three parties have the same and so many. */
function stockedByAll(count: number): Promise<StockRow[]> {
  return eventually(async () => {
    const stocked = await commonStock(owner);
    return stocked?.length === count ? stocked : undefined;
  }, RSA_WAIT_MS);
}

/** SubjectPublicKeyInfo of the key that a share of party 1 is of, as the seal has it. */
async function keyInside({ stock_id: keyId, wrapped_dek, sealed }: StockRow): Promise<Buffer> {
  const kek = openFileKek(partyKeyFiles(vault.prepared.keyDir(1)).kek);
  const form = { party: 1, scheme: RSA_SHARE_SCHEME, version: 1 };
  const aad = { purpose: 'stock share', keyId, ...form } as const;
  const opened = await openShare({ kek, aad, wrappedDek: wrapped_dek, sealed });
  return rsaPublicKey(decodeRsaKeyShare(opened)).export({ format: 'der', type: 'spki' });
}

function spkiOf(key: KeyView): Buffer {
  return createPublicKey(key.public_key!.pem).export({ format: 'der', type: 'spki' });
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
    const publicKey = createPublicKey(key.public_key!.pem);
    const bytes = Buffer.from(signature, 'base64');
    expect(verify('sha256', Buffer.from(MESSAGE), publicKey, bytes)).toBe(true);
  }
}

/** Without what parties say of the ledger itself (7), and the import keys that they make after their start (5). */
const CHANGES = 'SELECT count(*) FROM ledger_entry WHERE get_byte(body, 0) NOT IN (5, 7)';

async function ledgerLength(): Promise<number> {
  const { rows } = await owner.query<{ count: string }>(CHANGES);
  return Number(rows[0]!.count);
}

describe('RSA keys made ahead', () => {
  const KEPT = 1;
  useVault(KEPT);

  it(
    'become the next key that is asked for, each once',
    async () => {
      const [stocked] = await stockedByAll(KEPT);
      const made = await keyInside(stocked!);
      // for the test below: what is made next is made with this one there
      await owner.query(
        `INSERT INTO party_3.rsa_stock (stock_id, wrapped_dek, sealed, created_at)
         SELECT gen_random_uuid(), wrapped_dek, sealed, created_at FROM party_3.rsa_stock`,
      );
      const key = await generate('from stock');
      expect(spkiOf(key)).toEqual(made);
      expect(key.custody).toBe('mpc');
      for (const party of PARTIES) {
        const ids = (await stockOf(owner, party)).map((row) => row.stock_id);
        expect(ids).not.toContain(stocked!.stock_id);
      }
      await expectSigns(key);
    },
    TEST_MS,
  );

  drill(
    'are made again though one party holds what became a key without it',
    async () => {
      expect(await stockedByAll(KEPT)).toHaveLength(KEPT);
      await expectSigns(await generate('after orphans'));
    },
    TEST_MS,
  );
});

// what the parties made ahead by themselves would only cost time here
describe('RSA keys in stock', () => {
  useVault(0);

  drill(
    'are not used when one party does not have its share: the key is made anew',
    async () => {
      await fillStock(vault, owner, 1);
      const [stocked] = await stockedByAll(1);
      const made = await keyInside(stocked!);
      await owner.query('DELETE FROM party_2.rsa_stock WHERE stock_id = $1', [stocked!.stock_id]);
      const key = await generate('made anew');
      expect(spkiOf(key)).not.toEqual(made);
      await expectSigns(key);
    },
    TEST_MS,
  );

  it(
    'are not used, nor vouched for, when the owner of the database swaps the shares of two',
    async () => {
      // a third one spares them the making of another
      await fillStock(vault, owner, 3);
      const stock = await stockedByAll(3);
      const [good] = stock.slice(2);
      const [next, ...made] = await Promise.all([good!, ...stock.slice(0, 2)].map(keyInside));
      await owner.query(
        `UPDATE party_2.rsa_stock AS here SET wrapped_dek = there.wrapped_dek, sealed = there.sealed
         FROM party_2.rsa_stock AS there
         WHERE there.stock_id <> here.stock_id AND $1 NOT IN (there.stock_id, here.stock_id)`,
        [good!.stock_id],
      );
      const before = await ledgerLength();
      const key = await generate('swapped');
      for (const stocked of made) expect(spkiOf(key)).not.toEqual(stocked);
      expect(spkiOf(key)).toEqual(next);
      // the request, and the three words for the key that nobody touched
      expect((await ledgerLength()) - before).toBe(4);
      await expectSigns(key);
    },
    TEST_MS,
  );

  it(
    'are never made of a key that was imported and destroyed, by whoever holds the database',
    async () => {
      const imported = readKeyFile(
        Buffer.from(
          generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
            format: 'pem',
            type: 'pkcs8',
          }),
        ),
        { type: 'rsa' },
      );
      const dead = await importSecret(vault, imported);
      await fillStock(vault, owner, 1);
      await stockedByAll(1);
      // what a dump from before the key was destroyed holds, in the place where the oldest stock lies
      for (const party of PARTIES) {
        await owner.query(
          `INSERT INTO party_${party}.rsa_stock (stock_id, wrapped_dek, sealed, created_at)
           SELECT key_id, wrapped_dek, sealed, timestamptz 'epoch' FROM party_${party}.key_share
           WHERE key_id = $1`,
          [dead.id],
        );
      }
      await expectOk(vault.admin, 'POST', `/v1/keys/${dead.id}/destroy`);
      const key = await generate('not born again');
      expect(spkiOf(key)).not.toEqual(spkiOf(dead));
      await expectSigns(key);
    },
    TEST_MS,
  );
});
