/**
 * Another vault in the place of the real one: whoever owns the database makes it up from a first entry of its own.
 * Which vault a node belongs to is told by its operator, never by the database.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { entryHash } from '@countersign/core/entry-hash.js';
import { toHex } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import {
  decodeEntryBody,
  GENESIS_PREV_HASH,
  type EntryRow,
  type Genesis,
} from '@countersign/vault/ledger/entry.js';
import { encodeGenesis } from '@countersign/vault/ledger/write-entry.js';
import { createGenesis } from '../../infra/admin/dist/genesis/create-genesis.js';
import { readGenesisPin } from '../../infra/admin/dist/genesis/read-genesis.js';
import { startGateway } from '../../infra/dev/dist/stack/open-stack.js';
import type { PreparedVault } from '../../infra/dev/dist/stack/prepare-vault.js';
import {
  createLedgerBuilder,
  rawPublicKey,
  testGenesis,
  type LedgerBuilder,
} from '../support/ledger-builder.ts';
import { runSignerProgram } from '../support/signer-programs.ts';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { query } from '../support/signing-load.ts';
import { openTestServers } from '../support/test-servers.ts';
import { expectOk, openTestVault, type TestVault } from '../support/test-vault.ts';
import { openTwoFacedStore, TRUE_LOG, type TwoFacedStore } from '../support/two-faced-store.ts';
import { drill } from '../support/drills.ts';

jest.setTimeout(180_000);

const EVERYBODY = ['gateway', 'party_1', 'party_2', 'party_3'] as const;

let vault: TestVault;
let nodes: RestartableNodes;
let keys: EvidenceKeys;
let store: TwoFacedStore;
/** What the operator was told when the vault was made. */
let genesisHash: string;
let thief: LedgerBuilder;
let thiefsAddress: string;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  keys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  ({ genesis_hash: genesisHash } = JSON.parse(readFileSync(vault.prepared.genesisFile, 'utf8')) as {
    genesis_hash: string;
  });
  store = await openTwoFacedStore(vault.servers.ownerUrl);
  thief = await thiefsLedger();
  await store.put('thief', thief.rows);
}, 120_000);

afterAll(async () => {
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

/** With the real users and evidence keys, a deposit wallet, and parties that are the thief's own. */
async function thiefsLedger(): Promise<LedgerBuilder> {
  const ledger = createLedgerBuilder({ genesis: false, keys });
  const own = testGenesis(ledger.admin);
  const genesis: Genesis = {
    ...own,
    evidence_key_ids: [keys.ids[0]],
    users: [
      ...own.users,
      {
        id: vault.adminId,
        display_name: 'Administrator of the desk',
        public_key: rawPublicKey(vault.adminCredential.privateKey).toString('base64'),
        api_key_sha256: apiKeySha256(vault.adminCredential.apiKey),
      },
    ],
    admin_policies: own.admin_policies.map((policy) => ({
      ...policy,
      user_ids: [...policy.user_ids, vault.adminId],
    })),
  };
  ledger.now = Date.now();
  ledger.append(encodeGenesis(ledger.now, genesis));
  const { admin } = ledger;
  const vaultId = ledger.must(admin, 'POST', '/v1/vaults', { display_name: 'deposits' });
  ledger.must(admin, 'POST', `/v1/vaults/${vaultId}/wallets`, { network_family: 'solana' });
  const [wallet] = [...ledger.state.wallets.rows.values()];
  for (const party of [1, 2, 3] as const) ledger.attest(party, wallet!.keyId);
  thiefsAddress = ledger.state.wallets.rows.get(wallet!.id)!.address ?? '';
  return ledger;
}

/** Nodes that have lost what they remembered: what they were given is all they have. */
function forgetPins(): void {
  rmSync(dirname(vault.prepared.pinFile('gateway')), { recursive: true, force: true });
}

async function expectNobodyStarts(reason: string): Promise<void> {
  const starts = await Promise.allSettled([
    nodes.startGateway(),
    nodes.startParty(1),
    nodes.startParty(2),
    nodes.startParty(3),
  ]);
  for (const start of starts) {
    expect(String((start as PromiseRejectedResult).reason)).toContain(reason);
  }
}

describe('a vault of the thief in the place of the real one', () => {
  it('would tell the administrator the address of the thief, had the gateway been given its genesis', async () => {
    expect(thiefsAddress).not.toBe('');
    await store.show('thief', 'gateway');
    const genesisFile = join(vault.servers.home, 'thief-genesis.json');
    const hash = toHex(thief.rows[0]!.hash);
    writeFileSync(genesisFile, JSON.stringify({ genesis_hash: hash }));
    const pinFile = (name: string) => join(vault.servers.home, 'thief-pins', name);
    const prepared: PreparedVault = { ...vault.prepared, genesisFile, pinFile };
    const gateway = await startGateway({ ...vault.options, vault: prepared }, 0);
    try {
      const url = `http://127.0.0.1:${gateway.port}`;
      const admin = vault.clientFor(vault.adminCredential, url);
      const { results } = await expectOk<{ results: { id: string }[] }>(admin, 'GET', '/v1/vaults');
      const wallets = await admin.get(`/v1/vaults/${results[0]!.id}/wallets`);
      expect(wallets.text).toContain(thiefsAddress);
    } finally {
      await gateway.stop();
    }
  });

  it('by the store alone: stops whoever runs, and tells nobody anything', async () => {
    await store.show('thief', ...EVERYBODY);
    const running = [nodes.gateway, ...([1, 2, 3] as const).map(nodes.party)];
    await nodes.untilLogged(running, 'is no longer in the ledger');
    for (const target of ['/v1/vaults', '/v1/users', '/v1/whoami']) {
      expect((await vault.admin.get(target)).status).toBe(504);
    }
  });

  drill('by the store and restarts: starts nobody', async () => {
    await nodes.stopAll();
    await expectNobodyStarts(
      'the ledger has another genesis than the one that this node was given',
    );
  });

  it('by the store, restarts and the loss of every pin: starts nobody', async () => {
    await nodes.stopAll();
    forgetPins();
    await expectNobodyStarts(
      'the ledger has another genesis than the one that this node was given',
    );
  });

  drill(
    'is over once the database shows the real one, and the parties are told to believe it',
    async () => {
      await store.show(TRUE_LOG, ...EVERYBODY);
      await expect(nodes.startParty(1)).rejects.toThrow('run `remember` first');
      for (const party of PARTY_NUMBERS) {
        await runSignerProgram({
          ...{ vault, party, program: 'recovery/remember', args: ['--trust-database'] },
          behindMs: 5 * 60_000,
        });
      }
      await nodes.startAll();
      await expectOk(vault.admin, 'POST', '/v1/vaults', { display_name: 'the real one' });
    },
  );
});

describe('what an operator is told to trust', () => {
  const LIE = Buffer.alloc(32, 7);

  it('by the store: `genesis` computes the hash, whatever the column says, and nobody starts on such a log', async () => {
    const rows = await store.read(TRUE_LOG);
    const lying: EntryRow[] = rows.map((row) => (row.seq === 1 ? { ...row, hash: LIE } : row));
    await store.put('lying', lying);
    await store.show('lying', 'gateway');
    const pin = await readGenesisPin(vault.servers.roleUrls.gateway);
    expect(pin.genesis_hash).toBe(genesisHash);
    const refused = startGateway(vault.options, 0);
    await expect(refused).rejects.toThrow(/another genesis|does not have its hash/);
    await store.show(TRUE_LOG, 'gateway');
  });

  it('by the store: `init` prints the hash of what it wrote, whatever the database answers', async () => {
    const servers = await openTestServers();
    try {
      await query(
        servers.ownerUrl,
        `ALTER FUNCTION countersign_append(bytea[]) RENAME TO honest_append;
         CREATE FUNCTION countersign_append(bodies bytea[])
         RETURNS TABLE (seq bigint, prev_hash bytea, hash bytea) LANGUAGE sql SECURITY DEFINER AS $$
           SELECT seq, prev_hash, '\\x${LIE.toString('hex')}'::bytea FROM honest_append(bodies) $$;`,
      );
      const { pin } = await createGenesis(servers.roleUrls.gateway, {
        parties: testGenesis(thief.admin).parties,
        evidenceKeyIds: [...keys.ids],
        firstUsers: [{ displayName: 'Ada', publicKey: thief.admin.publicKey }],
      });
      const [row] = await query<{ body: Buffer }>(
        servers.ownerUrl,
        'SELECT body FROM ledger_entry',
      );
      expect(decodeEntryBody(row!.body).content.kind).toBe('genesis');
      expect(pin.genesis_hash).toBe(toHex(entryHash(1, GENESIS_PREV_HASH, row!.body)));
    } finally {
      await servers.close();
    }
  });
});
