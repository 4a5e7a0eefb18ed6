/**
 * The database's owner shows different nodes different logs, or another one than before. What was answered rests on
 * one history: whoever is shown a losing one stops, and a pair signs nothing over it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { toHex } from '@countersign/core/bytes.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { StackOptions } from '../../infra/dev/dist/stack/open-stack.js';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import {
  findReplica,
  findReplicas,
  openHostileGateway,
  openRedisAttacker,
  type BatchHead,
  type HostileGateway,
  type RedisAttacker,
} from '../support/attacker.ts';
import { importSecret } from '../support/desk-import.ts';
import { LIAR, openLyingParty, type LyingParty } from '../support/lying-party.ts';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { rawSignRequest, signedRequest } from '../support/signed-request.ts';
import { query, shootMany, statusesOf } from '../support/signing-load.ts';
import { allowKeys } from '../support/standalone-keys.ts';
import { foldRows } from '../support/stored-ledger.ts';
import { expectOk, openTestVault, PATIENT } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';
import { openTwoFacedStore, TRUE_LOG, type TwoFacedStore } from '../support/two-faced-store.ts';
import { drill } from '../support/drills.ts';

jest.setTimeout(180_000);

let vault: TestVault;
let nodes: RestartableNodes;
let keys: EvidenceKeys;
let store: TwoFacedStore;
let hostile: HostileGateway;
let attacker: RedisAttacker;
let bot: TestUser;
let wallet: TestWallet;
/** The parties' primary replicas. */
let primaries: readonly [Replica, Replica, Replica];
let logs = 0;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  keys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  hostile = await openHostileGateway(vault);
  attacker = openRedisAttacker(vault.servers.redis.url);
  store = await openTwoFacedStore(vault.servers.ownerUrl);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  primaries = await findReplicas(attacker.redis);
}, 120_000);

afterAll(async () => {
  await attacker?.close();
  await hostile?.close();
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

/** Until two parties obey it and the third, to which a log without it may be shown, has said nothing for 5 s. */
async function freezeBot(): Promise<void> {
  const target = `/v1/users/freeze?user_ids=${bot.id}`;
  const { status } = await vault.admin.send({ method: 'POST', target, headers: PATIENT });
  expect(status).toBe(200);
}
const unfreezeBot = () => expectOk(vault.admin, 'POST', `/v1/users/unfreeze?user_ids=${bot.id}`);
const isFrozenIn = (rows: readonly EntryRow[]) =>
  foldRows(rows, keys).view.state.users.rows.get(bot.id)!.frozen !== null;

/** The log as it is now, and beside it what it would be if what follows `shared` entries had never been. */
async function forkBefore(shared: number): Promise<{ log: string; rows: EntryRow[] }> {
  const length = (await store.read(TRUE_LOG)).length;
  const log = `fork ${++logs}`;
  const junk = Array.from({ length: length - shared }, () => Buffer.from([99]));
  return { log, rows: await store.fork(log, junk, shared) };
}

/** Parties write statements of their own all the time: a fork that a stopped node is to read must not have become the shorter log. */
async function growToFullLength(log: string): Promise<void> {
  const missing = (await store.read(TRUE_LOG)).length - (await store.read(log)).length;
  if (missing > 0)
    await store.append(
      log,
      Array.from({ length: missing }, () => Buffer.from([99])),
    );
}

const headOf = (rows: readonly EntryRow[]): BatchHead => ({
  ledgerSeq: rows.length,
  ledgerHash: toHex(rows.at(-1)!.hash),
});

const pinOf = (party: PartyNumber) =>
  JSON.parse(readFileSync(vault.prepared.pinFile(`party-${party}`), 'utf8')) as {
    seq: number;
    hash: string;
  };

/** A pin only rises, and along the log that was answered from. */
async function expectPinKept(party: PartyNumber, before: { seq: number }): Promise<void> {
  const { seq, hash } = pinOf(party);
  expect(seq).toBeGreaterThanOrEqual(before.seq);
  expect(toHex((await store.read(TRUE_LOG))[seq - 1]!.hash)).toBe(hash);
}

async function signaturesForBot(): Promise<number> {
  const [row] = await query<{ count: string }>(
    vault.servers.ownerUrl,
    "SELECT count(*) FROM request_result WHERE outcome = 'signed' AND created_by = $1",
    [bot.id],
  );
  return Number(row!.count);
}

const walletItem = () => ({
  evidence: rawSignRequest(bot.credential, wallet.path, randomBytes(32)).evidence,
});

/** Whatever pair a gateway asks, over whatever head. */
async function expectNothingSigned(
  replicas: readonly Replica[],
  heads: readonly BatchHead[],
  item = walletItem,
): Promise<void> {
  const before = await signaturesForBot();
  const pairs = replicas.flatMap((lead) =>
    replicas.filter(({ party }) => party !== lead.party).map((partner) => ({ lead, partner })),
  );
  const choices = pairs.flatMap((pair) => heads.map((head) => ({ ...pair, head })));
  const answers = await Promise.all(choices.map((choice) => hostile.submit([item()], choice)));
  for (const answer of answers) expect(answer?.[0]?.outcome).not.toBe('signed');
  expect(await signaturesForBot()).toBe(before);
}

async function expectUnfrozen(): Promise<void> {
  await unfreezeBot();
  expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 6))).toEqual([200]);
}

const NO_LONGER = 'is no longer in the ledger';

describe('two replicas of one party', () => {
  const APPLICATION = { b: 'party_1-b', liar: 'party_2-liar' };
  let b: VaultProcess;
  let replicaB: Replica;
  let liar: LyingParty;
  /** Nobody lends anybody a commitment for it: the party gone bad can take part. */
  let hmacKeyId: string;

  const item = () => {
    const body = { message: randomBytes(16).toString('hex'), message_encoding: 'utf8' };
    const path = `/v1/keys/${hmacKeyId}/raw-sign`;
    return { evidence: signedRequest(bot.credential, 'POST', path, body).evidence };
  };

  /** So that the store can tell one connection of a role from another. */
  function namedTo(application: string, role: 'party_1' | 'party_2') {
    const url = new URL(vault.servers.roleUrls[role]);
    url.searchParams.set('application_name', application);
    return { ...vault.servers.roleUrls, [role]: url.toString() };
  }

  beforeAll(async () => {
    const options: StackOptions = {
      ...vault.options,
      vault: { ...vault.prepared, roleUrls: namedTo(APPLICATION.b, 'party_1') },
    };
    b = await startSigner(options, 1, 'b');
    replicaB = await findReplica(attacker.redis, 1, 'b');
    const roleUrls = namedTo(APPLICATION.liar, 'party_2');
    liar = await openLyingParty({ ...vault, servers: { ...vault.servers, roleUrls } });
    liar.isLying = false;
    const secret = randomBytes(32);
    const key = { type: 'hmac', secret, passphrase: '', encoding: 'hex' } as const;
    hmacKeyId = (await importSecret(vault, key)).id;
    await allowKeys(vault, [hmacKeyId], {
      operations: ['raw_sign'],
      initiators: { user_ids: [bot.id] },
    });
  }, 60_000);

  afterAll(async () => {
    await liar?.close();
    await b?.stop();
  }, 60_000);

  it('sign both, as long as they see one log', async () => {
    for (const lead of [replicaB, primaries[0]]) {
      const [outcome] = await hostile.ask([item()], { lead, partner: LIAR });
      expect(outcome!.outcome).toBe('signed');
    }
  });

  it('by the store, the gateway and party 2: the one without a pin signs nothing over a log that its primary replica has not pinned', async () => {
    const [ofB, ofLiar] = [{ application: APPLICATION.b }, { application: APPLICATION.liar }];
    const shared = await store.branch('side', ofB, ofLiar);
    await freezeBot();
    const { length } = await store.read(TRUE_LOG);
    const junk = Array.from({ length: length - shared.length }, () => Buffer.from([99]));
    await store.append('side', junk);
    const side = await store.read('side');
    expect(isFrozenIn(side)).toBe(false);
    const heads = [headOf(shared), headOf(side), headOf(await store.read(TRUE_LOG))];
    // b follows the other log without a fault: it alone cannot know
    await expectNothingSigned([replicaB, LIAR], heads, item);
    await expectNothingSigned([replicaB, ...primaries], heads, item);
    expect(b.output()).not.toContain(NO_LONGER);
    await unfreezeBot();
  });
});

describe('a freeze that was answered', () => {
  it('by the store and the gateway: kept from one party from the start, binds every pair of which it is one', async () => {
    const old = await store.branch('old', 'party_1');
    // the two that see it say that they obey, and the third is silent
    await freezeBot();
    await expectNothingSigned(primaries, [headOf(old), headOf(await store.read(TRUE_LOG))]);
    await store.show(TRUE_LOG, 'party_1');
    await expectUnfrozen();
  });

  drill(
    'by the store alone: hidden from one party that has seen it, stops that party, also anew',
    async () => {
      const shared = (await store.read(TRUE_LOG)).length;
      await freezeBot();
      const pin = pinOf(1);
      const { log, rows } = await forkBefore(shared);
      expect(isFrozenIn(rows)).toBe(false);
      await store.show(log, 'party_1');
      await nodes.untilLogged([nodes.party(1)], NO_LONGER);
      const heads = [headOf(rows), headOf(await store.read(TRUE_LOG))];
      await expectNothingSigned(primaries, heads);
      await nodes.stopParties(1);
      await growToFullLength(log);
      await expect(nodes.startParty(1)).rejects.toThrow('as this node has relied on it');
      await expectPinKept(1, pin);
      await store.show(TRUE_LOG, 'party_1');
      await nodes.startParty(1);
      primaries = await findReplicas(attacker.redis);
      await expectUnfrozen();
    },
  );

  it('by the store and the gateway: a fork of equal length, shown to parties 1 and 2 and to the gateway, stops them, also anew', async () => {
    const shared = (await store.read(TRUE_LOG)).length;
    await freezeBot();
    const pins = ([1, 2] as const).map(pinOf);
    const { log, rows } = await forkBefore(shared);
    await store.show(log, 'party_1', 'party_2', 'gateway');
    await nodes.untilLogged([nodes.party(1), nodes.party(2), nodes.gateway], NO_LONGER);
    await expectNothingSigned(primaries, [headOf(rows), headOf(await store.read(TRUE_LOG))]);
    const asked = await vault.admin.get('/v1/users');
    expect(asked.status).toBe(504);
    await nodes.stopAll();
    await growToFullLength(log);
    const starts = [nodes.startParty(1), nodes.startParty(2), nodes.startGateway()];
    for (const start of await Promise.allSettled(starts)) {
      expect(String((start as PromiseRejectedResult).reason)).toContain(
        'as this node has relied on it',
      );
    }
    await expectPinKept(1, pins[0]!);
    await expectPinKept(2, pins[1]!);
    await store.show(TRUE_LOG, 'gateway', 'party_1', 'party_2');
    await nodes.startAll();
    await expectUnfrozen();
  });
});
