/**
 * Entries that once ended every node for good, on a running vault: a bound that is no decimal, and one enrolment key for two
 * people. Whoever asks, and however the row comes into the ledger, everything goes on, also after every process was started again.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { call } from './support/api.ts';
import { ownEnrollmentCode } from './support/person.ts';
import { restartableNodes, type RestartableNodes } from './support/restartable-nodes.ts';
import { query, shootMany, statusesOf } from './support/signing-load.ts';
import { signedRequest } from './support/signed-request.ts';
import { eventually, expectOk, openTestVault } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';

jest.setTimeout(180_000);

let vault: TestVault;
let nodes: RestartableNodes;
let keys: EvidenceKeys;
let bot: TestUser;
let stranger: TestUser;
let wallet: TestWallet;
beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  keys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  [bot, stranger] = [await vault.createMachine(), await vault.createMachine()];
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 90_000);
afterAll(async () => {
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

/** A change, a freeze and a signature: each of them was a 504 behind such an entry. */
async function expectService(): Promise<void> {
  await expectOk(vault.admin, 'POST', '/v1/vaults', { display_name: `vault ${randomUUID()}` });
  const { client, id } = await vault.createMachine();
  await expectOk(vault.admin, 'POST', `/v1/users/freeze?user_ids=${id}`, {});
  expect((await call(client, 'GET', '/v1/vaults')).status).toBe(401);
  expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 6))).toEqual([200]);
}

/** As a hostile gateway can, or whoever else may append a row: in the name of any credential at hand. */
async function append(by: TestUser['credential'], target: string, body: object): Promise<void> {
  const { evidence } = signedRequest(by, 'POST', target, body);
  const row = encodeEvidenceEntry(Date.now(), evidence, keys);
  const appended = await query<{ seq: string }>(
    vault.servers.roleUrls.gateway,
    'SELECT seq FROM countersign_append($1)',
    [[row]],
  );
  const seq = Number(appended[0]!.seq);
  await eventually(async () => {
    const info = await expectOk<{ ledger_head: { seq: number } }>(vault.admin, 'GET', '/v1/info');
    return info.ledger_head.seq > seq;
  });
}

describe('a bound that is no decimal', () => {
  const policy = () => ({
    display_name: `policy ${randomUUID()}`,
    security_group_id: wallet.groupId,
    rules: [
      {
        display_name: 'a bound that was copied from a spreadsheet',
        when: {
          operations: ['sign'],
          initiators: 'anyone',
          amount: { min: '0.5', max: '1,000' },
        },
        then: 'allow',
      },
    ],
  });

  it('is a wrong input of who asks', async () => {
    const answer = await call(vault.admin, 'POST', '/v1/signing-policies', policy());
    expect(answer.status).toBe(422);
    await expectService();
  });

  it('stops nothing as a row that somebody appends, with a right to it or without', async () => {
    await append(vault.adminCredential, '/v1/signing-policies', policy());
    await append(stranger.credential, '/v1/signing-policies', policy());
    await expectService();
  });
});

describe('one enrolment key for two people', () => {
  const person = (publicKey: string) => ({
    type: 'human',
    display_name: `person ${randomUUID()}`,
    email: `${randomUUID()}@example.com`,
    cloud_provider: 'gcp',
    enrollment_public_key: publicKey,
  });
  const newKey = () => ownEnrollmentCode(Buffer.from(randomUUID().replaceAll('-', ''))).publicKey;

  it('belongs to one of both who are asked for at once, and is a conflict for the other', async () => {
    const key = newKey();
    const answers = await Promise.all(
      [1, 2].map(() => call(vault.admin, 'POST', '/v1/users', person(key))),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    await expectService();
  });

  it('stops nothing as rows that somebody appends together', async () => {
    const key = newKey();
    await append(vault.adminCredential, '/v1/users', person(key));
    await append(vault.adminCredential, '/v1/users', person(key));
    await expectService();
  });
});

it('every node starts again on all of these rows, and serves', async () => {
  await nodes.restartAll();
  await expectService();
});
