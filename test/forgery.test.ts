import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AlarmView } from '@countersign/api/alarm-schema.js';
import { createEvidenceKeys, readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { waitingJobsKey } from '@countersign/runtime/jobs/job-backend.js';
import { signQueueName } from '@countersign/runtime/jobs/names.js';
import { presenceEntry, startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { sealSignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { sealReply, type SignedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { findReplicas, openHostileGateway, openRedisAttacker } from './support/attacker.ts';
import type { HostileGateway, RedisAttacker } from './support/attacker.ts';
import {
  checkShots,
  query,
  shootMany,
  startLoad,
  statusesOf,
  stopLoads,
} from './support/signing-load.ts';
import {
  deliver,
  rawSignRequest,
  signedRequest,
  type SignedRequest,
} from './support/signed-request.ts';
import { eventually, expectOk, openTestVault, PATIENT } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
let foreign: TestWallet;
let attacker: RedisAttacker;
let gateway: HostileGateway;
let replicas: [Replica, Replica, Replica];

beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  foreign = await vault.createWallet();
  attacker = openRedisAttacker(vault.servers.redis.url);
  gateway = await openHostileGateway(vault);
  replicas = await findReplicas(attacker.redis);
}, 60_000);

jest.setTimeout(120_000);
afterEach(stopLoads);

afterAll(async () => {
  await attacker?.close();
  await gateway?.close();
  await vault?.close();
}, 60_000);

const rawSign = (options?: { now?: number }) =>
  rawSignRequest(bot.credential, wallet.path, randomBytes(32), options);

async function listAlarms(query: string): Promise<readonly AlarmView[]> {
  const path = `/v1/alarms?${query}`;
  return (await expectOk<{ results: AlarmView[] }>(vault.admin, 'GET', path)).results;
}

async function countSigned(requestId?: string): Promise<number> {
  const [row] = await query<{ count: string }>(
    vault.servers.ownerUrl,
    `SELECT count(*) FROM request_result
     WHERE outcome = 'signed' AND ($1::uuid IS NULL OR request_id = $1)`,
    [requestId ?? null],
  );
  return Number(row!.count);
}

/** The service works, with every pair of parties, and no party died. */
async function expectService(): Promise<void> {
  const shots = await shootMany(vault.baseUrl, bot, wallet, 12);
  expect(statusesOf(shots)).toEqual([200]);
  const signatures = await checkShots(vault.servers.ownerUrl, bot.client, wallet, shots);
  expect(signatures).toBe(12);
  for (const signer of vault.stack.signers) expect(signer.hasExited).toBe(false);
  expect(vault.stack.gateway.hasExited).toBe(false);
}

/** Runs the attack and expects not one signature more than the service's own. */
async function expectNoSignature(attack: () => Promise<unknown>): Promise<void> {
  const before = await countSigned();
  await attack();
  await expectService();
  expect(await countSigned()).toBe(before + 12);
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = copy[at]! ^ 0x01;
  return copy;
}

function batchOf(request: SignedRequest) {
  return {
    version: 1,
    batchId: randomBytes(16).toString('hex'),
    gatewayId: 'gateway-0000000000000000',
    lead: replicas[0],
    partner: replicas[1],
    ledgerSeq: 1,
    ledgerHash: '00'.repeat(32),
    items: [
      {
        submission: randomBytes(16).toString('hex'),
        receivedAt: Date.now(),
        nonce: 0n,
        evidence: request.evidence,
      },
    ],
  };
}

describe('whoever holds Redis', () => {
  it('gets nothing from jobs that no gateway sealed', async () => {
    const realKeys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
    const genuine = sealSignBatch(batchOf(rawSign()), realKeys);
    const otherKeys = createEvidenceKeys([randomBytes(32)]);
    const sealedElsewhere = sealSignBatch(batchOf(rawSign()), otherKeys);
    const claimingOurKey = Buffer.concat([genuine.subarray(0, 8), sealedElsewhere.subarray(8)]);
    const binaries = [
      Buffer.alloc(0),
      randomBytes(7),
      randomBytes(400),
      sealedElsewhere,
      claimingOurKey,
      ...[0, 7, 8, 19, 20, 200, genuine.length - 17, genuine.length - 1].map((at) =>
        flipped(genuine, at),
      ),
      ...[8, 20, 36, genuine.length - 1].map((length) => genuine.subarray(0, length)),
      Buffer.concat([genuine, Buffer.from([0])]),
    ];
    const odd = [
      '7',
      'null',
      '["x"]',
      '{"unfinished":',
      'not base64 !!',
      'text \ufffd \ud83d\ude00',
      'A'.repeat(1_000_000),
      JSON.stringify({ ['__proto__']: genuine.toString('base64') }),
    ];
    await expectNoSignature(async () => {
      for (const replica of replicas) {
        for (const bytes of binaries) {
          await attacker.addJob(replica, bytes.toString('base64'));
        }
        for (const job of odd) await attacker.addJob(replica, job);
      }
    });
    for (const signer of vault.stack.signers) {
      await eventually(() => signer.output().includes('forged_job'));
    }
  });

  it('is told on by each party in words of its own, in a few rows however much was forged', async () => {
    for (const party of [1, 2, 3]) {
      const told = await eventually(async () => {
        const page = await listAlarms(`kind=forged_job&accuser=party_${party}&limit=100`);
        return page.length > 0 ? page : undefined;
      });
      expect(told.length).toBeLessThanOrEqual(10);
      for (const alarm of told) {
        expect(alarm).toMatchObject({ party: null, is_verified: true, request_id: null });
      }
      expect(told.some(({ evidence }) => evidence !== null)).toBe(true);
    }
  });

  it('gets no second result from a captured job, in its own queue or another', async () => {
    const [first, second, third] = replicas;
    const { request, job } = await captureJob();
    expect(await countSigned(request.requestId)).toBe(1);
    await expectNoSignature(async () => {
      for (const replica of [first, second, third, first, second]) {
        await attacker.addJob(replica, job);
      }
    });
    expect(await countSigned(request.requestId)).toBe(1);
    const signed = await query(
      vault.servers.ownerUrl,
      `SELECT FROM party_1.sign_record WHERE request_id = $1 AND outcome = 'signed'
       UNION ALL SELECT FROM party_2.sign_record WHERE request_id = $1 AND outcome = 'signed'
       UNION ALL SELECT FROM party_3.sign_record WHERE request_id = $1 AND outcome = 'signed'`,
      [request.requestId],
    );
    expect(signed).toHaveLength(1);
  });

  /** A real job, read from Redis while its party stands still; the request is then signed. */
  async function captureJob(): Promise<{ request: SignedRequest; job: string }> {
    const party = vault.stack.signers[0]!;
    const key = waitingJobsKey(signQueueName(replicas[0]));
    for (let attempt = 0; attempt < 30; attempt++) {
      const request = rawSign();
      party.kill('SIGSTOP');
      await attacker.addJob(replicas[0], 'what it waited for when it was stopped');
      const answer = deliver(vault.baseUrl, request, PATIENT);
      const job = await eventually(
        async () => (await attacker.redis.zrange(key, 0, 0))[0],
        1_000,
      ).catch(() => undefined);
      party.kill('SIGCONT');
      expect((await answer).status).toBe(200);
      if (job !== undefined) return { request, job };
    }
    throw new Error('no job was seen');
  }

  it('is ignored on the reply channel: garbage, altered, repeated, for another gateway', async () => {
    const replies = await attacker.tap('countersign:reply:*');
    const load = startLoad(() => vault.baseUrl, bot, wallet, { callers: 8, waitS: 30 });
    await load.untilSigned(10);
    const channel = replies[0]!.channel;
    const gatewayId = channel.slice('countersign:reply:'.length);
    const forged = sealReply(
      {
        version: 1,
        batchId: randomBytes(16).toString('hex'),
        outcomes: [
          {
            index: 0,
            outcome: { outcome: 'retry', reason: 'x', nonce: 0n, isPartnerAtFault: false },
          },
        ],
        retrySignature: randomBytes(64),
      },
      gatewayId,
      createEvidenceKeys([randomBytes(32)]),
    );
    for (const { message } of replies.slice(0, 20)) {
      await attacker.redis.publish(channel, message);
      await attacker.redis.publish(channel, flipped(message, message.length - 20));
      await attacker.redis.publish(channel, message.subarray(0, -1));
      await attacker.redis.publish('countersign:reply:gateway-0', message);
    }
    for (const garbage of [Buffer.alloc(0), randomBytes(500), forged]) {
      await attacker.redis.publish(channel, garbage);
    }
    await load.untilSigned(10);
    const shots = await load.stop();
    await checkShots(vault.servers.ownerUrl, bot.client, wallet, shots);
    expect(statusesOf(shots)).toEqual([200]);
    await eventually(() => vault.stack.gateway.output().includes('reply_refused'));
    await expectService();
  });

  it('is ignored between the parties: garbage, altered, repeated, redirected envelopes', async () => {
    const envelopes = await attacker.tap('countersign:party:*');
    const load = startLoad(() => vault.baseUrl, bot, wallet, { callers: 8 });
    await load.untilSigned(20);
    const channels = await eventually(() => {
      const heard = [...new Set(envelopes.map(({ channel }) => channel))];
      return heard.length === 3 && heard;
    });
    for (const { channel, message } of envelopes.slice(0, 60)) {
      await attacker.redis.publish(channel, message);
      await attacker.redis.publish(channel, flipped(message, message.length - 1));
      await attacker.redis.publish(channel, flipped(message, 10));
      for (const other of channels) await attacker.redis.publish(other, message);
    }
    for (const channel of channels) {
      await attacker.redis.publish(channel, Buffer.alloc(0));
      await attacker.redis.publish(channel, randomBytes(500));
    }
    await load.untilSigned(20);
    const shots = await load.stop();
    await checkShots(vault.servers.ownerUrl, bot.client, wallet, shots);
    for (const status of statusesOf(shots)) expect([200, 202]).toContain(status);
    for (const signer of vault.stack.signers) {
      await eventually(() => signer.output().includes('party_message_refused'));
    }
    await expectService();
  });

  it('cannot name a party that is not there', async () => {
    const [first, second] = replicas;
    const forged: [string, string][] = [
      presenceEntry(startReplica(1, 'ghost'), Date.now() + 3_600_000, true),
      presenceEntry({ ...first, party: 4 as 1 }, Date.now(), false),
      presenceEntry({ ...second, name: '' }, Date.now(), false),
      ['2:b', `${Date.now()}`],
      ['nonsense', 'x'],
    ];
    await attacker.redis.hset('countersign:presence', Object.fromEntries(forged));
    await eventually(async () => {
      const shots = await shootMany(vault.baseUrl, bot, wallet, 4);
      return statusesOf(shots).join() === '200';
    }, 20_000);
    await attacker.redis.hdel('countersign:presence', ...forged.map(([field]) => field));
    await expectService();
  });
});

describe('a hostile gateway, with the evidence key', () => {
  it('is served what a caller really asked for, once', async () => {
    const { evidence, requestId } = rawSign();
    const submission = randomBytes(16).toString('hex');
    const [signed] = await gateway.ask([{ evidence, submission }]);
    expect(signed).toMatchObject({ outcome: 'signed' });
    const [again] = await gateway.ask([{ evidence, submission }]);
    expect(again).toMatchObject({
      outcome: 'signed',
      signature: (signed as SignedOutcome).signature,
    });
    const pair = { lead: replicas[2], partner: replicas[0] };
    // in a new guise it is what there is already, and says so: an honest gateway refuses it to its caller
    const [inNewGuise] = await gateway.ask([{ evidence }], pair);
    expect(inNewGuise).toEqual(signed);
    expect(inNewGuise).toMatchObject({ submission });
    expect(await countSigned(requestId)).toBe(1);
  });

  it('gets one signature for a request that it puts into a batch many times', async () => {
    const { evidence, requestId } = rawSign();
    const outcomes = await gateway.ask(Array.from({ length: 20 }, () => ({ evidence })));
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    expect(outcomes[0]).toMatchObject({ outcome: 'signed' });
    expect(await countSigned(requestId)).toBe(1);
  });

  it('gets nothing for what no caller signed, or not in time, or may not have', async () => {
    const stranger = await vault.createMachine();
    const frozen = await vault.createMachine();
    const policy = `/v1/signing-policies/${wallet.policyId}`;
    const { version, rules } = await expectOk<{
      version: number;
      rules: { when: { initiators: { user_ids: string[] } } }[];
    }>(vault.admin, 'GET', policy);
    expect(version).toBeGreaterThan(0);
    expect(rules[0]!.when.initiators.user_ids).toEqual([bot.id]);
    const ofFrozen = await vault.createWallet({ initiators: [frozen.id] });
    await expectOk(vault.admin, 'POST', `/v1/users/freeze?user_ids=${frozen.id}`);

    const toForeign = `${foreign.path}/raw-sign`;
    const message = randomBytes(32);
    const body = { message: message.toString('base64') };
    const casesOf = ({ evidence }: SignedRequest, now: number) => ({
      'another wallet in the path': { evidence: { ...evidence, path: toForeign } },
      'another wallet, really asked for': {
        evidence: rawSignRequest(bot.credential, foreign.path, message).evidence,
      },
      'another message in the body': {
        evidence: { ...evidence, body: Buffer.from(JSON.stringify(body)) },
      },
      'another query': { evidence: { ...evidence, query: 'a=b' } },
      'another nonce': { evidence: { ...evidence, nonce: randomBytes(8) } },
      'another timestamp': { evidence: { ...evidence, timestampMs: now + 1 } },
      'a wrong assertion': {
        evidence: { ...evidence, assertion: flipped(Buffer.from(evidence.assertion), 5) },
      },
      'a short assertion': { evidence: { ...evidence, assertion: Buffer.alloc(63) } },
      'no assertion': { evidence: { ...evidence, assertion: Buffer.alloc(0) } },
      "another user's credential": {
        evidence: { ...evidence, credential: vault.adminCredential.apiKey },
      },
      'an unknown credential': {
        evidence: { ...evidence, credential: '00000000-0000-4000-8000-000000000000' },
      },
      'a stale timestamp': { evidence: rawSign({ now: now - 301_000 }).evidence },
      'a timestamp too far ahead': { evidence: rawSign({ now: now + 310_000 }).evidence },
      'an arrival before its time to live': {
        evidence: rawSign({ now: now - 40_000 }).evidence,
        receivedAt: now - 31_000,
      },
      'an arrival far from the timestamp': {
        evidence: rawSign({ now: now - 200_000 }).evidence,
        receivedAt: now + 200_000,
      },
      'a frozen user': {
        evidence: rawSignRequest(frozen.credential, ofFrozen.path, message).evidence,
      },
      'a user whom no policy allows': {
        evidence: rawSignRequest(stranger.credential, wallet.path, message).evidence,
      },
      "the wallet's key by itself": {
        evidence: signedRequest(bot.credential, 'POST', `/v1/keys/${wallet.keyId}/raw-sign`, {
          message: message.toString('hex'),
          message_encoding: 'hex',
        }).evidence,
      },
      'an operation of the ledger': {
        evidence: signedRequest(vault.adminCredential, 'POST', '/v1/vaults', {
          display_name: 'by the back door',
        }).evidence,
      },
      'a path that is none': { evidence: { ...evidence, path: '/v1/../etc' } },
    });
    const makeCases = () => casesOf(rawSign(), Date.now());
    const names = Object.keys(makeCases());
    await expectNoSignature(async () => {
      const outcomes = await gateway.ask(() => Object.values(makeCases()));
      expect(outcomes).toHaveLength(names.length);
      const signed = names.filter((_name, index) => outcomes[index]?.outcome === 'signed');
      expect(signed).toEqual([]);
    });
  });

  it('gets nothing from one party in both roles, or from replicas that do not exist', async () => {
    const [first, second] = replicas;
    const ghost = startReplica(1, 'ghost');
    await expectNoSignature(async () => {
      const answers = await Promise.all([
        gateway.submit([{ evidence: rawSign().evidence }], { lead: first, partner: first }),
        gateway.submit([{ evidence: rawSign().evidence }], { lead: first, partner: ghost }),
        gateway.submit([{ evidence: rawSign().evidence }], { lead: ghost, partner: second }),
        gateway.submit([]),
      ]);
      expect(answers.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    });
  });

  it('does not stop the service with a batch of monstrous size', async () => {
    const { evidence } = rawSign();
    await expectNoSignature(() =>
      gateway.submit(
        Array.from({ length: 5_000 }, () => ({
          evidence: { ...evidence, assertion: Buffer.alloc(64) },
        })),
      ),
    );
  });
});
