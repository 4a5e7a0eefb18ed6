/** One party lies about results: in replies, and in rows under its own role. Callers get what two others signed. */
import { randomBytes, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { decodeOutcome, encodeOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { readGenesis } from './support/genesis.ts';
import { INSERT_ROW, openResultForger, type ResultForger } from './support/result-forger.ts';
import { checkShots, query, shootMany, statusesOf } from './support/signing-load.ts';
import { deliver, rawSignRequest, type SignedRequest } from './support/signed-request.ts';
import { eventually, expectOk, openTestVault, PATIENT } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';

const TRIES = 20;
/** Callers at a time, and lies to them: who answers nothing true is tried with single requests, and more and more seldom. */
const AT_ONCE = 20;
const LIES = 3;

interface RequestRecord {
  status: string;
  result?: { signature: string };
}

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
let liar: ResultForger;
let evidenceKeys: EvidenceKeys;

beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  const { genesisHash } = await readGenesis(vault);
  evidenceKeys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  // truths for the liar to pass off as others'
  await shootMany(vault.baseUrl, bot, wallet, 6);
  await vault.stack.signers[2]!.stop();
  liar = await openResultForger(vault, { wallet, genesisHash, enough: LIES });
}, 90_000);

jest.setTimeout(120_000);

afterAll(async () => {
  await liar?.close();
  await vault?.close();
}, 60_000);

interface Asked {
  readonly request: SignedRequest;
  readonly message: Buffer;
}

function ask(): Asked {
  const message = randomBytes(32);
  return { request: rawSignRequest(bot.credential, wallet.path, message), message };
}

const askMany = () => Array.from({ length: TRIES }, ask);

function isSigned({ message }: Asked, signature: string | undefined): boolean {
  const key = { key: openSslKeyOf(wallet.publicKey), format: 'der', type: 'spki' } as const;
  return verify(null, message, key, Buffer.from(signature ?? '', 'base64'));
}

/** SubjectPublicKeyInfo of an Ed25519 key (RFC 8410, section 4). */
function openSslKeyOf(publicKey: string): Buffer {
  return Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(publicKey, 'base64'),
  ]);
}

const recordOf = ({ request }: Asked) =>
  expectOk<RequestRecord>(bot.client, 'GET', `/v1/requests/${request.requestId}`);

async function expectCompleted(asked: Asked): Promise<void> {
  const record = await eventually(async () => {
    const found = await recordOf(asked);
    return found.status === 'processing' ? undefined : found;
  }, 30_000);
  expect(record.status).toBe('completed');
  expect(isSigned(asked, record.result?.signature)).toBe(true);
}

const alarms = (kind: string) =>
  vault.stack.gateway
    .output()
    .split('\n')
    .filter((line) => line.includes(`"event":"${kind}"`));

describe('replies of one party with the evidence key', () => {
  it('reach no caller, and the true answer comes', async () => {
    for (let signed = 0; liar.liedAbout.size < LIES; signed += AT_ONCE) {
      expect(signed).toBeLessThan(AT_ONCE * 100);
      const shots = await shootMany(vault.baseUrl, bot, wallet, AT_ONCE);
      // a lie costs the batch its time: on a slow machine more of them than a caller waits for
      for (const status of statusesOf(shots)) expect([200, 202]).toContain(status);
      expect(await checkShots(vault.servers.ownerUrl, bot.client, wallet, shots)).toBe(AT_ONCE);
    }
    expect(alarms('forged_result').length).toBeGreaterThan(0);
  });
});

describe('rows of one party', () => {
  /** A lie of each kind in turn; the rest is of random bytes. */
  function forgedRow({ request }: Asked, index: number): [Buffer, Buffer] {
    const lies = liar.lies(request.requestId, randomBytes(16).toString('hex'));
    const lie = lies[index % (lies.length + 1)];
    const evidence = sealEvidence(request.evidence, evidenceKeys);
    return lie === undefined ? [randomBytes(300), evidence] : [encodeOutcome(lie), evidence];
  }

  it('that were there first change no answer, and hold nobody up', async () => {
    const all = askMany();
    for (const [index, asked] of all.entries()) {
      await liar.writeRow(asked.request.requestId, ...forgedRow(asked, index));
    }
    const answers = await Promise.all(
      all.map(({ request }) => deliver(vault.baseUrl, request, PATIENT)),
    );
    for (const [index, { status, body }] of answers.entries()) {
      expect(status).toBe(200);
      expect(isSigned(all[index]!, (body as { signature: string }).signature)).toBe(true);
      await expectCompleted(all[index]!);
    }
  });

  it('that come later change no answer', async () => {
    const all = askMany();
    await Promise.all(all.map(({ request }) => deliver(vault.baseUrl, request, PATIENT)));
    for (const [index, asked] of all.entries()) {
      await liar.writeRow(asked.request.requestId, ...forgedRow(asked, index));
      await expectCompleted(asked);
    }
  });

  it('that cannot be read leave no request at 202', async () => {
    const all = askMany();
    for (const { request } of all) await liar.writeRow(request.requestId, randomBytes(100));
    for (const { request } of all) {
      const { status } = await deliver(vault.baseUrl, request, { prefer: 'respond-async' });
      expect(status).toBe(202);
    }
    for (const asked of all) await expectCompleted(asked);
    const told = alarms('unreadable_row').map((line) => JSON.parse(line) as { party: number });
    // the others of the minute are a number in the alarm's row
    expect(told.length).toBeGreaterThan(0);
    for (const { party } of told) expect(party).toBe(3);
  });

  it('hide no request that its gateway left unfinished', async () => {
    const asked = ask();
    const { requestId, evidence } = asked.request;
    await liar.writeRow(requestId, randomBytes(100));
    await query(
      vault.servers.roleUrls.gateway,
      `INSERT INTO signing_request
         (request_id, submission, operation, created_by, created_at, expires_at, evidence)
       VALUES ($1, $2, 'raw-sign', $3, now() - interval '7 s', now() + interval '23 s', $4)`,
      [requestId, randomBytes(16), bot.id, sealEvidence(evidence, evidenceKeys)],
    );
    await expectCompleted(asked);
  });

  it('are its own alone: the database takes none in the name of another', async () => {
    const values = (lead: number) => [
      ask().request.requestId,
      lead,
      Buffer.alloc(1),
      Buffer.alloc(1),
    ];
    for (const lead of [1, 2, 4]) {
      await expect(query(vault.servers.roleUrls.party_3, INSERT_ROW, values(lead))).rejects.toThrow(
        /row-level security/,
      );
    }
    await expect(query(vault.servers.roleUrls.gateway, INSERT_ROW, values(3))).rejects.toThrow(
      /permission denied/,
    );
    await query(vault.servers.roleUrls.party_3, INSERT_ROW, values(3));
  });

  it('are read by gateways and auditors, whosever they are, and are bounded', async () => {
    for (const role of ['gateway', 'auditor', 'party_3'] as const) {
      const [row] = await query<{ leads: number[]; payload: Buffer }>(
        vault.servers.roleUrls[role],
        `SELECT array_agg(DISTINCT lead ORDER BY lead) AS leads,
           (array_agg(payload ORDER BY completed_at))[1] AS payload FROM request_result`,
      );
      expect(row!.leads).toEqual(expect.arrayContaining([1, 2, 3]));
      expect(decodeOutcome(row!.payload).outcome).toBe('signed');
    }
    const { requestId } = ask().request;
    await expect(liar.writeRow(requestId, randomBytes(16_385))).rejects.toThrow(/check constraint/);
  });
});
