/**
 * How long new shares of many keys take, while one caller signs. `WALLETS` says how many (2,000). Prints seconds,
 * processor time and how the ledger grew for each key, and the slowest signature meanwhile. Fails where a signature is
 * refused, or where a key keeps an old share.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { startLoad } from '../../test/support/signing-load.ts';
import {
  eventually,
  expectOk,
  openTestVault,
  type TestVault,
} from '../../test/support/test-vault.ts';
import { processorTimeOf } from './processor-time.ts';

const WALLETS = Number(process.env['WALLETS'] ?? 2_000);
/** Of one request. */
const MOST = 100;
const HOUR_MS = 3_600_000;

let vault: TestVault;
let owner: pg.Pool;

beforeAll(async () => {
  vault = await openTestVault();
  owner = new pg.Pool({ connectionString: vault.servers.ownerUrl, max: 1 });
}, 120_000);
afterAll(async () => {
  await owner?.end();
  await vault?.close();
}, 120_000);

const numberOf = async (sql: string) => Number((await owner.query<{ n: string }>(sql)).rows[0]?.n);
const ledgerLength = () => numberOf('SELECT count(*) AS n FROM ledger_entry');
const shareSessions = async () => {
  const sql = 'SELECT DISTINCT session FROM party_1.key_share';
  return (await owner.query<{ session: string }>(sql)).rows.map(({ session }) => session);
};

const SHARES = 'SELECT count(*) AS n FROM party_1.key_share';

async function makeWallets(vaultId: string): Promise<void> {
  for (let made = 0; made < WALLETS; made += MOST) {
    const wallets = Array.from({ length: Math.min(MOST, WALLETS - made) }, () => ({
      network_family: 'solana',
    }));
    const target = `/v1/vaults/${vaultId}/wallets/bulk`;
    const { status } = await vault.admin.send({ method: 'POST', target, body: { wallets } });
    expect([200, 202]).toContain(status);
    const keys = made + wallets.length;
    await eventually(async () => (await numberOf(SHARES)) > keys, HOUR_MS);
  }
}

it(
  `makes new shares of ${WALLETS} keys`,
  async () => {
    const bot = await vault.createMachine();
    const wallet = await vault.createWallet({ initiators: [bot.id] });
    await makeWallets(wallet.vaultId);
    const before = { sessions: await shareSessions(), entries: await ledgerLength() };
    const { gateway, signers } = vault.stack;
    const cpu = () =>
      [gateway, ...signers].map(({ name, pid }) => [name, processorTimeOf(pid)] as const);
    const cpuBefore = new Map(cpu());
    const load = startLoad(() => vault.baseUrl, bot, wallet, {
      ...{ callers: 1, waitS: 30, isSteady: true },
    });
    const begun = performance.now();
    await expectOk(vault.admin, 'POST', '/v1/system/shares/refresh', { dealers: [1, 2] });
    await eventually(async () => {
      const parties = await expectOk<{ refresh: { keys_left: number } | null }>(
        vault.admin,
        'GET',
        '/v1/system/parties',
      );
      return parties.refresh?.keys_left === 0;
    }, HOUR_MS);
    const seconds = (performance.now() - begun) / 1_000;
    const answers = await load.stop();
    const keys = WALLETS + 1;
    const perKey = cpu().map(([name, s]) => [name, (1_000 * (s - cpuBefore.get(name)!)) / keys]);
    process.stderr.write(
      `${JSON.stringify({
        keys,
        keys_a_second: keys / seconds,
        processor_ms_a_key: Object.fromEntries(perKey),
        entries_a_key: ((await ledgerLength()) - before.entries) / keys,
        signatures_meanwhile: answers.length,
      })}\n`,
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const kept = new Set(before.sessions);
    // old shares leave the database a little later
    await eventually(async () => (await shareSessions()).every((one) => !kept.has(one)), HOUR_MS);
  },
  2 * HOUR_MS,
);
