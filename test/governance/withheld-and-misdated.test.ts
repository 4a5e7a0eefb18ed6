/**
 * Who decides when something happened. Neither whoever carries a request, by holding it back, nor any date that
 * somebody writes: two parties, by their own clocks.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { openHostileGateway, type HostileGateway } from '../support/attacker.ts';
import { dishonestParty, type DishonestParty } from '../support/dishonest-party.ts';
import { readGenesis } from '../support/genesis.ts';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { rawSignRequest, signedRequest } from '../support/signed-request.ts';
import { appendStored, judgedOutcome, readStoredLedger } from '../support/stored-ledger.ts';
import { expectOk, openTestVault } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';
import { drill } from '../support/drills.ts';

jest.setTimeout(180_000);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let vault: TestVault;
let nodes: RestartableNodes;
let keys: EvidenceKeys;
let third: DishonestParty;
let hostile: HostileGateway;
let bot: TestUser;
/** The bot may not sign with it. */
let wallet: TestWallet;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  keys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  const { genesisHash } = await readGenesis(vault);
  third = dishonestParty(vault, 3, genesisHash);
  hostile = await openHostileGateway(vault);
  bot = await vault.createMachine();
  wallet = await vault.createWallet();
}, 120_000);

afterAll(async () => {
  await hostile?.close();
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

const asGateway = (...bodies: Buffer[]) => appendStored(vault.servers.roleUrls.gateway, bodies);
const entryAt = async (seq: number) => (await readStoredLedger(vault.servers.ownerUrl))[seq - 1]!;
const outcomeOf = (seq: number) => judgedOutcome(vault.servers.ownerUrl, keys, seq);
const policies = () => expectOk(vault.admin, 'GET', '/v1/signing-policies?limit=100');

/** The bytes that the administrator signed so long ago: a policy by which the bot may sign. */
function heldBack(ageMs: number): Buffer {
  const now = Date.now() - ageMs;
  const { evidence } = signedRequest(
    vault.adminCredential,
    'POST',
    '/v1/signing-policies',
    {
      display_name: `held back for ${ageMs} ms`,
      security_group_id: wallet.groupId,
      rules: [
        {
          display_name: 'let the bot sign',
          when: { operations: ['raw_sign', 'sign'], initiators: { user_ids: [bot.id] } },
          then: 'allow',
        },
      ],
    },
    { now },
  );
  // whoever appends it may write any date
  return encodeEvidenceEntry(now, evidence, keys);
}

/** By way of the gateway's own fold, and of a gateway that asks the parties whatever its fold says. */
async function expectBotDenied(): Promise<void> {
  const body = { message: randomBytes(32).toString('base64') };
  const target = `${wallet.path}/raw-sign`;
  const answer = await bot.client.send({ method: 'POST', target, body });
  expect(answer.status).toBe(403);
  const past = () => [rawSignRequest(bot.credential, wallet.path, randomBytes(32))];
  const [outcome] = await hostile.ask(past);
  expect(outcome!.outcome).toBe('denied');
}

/** Nobody serves it, and nobody signs under it. */
async function expectVoid(seq: number, before: unknown): Promise<void> {
  expect((await outcomeOf(seq)).refusal).toMatchObject({ refused: 'unauthorized' });
  // it reads its own write: whatever was appended before is judged
  await expectOk(vault.admin, 'POST', '/v1/user-groups', { display_name: `after ${seq}` });
  expect(await policies()).toEqual(before);
  await expectBotDenied();
}

describe('dates that somebody writes stop nothing that follows them', () => {
  const YEARS = 73 * 365 * 24 * 60 * MINUTE;
  const FAR = Date.UTC(2099, 0, 1);

  function vaultBody(name: string, { signedAt = Date.now(), appendedAt = Date.now() }): Buffer {
    const request = signedRequest(
      vault.adminCredential,
      'POST',
      '/v1/vaults',
      { display_name: name },
      { now: signedAt },
    );
    return encodeEvidenceEntry(appendedAt, request.evidence, keys);
  }

  /** A time that an honest party's clock showed since then. */
  function expectNow(at: number, since: number): void {
    expect(at).toBeGreaterThanOrEqual(since);
    expect(at).toBeLessThanOrEqual(Date.now());
  }

  /** Changes and a freeze, each answered 200 by callers who wait as long as everybody, and health. */
  async function expectGovernance(name: string): Promise<void> {
    const since = Date.now();
    const made = await expectOk<{ id: string; created_at: string }>(
      vault.admin,
      'POST',
      '/v1/vaults',
      { display_name: name },
    );
    // judged by the parties' clocks, whatever came before it
    expectNow(Date.parse(made.created_at), since);
    await expectOk(vault.admin, 'POST', `/v1/users/freeze?user_ids=${bot.id}`);
    await expectOk(vault.admin, 'POST', `/v1/users/unfreeze?user_ids=${bot.id}`);
    const health = await fetch(`${vault.baseUrl}/health`);
    expect(await health.json()).toMatchObject({ status: 'ok' });
  }

  it('by the gateway and a caller: a valid request dated 2099 is void', async () => {
    const [seq] = await asGateway(vaultBody('from 2099', { signedAt: FAR, appendedAt: FAR }));
    await expectGovernance('after 2099');
    expect((await outcomeOf(seq!)).refusal).toMatchObject({ refused: 'unauthorized' });
  });

  it.each([
    ['five minutes ahead', 5 * MINUTE],
    ['years ahead', YEARS],
    ['years behind', -YEARS / 2],
  ])('by the gateway alone: its clock is %s', async (name, aheadMs) => {
    const since = Date.now();
    const appendedAt = since + aheadMs;
    const [seq] = await asGateway(vaultBody(`clock ${name}`, { appendedAt }));
    const { refusal, at } = await outcomeOf(seq!);
    expect(refusal).toBeUndefined();
    expectNow(at, since);
    await expectGovernance(`after a clock ${name}`);
  });

  drill(
    'by the gateway and party 3: its statements are dated years ahead and years behind',
    async () => {
      await nodes.stopParties(3);
      const since = Date.now();
      for (const at of [Date.now() + YEARS, Date.now() - YEARS / 2]) {
        const head = (await readStoredLedger(vault.servers.ownerUrl)).at(-1)!;
        await asGateway(third.countersign(head, { at }, at));
        const [seq] = await asGateway(vaultBody(`beside a statement of ${at}`, {}));
        await asGateway(third.countersign(await entryAt(seq!), { at }, at));
        const outcome = await outcomeOf(seq!);
        expect(outcome.refusal).toBeUndefined();
        expectNow(outcome.at, since);
      }
      await nodes.startAll();
      await expectGovernance('after statements of other times');
    },
  );
});

describe('a signed policy that was held back is void', () => {
  it('by the gateway alone: appended 323 s late, while the parties are up', async () => {
    const before = await policies();
    const [seq] = await asGateway(heldBack(323 * SECOND));
    await expectVoid(seq!, before);
  });

  drill(
    'by the gateway and restarts: appended 412 s late, while all parties are down',
    async () => {
      const before = await policies();
      await nodes.stopParties(1, 2, 3);
      const [seq] = await asGateway(heldBack(412 * SECOND));
      await nodes.startAll();
      await expectVoid(seq!, before);
    },
  );

  it('by the gateway, party 3 that dates its statements back, and restarts of every node', async () => {
    const before = await policies();
    await nodes.stopParties(3);
    const seq = await appendWithBackdatedWords();
    expect((await outcomeOf(seq)).refusal).toMatchObject({ refused: 'unauthorized' });
    // and again where no other party is awake to speak before it
    await nodes.stopAll();
    const again = await appendWithBackdatedWords();
    await nodes.startParty(1);
    // what two parties cover that agree about the time is judged at the time they agree about
    await asGateway(third.countersign(await entryAt(again)));
    expect((await outcomeOf(again)).refusal).toMatchObject({ refused: 'unauthorized' });
    await nodes.startAll();
    for (const one of [seq, again]) await expectVoid(one, before);
  });

  async function appendWithBackdatedWords(): Promise<number> {
    const [seq] = await asGateway(heldBack(323 * SECOND));
    const head = await entryAt(seq!);
    const statements = [323, 301, 30].map((seconds) =>
      third.countersign(head, { at: Date.now() - seconds * SECOND }),
    );
    await asGateway(...statements);
    return seq!;
  }
});
