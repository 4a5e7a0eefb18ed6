/** `npm start` that was killed while it made its vault: the next start goes on, or begins anew. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { readGenesisPin } from '../infra/admin/dist/genesis/read-genesis.js';
import { prepareVault, type PreparedVault } from '../infra/dev/dist/stack/prepare-vault.js';
import { openTestServers, type TestServers } from './support/test-servers.ts';

jest.setTimeout(60_000);

let servers: TestServers;
let home: string;
beforeEach(async () => {
  servers = await openTestServers();
  home = join(servers.home, 'prepared');
}, 60_000);
afterEach(async () => {
  await servers?.close();
}, 60_000);

const prepare = () => prepareVault(home, servers.roleUrls);
const at = (name: string) => join(home, name);
const read = (name: string) => readFileSync(at(name), 'utf8');

/** The ledger's genesis is what the folder trusts, and names the keys that the folder has. */
async function expectWhole({ admin, genesisFile, evidenceKeyFile, ...vault }: PreparedVault) {
  const pin = JSON.parse(readFileSync(genesisFile, 'utf8')) as { parties: object[] };
  expect(pin).toEqual(await readGenesisPin(servers.roleUrls.gateway));
  for (const party of [1, 2, 3] as const) {
    const keys = JSON.parse(
      readFileSync(join(vault.keyDir(party), 'public.json'), 'utf8'),
    ) as object;
    expect(pin.parties[party - 1]).toEqual({ party, ...keys });
  }
  expect(existsSync(admin.private_key_file)).toBe(true);
  expect(readEvidenceKeys(evidenceKeyFile).ids).toHaveLength(1);
  for (const file of [vault.webhookKeyFile, vault.webhookKeysFile]) {
    expect(existsSync(file)).toBe(true);
  }
}

describe('a vault that is prepared', () => {
  it('goes on where it was killed after its genesis came into force', async () => {
    const { admin } = await prepare();
    const [genesis, credential] = [read('genesis.json'), read('admin.json')];
    renameSync(at('genesis.json'), at('genesis.json.begun'));
    const again = await prepare();
    expect(again.admin).toEqual(admin);
    expect([read('genesis.json'), read('admin.json')]).toEqual([genesis, credential]);
    await expectWhole(again);
  });

  it('begins anew where it was killed before its genesis was sent', async () => {
    await prepare();
    renameSync(at('genesis.json'), at('genesis.json.begun'));
    const before = read('admin.json');
    const other = await openTestServers();
    try {
      await prepareVault(home, other.roleUrls);
      expect(read('admin.json')).not.toBe(before);
      const pin = await readGenesisPin(other.roleUrls.gateway);
      expect(JSON.parse(read('genesis.json'))).toEqual(pin);
    } finally {
      await other.close();
    }
  });

  it('makes new keys where halves of keys were left', async () => {
    await prepare();
    for (const name of ['genesis.json', 'admin.json', 'webhook-keys.json', 'evidence.key']) {
      rmSync(at(name));
    }
    rmSync(at('party-2/public.json'));
    writeFileSync(at('evidence.key.new'), '');
    const other = await openTestServers();
    const first = servers;
    servers = other;
    await first.close();
    await expectWhole(await prepare());
  });

  it('touches nothing where the ledger has the genesis of another vault', async () => {
    await prepare();
    for (const name of ['genesis.json', 'admin.json', 'party-2/public.json']) rmSync(at(name));
    const sealed = readFileSync(at('party-2/identity.sealed'));
    await expect(prepare()).rejects.toThrow('the ledger has its genesis');
    expect(readFileSync(at('party-2/identity.sealed'))).toEqual(sealed);
    writeFileSync(at('genesis.json.begun'), JSON.stringify({ genesis_hash: 'ab'.repeat(32) }));
    await expect(prepare()).rejects.toThrow('the ledger has its genesis');
  });
});
