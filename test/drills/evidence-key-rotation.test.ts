/**
 * A new evidence key: added everywhere, vouched for by the parties as they restart, then used. Then the old one, which
 * somebody stole, is withdrawn.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { evidenceKeyIdOf } from '@countersign/core/evidence-seal.js';
import { replyChannel } from '@countersign/runtime/jobs/names.js';
import { sealSignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { sealReply } from '@countersign/runtime/jobs/sign-outcome.js';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  startGateway,
  startSigner,
  type StackOptions,
} from '../../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { findReplicas, openRedisAttacker, type RedisAttacker } from '../support/attacker.ts';
import { rawSignRequest, signedRequest } from '../support/signed-request.ts';
import { query, shootMany, statusesOf } from '../support/signing-load.ts';
import { eventually, expectOk, openTestVault } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';

jest.setTimeout(120_000);

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
/** The old key, and beside it a new one that is current. */
let rotated: StackOptions;
/** As that, and the old key is withdrawn. */
let withdrawing: StackOptions;
/** Both keys, and the old one is current. */
let behind: StackOptions;
let gateway: VaultProcess;
const started: VaultProcess[] = [];
/** Of each party, the process that runs. */
const parties = new Map<PartyNumber, VaultProcess>();

beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  const { current, keys } = JSON.parse(readFileSync(vault.prepared.evidenceKeyFile, 'utf8')) as {
    current: string;
    keys: Record<string, string>;
  };
  const file = { current: 'new', keys: { ...keys, new: randomBytes(32).toString('base64') } };
  rotated = withKeyFile('rotated.key', file);
  behind = withKeyFile('behind.key', { ...file, current });
  withdrawing = withKeyFile('withdrawing.key', { ...file, withdrawn: [current] });
  for (const party of PARTY_NUMBERS) parties.set(party, vault.stack.signers[party - 1]!);
}, 60_000);

afterAll(async () => {
  for (const process of started) await process.stop();
  await vault?.close();
}, 60_000);

function withKeyFile(name: string, file: object): StackOptions {
  const evidenceKeyFile = join(vault.servers.home, name);
  writeFileSync(evidenceKeyFile, JSON.stringify(file), { mode: 0o600 });
  return { ...vault.options, vault: { ...vault.prepared, evidenceKeyFile } };
}

/** Through the gateway that has the new key: the vault's own stops at the first entry under it. */
const urlOfNew = () => `http://127.0.0.1:${gateway.port}`;
const adminOfNew = () => vault.clientFor(vault.adminCredential, urlOfNew());

const createVault = (admin = adminOfNew()) =>
  admin.send({
    method: 'POST',
    target: '/v1/vaults',
    body: { display_name: `vault ${randomUUID()}` },
  });

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

async function restart(party: PartyNumber, options: StackOptions): Promise<void> {
  await parties.get(party)!.stop();
  const process = await startSigner(options, party);
  started.push(process);
  parties.set(party, process);
}

describe('a rotation of the evidence key', () => {
  it('does not let a gateway write under a key that the parties have not vouched for', async () => {
    gateway = await startGateway(rotated, 0);
    started.push(gateway);
    const before = await head();
    expect((await createVault()).status).toBe(504);
    for (const party of [1, 2] as const) await restart(party, rotated);
    expect((await createVault()).status).toBe(504);
    expect(gateway.output()).toContain('is not declared in the ledger');
    const kinds = (await entriesAfter(before)).map(({ kind }) => kind);
    const facts = kinds.filter((kind) => kind !== 'recipient' && kind !== 'countersignature');
    expect(facts).toEqual(['evidence-key', 'evidence-key']);
  });

  it('is complete once all three parties hold the key: it seals what is written then', async () => {
    await restart(3, rotated);
    const before = await head();
    // the third word reaches the gateway's fold a moment after it is in the ledger
    await eventually(async () => (await createVault()).status === 200);
    const [entry] = (await entriesAfter(before)).filter(({ kind }) => kind === 'evidence');
    if (entry?.kind !== 'evidence') throw new Error('no request in the ledger');
    const [newId] = readEvidenceKeys(rotated.vault.evidenceKeyFile).ids;
    expect(evidenceKeyIdOf(entry.evidence.sealedCredential)).toBe(newId);
  });

  it('leaves what was written before readable, and signing goes on', async () => {
    expect(statusesOf(await shootMany(urlOfNew(), bot, wallet, 9))).toEqual([200]);
    const said = await query<{ action: string }>(
      vault.servers.ownerUrl,
      'SELECT 1 FROM ledger_entry WHERE get_byte(body, 0) = 6',
    );
    expect(said).toHaveLength(PARTY_NUMBERS.length);
  });
});

describe('whoever stole the old key, and holds Redis and the role of a gateway', () => {
  let thief: RedisAttacker;
  const keys = () => readEvidenceKeys(vault.prepared.evidenceKeyFile);
  /** What is logged of what does not open for that reason. */
  const dropped = () => `evidence key ${keys().ids[0]} was withdrawn`;

  beforeAll(() => {
    thief = openRedisAttacker(vault.servers.redis.url);
  });
  afterAll(() => thief?.close());

  /** A good request of an administrator: what it comes to is up to the seal alone. */
  async function appendVault(name: string): Promise<void> {
    const target = ['POST', '/v1/vaults', { display_name: name }] as const;
    const { evidence } = signedRequest(vault.adminCredential, ...target);
    const body = encodeEvidenceEntry(Date.now(), evidence, keys());
    const append = 'SELECT countersign_append($1)';
    await query(vault.servers.roleUrls.gateway, append, [[body]]);
    // whatever is judged behind it
    expect((await createVault()).status).toBe(200);
  }

  async function isVault(name: string): Promise<boolean> {
    const { results } = await expectOk<{ results: { display_name: string }[] }>(
      adminOfNew(),
      'GET',
      '/v1/vaults',
    );
    return results.some(({ display_name }) => display_name === name);
  }

  /** A good request of a user who may sign, to parties 1 and 2; answers what they say to it. */
  async function addJob() {
    const gatewayId = `gateway-${randomBytes(8).toString('hex')}`;
    const heard = await thief.tap(replyChannel(gatewayId));
    const [lead, partner] = await findReplicas(thief.redis);
    const info = await expectOk<{ ledger_head: { seq: number; hash: string } }>(
      adminOfNew(),
      'GET',
      '/v1/info',
    );
    const item = {
      submission: randomBytes(16).toString('hex'),
      receivedAt: Date.now(),
      nonce: 0n,
      evidence: rawSignRequest(bot.credential, wallet.path, randomBytes(32)).evidence,
    };
    const batch = {
      version: 1,
      ...{ batchId: randomBytes(16).toString('hex'), gatewayId, lead, partner, items: [item] },
      ...{ ledgerSeq: info.ledger_head.seq, ledgerHash: info.ledger_head.hash },
    };
    const sealed = sealSignBatch(batch, keys()).toString('base64');
    for (const party of [lead, partner]) await thief.addJob(party, sealed);
    return heard;
  }

  it('is heard while one party alone has withdrawn the key', async () => {
    await restart(1, withdrawing);
    await appendVault('before');
    expect(await isVault('before')).toBe(true);
    await eventually(async () => {
      const heard = await addJob();
      return eventually(() => heard.length > 0, 5_000).catch(() => false);
    });
  });

  it('brings in no entry once two have, while the vault works on', async () => {
    await restart(2, withdrawing);
    await appendVault('after');
    expect(await isVault('after')).toBe(false);
    expect(await isVault('before')).toBe(true);
  });

  it('brings in no job', async () => {
    // over a head behind the withdrawal: each party has folded it
    expect(statusesOf(await shootMany(urlOfNew(), bot, wallet, 9))).toEqual([200]);
    const heard = await addJob();
    for (const party of [1, 2] as const) {
      await eventually(() => parties.get(party)!.output().includes(dropped()));
    }
    expect(heard).toEqual([]);
  });

  it('brings in no reply', async () => {
    const replies = await thief.tap(replyChannel('*'));
    expect(statusesOf(await shootMany(urlOfNew(), bot, wallet, 1))).toEqual([200]);
    const gatewayId = replies[0]!.channel.slice(replyChannel('').length);
    const retrySignature = randomBytes(64);
    const batchId = randomBytes(16).toString('hex');
    const reply = { version: 1, batchId, outcomes: [], retrySignature };
    await thief.redis.publish(replyChannel(gatewayId), sealReply(reply, gatewayId, keys()));
    await eventually(() => gateway.output().includes(dropped()));
  });

  it('leaves a gateway that still seals under the key, which writes nothing', async () => {
    const late = await startGateway(behind, 0);
    started.push(late);
    const url = `http://127.0.0.1:${late.port}`;
    // on a slow machine the first 504 can be for a ledger that it has not read yet
    await eventually(async () => {
      expect((await createVault(vault.clientFor(vault.adminCredential, url))).status).toBe(504);
      return late.output().includes('is not declared in the ledger, or withdrawn');
    });
  });
});
