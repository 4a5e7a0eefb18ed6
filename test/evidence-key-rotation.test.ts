/** A new evidence key: added everywhere, vouched for by the parties as they restart, then used. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { evidenceKeyIdOf, readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  startGateway,
  startSigner,
  type StackOptions,
} from '../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../infra/dev/dist/stack/vault-process.js';
import { query, shootMany, statusesOf } from './support/signing-load.ts';
import { eventually, expectOk, openTestVault } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';

jest.setTimeout(120_000);

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
/** The old key, and beside it a new one that is current. */
let rotated: StackOptions;
let gateway: VaultProcess;
const started: VaultProcess[] = [];

beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  const evidenceKeyFile = join(vault.servers.home, 'rotated.key');
  const { keys } = JSON.parse(readFileSync(vault.prepared.evidenceKeyFile, 'utf8')) as {
    keys: Record<string, string>;
  };
  const file = { current: 'new', keys: { ...keys, new: randomBytes(32).toString('base64') } };
  writeFileSync(evidenceKeyFile, JSON.stringify(file), { mode: 0o600 });
  rotated = { ...vault.options, vault: { ...vault.prepared, evidenceKeyFile } };
}, 60_000);

afterAll(async () => {
  for (const process of started) await process.stop();
  await vault?.close();
}, 60_000);

const createVault = () =>
  vault
    .clientFor(vault.adminCredential, `http://127.0.0.1:${gateway.port}`)
    .send({ method: 'POST', target: '/v1/vaults', body: { display_name: 'after the rotation' } });

/** Bodies of the ledger's entries from `seq` on. */
async function entriesAfter(seq: number) {
  const rows = await query<{ body: Buffer }>(
    vault.servers.ownerUrl,
    'SELECT body FROM ledger_entry WHERE seq > $1 ORDER BY seq',
    [seq],
  );
  return rows.map(({ body }) => decodeEntryBody(body).content);
}

async function head(): Promise<number> {
  const info = await expectOk<{ ledger_head: { seq: number } }>(vault.admin, 'GET', '/v1/info');
  return info.ledger_head.seq;
}

async function restartWithNewKey(party: PartyNumber): Promise<void> {
  await vault.stack.signers[party - 1]!.stop();
  started.push(await startSigner(rotated, party));
}

describe('a rotation of the evidence key', () => {
  it('does not let a gateway write under a key that the parties have not vouched for', async () => {
    gateway = await startGateway(rotated, 0);
    started.push(gateway);
    const before = await head();
    expect((await createVault()).status).toBe(504);
    for (const party of [1, 2] as const) await restartWithNewKey(party);
    expect((await createVault()).status).toBe(504);
    expect(gateway.output()).toContain('is not declared in the ledger');
    const kinds = (await entriesAfter(before)).map(({ kind }) => kind);
    const facts = kinds.filter((kind) => kind !== 'recipient' && kind !== 'countersignature');
    expect(facts).toEqual(['evidence-key', 'evidence-key']);
  });

  it('is complete once all three parties hold the key: it seals what is written then', async () => {
    await restartWithNewKey(3);
    const before = await head();
    // the third word reaches the gateway's fold a moment after it is in the ledger
    await eventually(async () => (await createVault()).status === 200);
    const [entry] = (await entriesAfter(before)).filter(({ kind }) => kind === 'evidence');
    if (entry?.kind !== 'evidence') throw new Error('no request in the ledger');
    const [newId] = readEvidenceKeys(rotated.vault.evidenceKeyFile).ids;
    expect(evidenceKeyIdOf(entry.evidence.sealedCredential)).toBe(newId);
  });

  it('leaves what was written before readable, and signing goes on', async () => {
    const url = `http://127.0.0.1:${gateway.port}`;
    expect(statusesOf(await shootMany(url, bot, wallet, 9))).toEqual([200]);
    const said = await query<{ action: string }>(
      vault.servers.ownerUrl,
      'SELECT 1 FROM ledger_entry WHERE get_byte(body, 0) = 6',
    );
    expect(said).toHaveLength(PARTY_NUMBERS.length);
  });
});
