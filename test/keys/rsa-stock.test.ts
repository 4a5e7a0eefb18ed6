/** RSA keys that the parties make together: when somebody asks for one, or ahead, in stock. */
import { constants, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { partyKeyFiles } from '../../signer/dist/party/party-keys.js';
import { decodeRsaKeyShare } from '../../signer/dist/secrets/rsa/rsa-key-share.js';
import { rsaPublicKey, RSA_SHARE_SCHEME } from '../../signer/dist/threads/rsa-public-values.js';
import { openFileKek } from '../../signer/dist/secrets/kek/file-kek.js';
import { openShare } from '../../signer/dist/secrets/sealing/share-seal.js';
import { readKeyFile } from '../../client/dist/keys/read-key-file.js';
import { call, expectRefusal } from '../support/api.ts';
import { importSecret } from '../support/desk-import.ts';
import {
  allowKeys,
  generateKey,
  RSA_PATIENCE_MS,
  type KeyView,
} from '../support/standalone-keys.ts';
import { commonStock, fillStock, stockOf, type StockRow } from '../support/rsa-stock.ts';
import { eventually, expectOk, openTestVault, type TestVault } from '../support/test-vault.ts';
import { drill } from '../support/drills.ts';

jest.setTimeout(90_000);

const PARTIES = [1, 2, 3] as const;
/** For two keys. Each is the end of a search: seconds on average, minutes by ill luck on a busy machine. */
const RSA_WAIT_MS = 300_000;
const TEST_MS = 3 * RSA_WAIT_MS;
const MESSAGE = 'signed with a key made ahead';

let vault: TestVault;
let owner: pg.Pool;

interface Record {
  status: string;
  phase?: string;
  progress?: { candidates_tried: number; candidates_expected: number };
  result?: KeyView;
}

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

  drill(
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
describe('a vault that keeps no RSA keys in stock', () => {
  useVault(0);

  describe('an RSA-2048 key that the parties make together', () => {
    let key: KeyView;
    const message = Buffer.from('what a desk wants signed');
    const rawSign = (body: object) =>
      expectOk<{ signature: string }>(vault.admin, 'POST', `/v1/keys/${key.id}/raw-sign`, {
        message: message.toString('base64'),
        message_encoding: 'base64',
        ...body,
      });

    it(
      'is answered 202, tells how far it has come, and is complete in the end',
      async () => {
        const accepted = await call(
          vault.admin,
          'POST',
          '/v1/keys',
          { type: 'rsa', display_name: 'made together' },
          { prefer: 'respond-async' },
        );
        expect(accepted.status).toBe(202);
        const { request_id: id } = accepted.body as { request_id: string };
        const seen: Record[] = [];
        const done = await eventually(async () => {
          const record = await expectOk<Record>(vault.admin, 'GET', `/v1/requests/${id}`);
          seen.push(record);
          return record.status === 'completed' ? record : undefined;
        }, RSA_PATIENCE_MS);
        key = done.result!;
        expect(seen.every(({ status }) => ['processing', 'completed'].includes(status))).toBe(true);
        const told = seen.flatMap(({ progress }) => progress ?? []);
        expect(told).not.toEqual([]);
        expect(told.every(({ candidates_expected: expected }) => expected > 3_000)).toBe(true);
        const tried = told.map((progress) => progress.candidates_tried);
        // a run that failed, as for want of a message on a loaded machine, is followed by one that begins anew
        const lines = vault.stack.signers.flatMap((party) => party.output().split('\n'));
        const failedRuns = lines.filter((line) => line.includes('"key_ceremony_failed"'));
        const falls = tried.filter((count, at) => at > 0 && count < tried[at - 1]!);
        expect(falls.length).toBeLessThanOrEqual(failedRuns.length);
      },
      RSA_PATIENCE_MS + 30_000,
    );

    it('says what it is: its custody, scheme, size and public key', () => {
      expect(key).toMatchObject({
        type: 'rsa',
        scheme: 'rsa_pkcs1_sha256',
        custody: 'mpc',
        modulus_bits: 2048,
        status: 'active',
      });
      const spki = createPublicKey(key.public_key!.pem);
      expect(spki.asymmetricKeyDetails).toEqual({ modulusLength: 2048, publicExponent: 65537n });
      const raw = Buffer.from(key.public_key!.raw, 'base64');
      expect(createPublicKey({ key: raw, format: 'der', type: 'pkcs1' }).equals(spki)).toBe(true);
      expect(key.attestations.map(({ party }) => party)).toEqual([1, 2, 3]);
    });

    it('signs nothing until a rule names raw_sign', async () => {
      const body = { message: 'x', message_encoding: 'utf8' };
      const target = `/v1/keys/${key.id}/raw-sign`;
      await expectRefusal('forbidden', vault.admin, 'POST', target, body);
      // a rule that names no operation does not cover it
      await allowKeys(vault, [key.id], { initiators: { user_ids: [vault.adminId] } });
      await expectRefusal('forbidden', vault.admin, 'POST', target, body);
      await allowKeys(vault, [key.id], { operations: ['raw_sign'] });
    });

    it.each(['sha256', 'sha384', 'sha512'])('signs PKCS#1 v1.5 and PSS with %s', async (hash) => {
      const publicKey = createPublicKey(key.public_key!.pem);
      const pkcs1 = await rawSign({ scheme: `rsa_pkcs1_${hash}` });
      const pss = await rawSign({ scheme: `rsa_pss_${hash}`, output_encoding: 'hex' });
      expect(verify(hash, message, publicKey, Buffer.from(pkcs1.signature, 'base64'))).toBe(true);
      const options = {
        key: publicKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      };
      expect(verify(hash, message, options, Buffer.from(pss.signature, 'hex'))).toBe(true);
    });

    it('uses its own scheme when a request names none, and refuses those of other keys', async () => {
      const publicKey = createPublicKey(key.public_key!.pem);
      const { signature } = await rawSign({});
      expect(verify('sha256', message, publicKey, Buffer.from(signature, 'base64'))).toBe(true);
      await expectRefusal(
        'invalid_inputs',
        vault.admin,
        'POST',
        `/v1/keys/${key.id}/raw-sign`,
        { message: 'x', message_encoding: 'utf8', scheme: 'ed25519' },
        'this key signs with rsa_pkcs1_sha256',
      );
    });

    it('refuses a modulus of another size, and one for an Ed25519 key', async () => {
      for (const body of [
        { type: 'rsa', modulus_bits: 1024 },
        { type: 'ed25519', modulus_bits: 2048 },
        { type: 'hmac' },
      ]) {
        const named = { display_name: 'never', ...body };
        await expectRefusal('invalid_inputs', vault.admin, 'POST', '/v1/keys', named);
      }
    });
  });

  describe('RSA keys in stock', () => {
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
});
