/** What a signature says it rests on, who is named for speaking of another history, and commits that are held up. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { toHex } from '@countersign/core/bytes.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { createFold } from '@countersign/vault/ledger/fold.js';

import pg from 'pg';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { openHostileGateway, type HostileGateway } from '../support/attacker.ts';
import { dishonestParty, type DishonestParty } from '../support/dishonest-party.ts';
import { readGenesis } from '../support/genesis.ts';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { rawSignRequest } from '../support/signed-request.ts';
import { finalRecord, query, shoot, shootMany, statusesOf } from '../support/signing-load.ts';
import { appendStored, readStoredLedger } from '../support/stored-ledger.ts';
import { eventually, expectOk, openTestVault } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';

jest.setTimeout(180_000);

/** As the API tells it. */
interface ReceiptView {
  readonly ledger_seq: number;
  readonly ledger_hash: string;
  readonly rules_version: number;
}

let vault: TestVault;
let nodes: RestartableNodes;
let hostile: HostileGateway;
let third: DishonestParty;
let bot: TestUser;
let wallet: TestWallet;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  hostile = await openHostileGateway(vault);
  third = dishonestParty(vault, 3, (await readGenesis(vault)).genesisHash);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 120_000);

afterAll(async () => {
  await hostile?.close();
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

const readLedger = () => readStoredLedger(vault.servers.ownerUrl);

async function receipts(count: number): Promise<ReceiptView[]> {
  const shots = await shootMany(vault.baseUrl, bot, wallet, count);
  expect(statusesOf(shots)).toEqual([200]);
  return shots.map(({ text }) => (JSON.parse(text) as { receipt: ReceiptView }).receipt);
}

async function signaturesForBot(): Promise<number> {
  const [row] = await query<{ count: string }>(
    vault.servers.ownerUrl,
    "SELECT count(*) FROM request_result WHERE outcome = 'signed' AND created_by = $1",
    [bot.id],
  );
  return Number(row!.count);
}

describe('a receipt', () => {
  it('names the entry of the ledger that it rests on, by number and hash, and the version of the rules', async () => {
    for (const receipt of await receipts(6)) {
      const folded = (await readLedger()).slice(0, receipt.ledger_seq);
      const fold = createFold({ keys: readEvidenceKeys(vault.prepared.evidenceKeyFile) });
      fold.advance(folded);
      expect(receipt).toMatchObject({
        ledger_hash: toHex(folded.at(-1)!.hash),
        rules_version: fold.view.rules,
      });
    }
  });
});

describe('by the store alone: commits that are held up while a freeze comes', () => {
  const RECORDS = [1, 2, 3].map((party) => `party_${party}.sign_record`).join(', ');

  /** Nobody's rows get in until it is let go. */
  async function holdUp(tables: string) {
    const client = new pg.Client({ connectionString: vault.servers.ownerUrl });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${tables} IN SHARE MODE`);
    return { letGo: () => client.query('COMMIT'), close: () => client.end() };
  }

  const untilHeldUp = (): Promise<unknown> =>
    eventually(async () => {
      const waiting = await query(
        vault.servers.ownerUrl,
        `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
         WHERE d.datname = current_database() AND NOT granted AND mode = 'RowExclusiveLock'`,
      );
      return waiting.length > 0;
    });

  it.each([
    ["the lead's, of results", 'request_result'],
    ["every party's, of its records", RECORDS],
  ])('%s: no signature comes after the freeze was answered', async (_what, tables) => {
    const before = await signaturesForBot();
    const hold = await holdUp(tables);
    try {
      const shots = Array.from({ length: 4 }, () => shoot(vault.baseUrl, bot, wallet, 1));
      await untilHeldUp();
      await expectOk(vault.admin, 'POST', `/v1/keys/freeze?key_ids=${wallet.keyId}`);
      await hold.letGo();
      for (const { status, signed } of await Promise.all(shots)) {
        expect(status).not.toBe(200);
        if (status !== 202) continue;
        const record = await finalRecord(vault.clientFor(bot.credential), signed.requestId);
        expect(record.status).not.toBe('completed');
      }
    } finally {
      await hold.close();
    }
    expect(await signaturesForBot()).toBe(before);
    await expectOk(vault.admin, 'POST', `/v1/keys/unfreeze?key_ids=${wallet.keyId}`);
    await receipts(3);
  });
});

describe('by the store and the gateway: commits that are made one by one, each of them slow', () => {
  /** More than a lead's partner waits for it, at so much for each. */
  const ITEMS = 10;
  const SLOW_S = 1.5;

  /** A request that comes twice in one group of commits makes a lead write them one by one. */
  async function slowDown(): Promise<void> {
    await query(
      vault.servers.ownerUrl,
      `CREATE FUNCTION slow_down() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_sleep(${SLOW_S}); RETURN NEW; END $$;
       CREATE TRIGGER slow_down BEFORE INSERT ON request_result
         FOR EACH ROW EXECUTE FUNCTION slow_down()`,
    );
  }

  const isInserting = async (): Promise<boolean> => {
    const rows = await query(
      vault.servers.ownerUrl,
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
         AND usename LIKE 'countersign_party_%' AND query LIKE '%INTO request_result%'`,
    );
    return rows.length > 0;
  };

  it('no signature comes after the freeze was answered', async () => {
    const item = () => rawSignRequest(bot.credential, wallet.path, randomBytes(32));
    const items = Array.from({ length: ITEMS }, item).map(({ evidence }) => ({ evidence }));
    await slowDown();
    const first = hostile.submit([{ evidence: item().evidence }]);
    await eventually(isInserting);
    const twice = [hostile.submit(items), hostile.submit(items)];
    try {
      await first;
      // they may have been told to come again, for want of time to commit
      await Promise.race([eventually(isInserting), ...twice]);
      await expectOk(vault.admin, 'POST', `/v1/keys/freeze?key_ids=${wallet.keyId}`);
      const answered = await signaturesForBot();
      await eventually(async () => !(await isInserting()), 60_000);
      await Promise.all(twice);
      await eventually(async () => !(await isInserting()), 60_000);
      expect(await signaturesForBot()).toBe(answered);
    } finally {
      await query(vault.servers.ownerUrl, 'DROP FUNCTION slow_down CASCADE');
    }
    await expectOk(vault.admin, 'POST', `/v1/keys/unfreeze?key_ids=${wallet.keyId}`);
    await receipts(3);
  });
});

describe('by party 3 alone: a statement for another history', () => {
  it('is named in the logs of the gateway and of the other parties, and changes nothing', async () => {
    await nodes.stopParties(3);
    const before = await expectOk(vault.admin, 'GET', '/v1/users?limit=100');
    const { seq } = (await readLedger()).at(-1)!;
    const elsewhere = { seq, hash: randomBytes(32) };
    const statements = [third.countersign(elsewhere), third.acknowledge(elsewhere)];
    await appendStored(vault.servers.roleUrls.party_3, statements);
    const others = [nodes.gateway, nodes.party(1), nodes.party(2)];
    const alarmsOf = (node: VaultProcess) =>
      node
        .output()
        .split('\n')
        .filter((line) => line.includes('"other_history"'));
    // of each statement: a node may fold them one by one
    await eventually(() => others.every((node) => alarmsOf(node).length >= statements.length));
    for (const node of others) {
      expect(alarmsOf(node)).toHaveLength(statements.length);
      for (const alarm of alarmsOf(node)) expect(JSON.parse(alarm)).toMatchObject({ party: 3 });
    }
    await expectOk(vault.admin, 'POST', '/v1/vaults', { display_name: 'after a statement' });
    expect(await expectOk(vault.admin, 'GET', '/v1/users?limit=100')).toEqual(before);
    await receipts(3);
    await nodes.startAll();
  });
});
