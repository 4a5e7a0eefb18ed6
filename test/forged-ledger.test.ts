import { randomBytes, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { entryHash } from '@countersign/core/entry-hash.js';
import { ceremonyHashOf, keyAttestationMessage } from '@countersign/core/attestation.js';
import { createEvidenceKeys, readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import {
  decodeEntryBody,
  type EntryRow,
  type StatementOf,
} from '@countersign/vault/ledger/entry.js';
import {
  encodeAttestation,
  encodeEvidenceEntry,
  encodeEvidenceKey,
  encodeGenesis,
} from '@countersign/vault/ledger/write-entry.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import { startGateway, startSigner, waitHealthy } from '../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../infra/dev/dist/stack/vault-process.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { openHostileGateway, type HostileGateway } from './support/attacker.ts';
import { drill } from './support/drills.ts';
import { importRecipients } from './support/desk-import.ts';
import { finalRecord, query, shoot, shootMany, statusesOf } from './support/signing-load.ts';
import { rawSignRequest, signedRequest } from './support/signed-request.ts';
import { eventually, expectOk, newMachineKey, openTestVault } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';

jest.setTimeout(180_000);

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
let keys: EvidenceKeys;
let hostile: HostileGateway;
const started: VaultProcess[] = [];

beforeAll(async () => {
  vault = await openTestVault();
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  keys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  hostile = await openHostileGateway(vault);
  // what the parties say of themselves when they have started: nothing is in the ledger after it but the tests' own
  await importRecipients(vault);
}, 90_000);

afterAll(async () => {
  await hostile?.close();
  for (const process of started) await process.stop();
  await vault?.close();
}, 60_000);

const asOwner = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) =>
  query<Row>(vault.servers.ownerUrl, text, values);
const asGateway = (text: string, values?: unknown[]) =>
  query<Record<string, unknown>>(vault.servers.roleUrls.gateway, text, values);

interface LedgerRow extends Record<string, unknown> {
  seq: string;
  prev_hash: Buffer;
  hash: Buffer;
  body: Buffer;
}

async function readLedger(): Promise<EntryRow[]> {
  const rows = await asOwner<LedgerRow>('SELECT * FROM ledger_entry ORDER BY seq');
  return rows.map((row) => ({
    seq: Number(row.seq),
    prevHash: row.prev_hash,
    hash: row.hash,
    body: row.body,
  }));
}

/** Appends as a hostile gateway may, and says what an honest fold makes of each once two parties have judged them. */
async function insert(bodies: readonly Buffer[]): Promise<EntryOutcome[]> {
  await asGateway('SELECT countersign_append($1)', [bodies]);
  return eventually(async () => {
    const rows = await readLedger();
    const outcomes = new Map(
      createFold({ keys })
        .advance(rows)
        .map((outcome) => [outcome.seq, outcome]),
    );
    const judged = bodies.flatMap((body) => {
      const { seq } = rows.findLast((row) => body.equals(row.body))!;
      return outcomes.get(seq) ?? [];
    });
    return judged.length === bodies.length && judged;
  });
}

/** The newest entry that is somebody's request: what follows it are statements of the parties. */
async function lastChange(): Promise<EntryRow> {
  const rows = await readLedger();
  return rows.findLast(({ body }) => decodeEntryBody(body).content.kind === 'evidence')!;
}

/** Everything of governance that the gateway serves. */
async function governance(): Promise<unknown[]> {
  const targets = ['users', 'vaults', 'admin-policies', 'signing-policies', 'keys', 'user-groups'];
  return Promise.all(
    targets.map((name) => expectOk<unknown>(vault.admin, 'GET', `/v1/${name}?limit=100`)),
  );
}

async function expectService(): Promise<void> {
  expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 9))).toEqual([200]);
}

/** Each entry is refused by every fold: nothing that anyone serves or signs changes. */
async function expectRefused(...bodies: readonly Buffer[]): Promise<EntryOutcome> {
  const before = await governance();
  const outcomes = await insert(bodies);
  for (const { refusal } of outcomes) expect(refusal).toBeDefined();
  const last = outcomes.at(-1)!;
  await eventually(async () => {
    const info = await expectOk<{ ledger_head: { seq: number } }>(vault.admin, 'GET', '/v1/info');
    return info.ledger_head.seq >= last.seq;
  });
  expect(await governance()).toEqual(before);
  await expectService();
  return last;
}

const newUser = (publicKey: string) => ({
  type: 'machine',
  display_name: 'invented',
  public_key: publicKey,
});

describe('entries that a hostile gateway invents', () => {
  it('goes on after a good request that was sealed under a key which nobody else holds', async () => {
    const request = signedRequest(vault.adminCredential, 'POST', '/v1/vaults', {
      display_name: 'sealed away',
    });
    const ownKeys = createEvidenceKeys([randomBytes(32)]);
    const body = encodeEvidenceEntry(Date.now(), request.evidence, ownKeys);
    const outcome = await expectRefused(body);
    expect(outcome.refusal?.message).toContain('not declared');
    const claim = { party: 1, evidenceKeyId: ownKeys.ids[0], signature: randomBytes(64) } as const;
    await expectRefused(encodeEvidenceKey(Date.now(), claim));
  });

  it('makes nothing of a second genesis', async () => {
    const own = newMachineKey();
    const apiKey = randomUUID();
    const parties = ([1, 2, 3] as const).map((party) => ({
      party,
      identity_public_key: randomBytes(32).toString('base64'),
      exchange_public_key: randomBytes(32).toString('base64'),
    }));
    await expectRefused(
      encodeGenesis(Date.now(), {
        vault_id: randomUUID(),
        rules_version: 1,
        parties,
        evidence_key_ids: [randomBytes(8).toString('hex')],
        users: [
          {
            id: bot.id,
            display_name: 'invented',
            public_key: Buffer.from(own.publicKey, 'base64url').toString('base64'),
            api_key_sha256: apiKeySha256(apiKey),
          },
        ],
        admin_policies: [
          {
            id: randomUUID(),
            display_name: 'invented',
            action: 'manage_users',
            user_ids: [bot.id],
          },
        ],
      }),
    );
    const credential = { apiKey, privateKey: own.privateKey };
    const [outcome] = await hostile.ask([
      { evidence: rawSignRequest(credential, wallet.path, randomBytes(32)).evidence },
    ]);
    expect(outcome!.outcome).toBe('denied');
  });

  it('makes nothing of evidence with a wrong assertion', async () => {
    const { publicKey } = newMachineKey();
    const { evidence } = signedRequest(
      vault.adminCredential,
      'POST',
      '/v1/users',
      newUser(publicKey),
    );
    const assertion = Buffer.from(evidence.assertion);
    assertion[3] = assertion[3]! ^ 1;
    await expectRefused(encodeEvidenceEntry(Date.now(), { ...evidence, assertion }, keys));
  });

  it('makes nothing of evidence that another user signed', async () => {
    const { publicKey } = newMachineKey();
    const forger = { apiKey: vault.adminCredential.apiKey, privateKey: bot.credential.privateKey };
    const { evidence } = signedRequest(forger, 'POST', '/v1/users', newUser(publicKey));
    await expectRefused(encodeEvidenceEntry(Date.now(), evidence, keys));
  });

  it('makes nothing of evidence whose author has no right', async () => {
    const { publicKey } = newMachineKey();
    const { evidence } = signedRequest(bot.credential, 'POST', '/v1/users', newUser(publicKey));
    const outcome = await expectRefused(encodeEvidenceEntry(Date.now(), evidence, keys));
    expect(outcome.refusal).toMatchObject({ refused: 'forbidden' });
  });

  it('makes nothing of stale evidence, or of evidence dated to fit', async () => {
    const { publicKey } = newMachineKey();
    const now = Date.now();
    const { evidence } = signedRequest(
      vault.adminCredential,
      'POST',
      '/v1/users',
      newUser(publicKey),
      { now: now - 400_000 },
    );
    await expectRefused(
      encodeEvidenceEntry(now, evidence, keys),
      encodeEvidenceEntry(now - 400_000, evidence, keys),
    );
  });

  it('makes nothing of an entry that is repeated, with or without a new date', async () => {
    const made = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/user-groups', {
      display_name: 'to be deleted',
    });
    const creation = Buffer.from((await lastChange()).body);
    const gone = await vault.admin.send({ method: 'DELETE', target: `/v1/user-groups/${made.id}` });
    expect(gone.status).toBe(200);
    const redated = Buffer.from(creation);
    redated.writeBigUInt64LE(BigInt(Date.now()), 1);
    await expectRefused(creation, redated);
  });

  it('makes nothing of bytes that are no entry', async () => {
    await expectRefused(Buffer.from([9]), randomBytes(300), Buffer.alloc(100_000, 1));
  });
});

describe('attestations that a hostile gateway invents', () => {
  it('does not make a key active, and the parties still make it', async () => {
    const third = vault.stack.signers[2]!;
    await third.stop();
    const asked = await vault.admin.send({
      method: 'POST',
      target: '/v1/keys',
      body: { type: 'ed25519', display_name: 'contested' },
      headers: { prefer: 'respond-async' },
    });
    expect(asked.status).toBe(202);
    const { request_id: requestId } = asked.body as { request_id: string };
    const { state } = await eventually(async () => {
      const { view } = foldAll(await readLedger());
      return view.state.keys.indexes.pending.size > 0 ? view : undefined;
    });
    const [keyId] = [...state.keys.indexes.pending];
    const genuine = await genuineAttestations();
    expect(genuine).toHaveLength(3);
    const publicKey = randomBytes(32);
    const forged = genuine.flatMap((attestation) =>
      forgeries(attestation, keyId!, publicKey, state.genesisHash),
    );
    await expectRefused(...forged.map((one) => encodeAttestation(Date.now(), one)));
    started.push(await startSigner(vault.options, 3));
    const record = await finalRecord(vault.admin, requestId);
    expect(record).toMatchObject({ status: 'completed' });
    const key = record.result as unknown as { public_key: { raw: string } };
    expect(key.public_key.raw).not.toBe(publicKey.toString('base64'));
  });

  /** Those that made the wallet's key active. */
  async function genuineAttestations(): Promise<StatementOf<'attestation'>[]> {
    const rows = await readLedger();
    const outcomes = createFold({ keys }).advance(rows);
    return rows.flatMap(({ body }, index) => {
      const { kind, refusal } = outcomes[index]!;
      if (kind !== 'attestation' || refusal !== undefined) return [];
      const { content } = decodeEntryBody(body);
      return content.kind === 'attestation' ? [content.statement] : [];
    });
  }

  function forgeries(
    attestation: StatementOf<'attestation'>,
    keyId: string,
    publicKey: Buffer,
    genesisHash: string,
  ): StatementOf<'attestation'>[] {
    const { privateKey } = newMachineKey();
    const message = keyAttestationMessage(
      {
        vaultId: '',
        keyId,
        keyType: 'ed25519',
        publicKey,
        address: '',
        ceremonyHash: ceremonyHashOf(attestation.session, attestation.transcriptHash),
      },
      genesisHash,
    );
    return [
      { ...attestation, keyId, publicKey },
      { ...attestation, keyId },
      { ...attestation, keyId, publicKey, signature: sign(null, message, privateKey) },
      { ...attestation, session: 'another' },
    ];
  }
});

describe('what the roles of the database may do', () => {
  const denied = /permission denied|append-only/;
  const cases: [role: 'gateway' | 'party_1' | 'auditor', statement: string][] = [
    ['gateway', "UPDATE ledger_entry SET body = 'x'"],
    ['gateway', 'DELETE FROM ledger_entry'],
    ['gateway', 'TRUNCATE ledger_entry'],
    ['gateway', "INSERT INTO ledger_entry (body) VALUES ('x')"],
    ['gateway', "INSERT INTO ledger_entry (seq, body) VALUES (999, 'x')"],
    ['gateway', "INSERT INTO ledger_entry (prev_hash, body) VALUES ('x', 'x')"],
    ['gateway', "INSERT INTO ledger_entry (hash, body) VALUES ('x', 'x')"],
    ['gateway', "INSERT INTO ledger_entry (inserted_at, body) VALUES (now(), 'x')"],
    ['gateway', 'ALTER TABLE ledger_entry DISABLE TRIGGER ALL'],
    ['gateway', 'SELECT FROM party_1.key_share'],
    ['gateway', 'SELECT FROM party_2.key_share'],
    ['gateway', 'SELECT FROM party_3.key_share'],
    ['gateway', 'INSERT INTO request_result SELECT * FROM request_result'],
    ['gateway', "UPDATE request_result SET payload = 'x'"],
    ['gateway', 'DELETE FROM signing_request'],
    ['gateway', 'INSERT INTO party_1.sign_record SELECT * FROM party_1.sign_record'],
    ['party_1', 'SELECT FROM party_2.key_share'],
    ['party_1', 'SELECT FROM party_3.sign_record'],
    ['party_1', "INSERT INTO ledger_entry (body) VALUES ('x')"],
    ['party_1', "UPDATE ledger_entry SET body = 'x'"],
    ['party_1', 'DELETE FROM party_1.sign_record'],
    ['party_1', "UPDATE party_1.sign_record SET reason = 'x'"],
    ['party_1', "UPDATE party_1.key_share SET sealed = 'x'"],
    ['party_1', "UPDATE request_result SET payload = 'x'"],
    ['party_1', 'DELETE FROM request_result'],
    ['auditor', "INSERT INTO ledger_entry (body) VALUES ('x')"],
    ['auditor', "SELECT countersign_append(ARRAY['x'::bytea])"],
    ['auditor', 'DELETE FROM request_result'],
    ['auditor', 'INSERT INTO request_result SELECT * FROM request_result'],
    ['auditor', "UPDATE party_1.sign_record SET reason = 'x'"],
    ['auditor', 'SELECT FROM party_1.key_share'],
    ['auditor', 'CREATE TABLE own (id int)'],
  ];

  it.each(cases)('denies %s: %s', async (role, statement) => {
    await expect(query(vault.servers.roleUrls[role], statement)).rejects.toThrow(
      statement.startsWith('ALTER') ? /must be owner/ : denied,
    );
  });

  it('refuses changes of the ledger and the records even to the owner', async () => {
    for (const table of ['ledger_entry', 'request_result', 'party_1.sign_record']) {
      await expect(asOwner(`DELETE FROM ${table}`)).rejects.toThrow(/append-only/);
      await expect(asOwner(`TRUNCATE ${table}`)).rejects.toThrow(/append-only/);
    }
  });
});

describe('key shares that were changed in the database', () => {
  it.each([
    ['swapped with those of another key', 'swap'],
    ['altered by one bit', 'bit'],
    ['with a wrapped key altered by one bit', 'dek'],
  ] as const)(
    'are refused by their party when %s, and the other two sign',
    async (_title, kind) => {
      const [one, other] = [
        await vault.createWallet({ initiators: [bot.id] }),
        await vault.createWallet({ initiators: [bot.id] }),
      ];
      if (kind === 'swap') {
        await asOwner(
          `UPDATE party_1.key_share AS mine SET sealed = theirs.sealed,
             wrapped_dek = theirs.wrapped_dek
           FROM party_1.key_share AS theirs
           WHERE (mine.key_id, theirs.key_id) IN (($1, $2), ($2, $1))`,
          [one.keyId, other.keyId],
        );
      } else {
        const column = kind === 'bit' ? 'sealed' : 'wrapped_dek';
        await asOwner(
          `UPDATE party_1.key_share SET ${column} =
             set_byte(${column}, 20, get_byte(${column}, 20) # 1) WHERE key_id IN ($1, $2)`,
          [one.keyId, other.keyId],
        );
      }
      for (const target of [one, other]) {
        const shots = await shootMany(vault.baseUrl, bot, target, 6);
        expect(statusesOf(shots)).toEqual([200]);
        for (const { text } of shots) {
          const { receipt } = JSON.parse(text) as { receipt: { parties: number[] } };
          expect(new Set(receipt.parties)).toEqual(new Set([2, 3]));
        }
        const [withFirst] = await hostile.ask([
          { evidence: rawSignRequest(bot.credential, target.path, randomBytes(32)).evidence },
        ]);
        expect(withFirst!.outcome).toBe('retry');
      }
      await expectService();
    },
  );
});

describe('a ledger that was changed behind the backs of the parties', () => {
  async function withoutTriggers(statement: string, values: unknown[]): Promise<void> {
    await asOwner('ALTER TABLE ledger_entry DISABLE TRIGGER USER');
    await asOwner(statement, values);
    await asOwner('ALTER TABLE ledger_entry ENABLE TRIGGER USER');
  }

  /** Every process anew, which is what a repaired database needs. */
  async function expectServiceAfterRestart(): Promise<void> {
    for (const process of running) await process.stop();
    running = await Promise.all([
      startGateway(vault.options, 0),
      ...PARTY_NUMBERS.map((party) => startSigner(vault.options, party)),
    ]);
    started.push(...running);
    url = `http://127.0.0.1:${running[0]!.port}`;
    await waitHealthy(url);
    expect(statusesOf(await shootMany(url, bot, wallet, 6))).toEqual([200]);
  }

  /** What runs on the ledger as it was signs nothing more, and nothing starts on it. */
  async function expectNoticed(): Promise<void> {
    // callers who wait longer than the default: no answer but a slow machine's is no sign
    const shots = () =>
      Promise.all(Array.from({ length: 6 }, () => shoot(url, bot, wallet, NOTICED_WAIT_S)));
    await eventually(async () => !statusesOf(await shots()).includes(200), 60_000);
    expect(statusesOf(await shots())).not.toContain(200);
    await partyOne().stop();
    await expect(startSigner(vault.options, 1)).rejects.toThrow(/was it rolled back|no longer/);
  }

  const partyOne = () => running.find(({ name }) => name === 'party_1-a')!;

  /** What a party said that had not noticed yet goes with what it said it of. */
  const cutFrom = (seq: number) =>
    withoutTriggers('DELETE FROM ledger_entry WHERE seq >= $1', [seq]);

  const NOTICED_WAIT_S = 5;
  const REWRITE = 'UPDATE ledger_entry SET body = $2, hash = $3 WHERE seq = $1';
  let url: string;
  let running: VaultProcess[];
  beforeAll(() => {
    url = vault.baseUrl;
    running = [vault.stack.gateway, ...vault.stack.signers, ...started];
  });

  drill('is noticed when it is rolled back', async () => {
    const last = (await readLedger()).at(-1)!;
    await withoutTriggers('DELETE FROM ledger_entry WHERE seq = $1', [last.seq]);
    await expectNoticed();
    await cutFrom(last.seq);
    await asOwner('INSERT INTO ledger_entry (body) VALUES ($1)', [last.body]);
    expect((await readLedger()).at(-1)!.hash).toEqual(last.hash);
    await expectServiceAfterRestart();
  });

  it('is noticed when its end is rewritten into a chain that holds in itself', async () => {
    const last = (await readLedger()).at(-1)!;
    const body = Buffer.from(last.body);
    body[1] = body[1]! ^ 1;
    await withoutTriggers(REWRITE, [last.seq, body, entryHash(last.seq, last.prevHash, body)]);
    await expectNoticed();
    await cutFrom(last.seq + 1);
    await withoutTriggers(REWRITE, [last.seq, last.body, last.hash]);
    await expectServiceAfterRestart();
  });

  it('is refused by a party that starts when an entry does not have its hash', async () => {
    const second = (await readLedger())[1]!;
    const body = Buffer.from(second.body);
    body[body.length - 1] = body.at(-1)! ^ 1;
    await withoutTriggers(REWRITE, [second.seq, body, second.hash]);
    await partyOne().stop();
    await expect(startSigner(vault.options, 1)).rejects.toThrow('does not have its hash');
    await withoutTriggers(REWRITE, [second.seq, second.body, second.hash]);
    await expectServiceAfterRestart();
  });
});

function foldAll(rows: readonly EntryRow[]) {
  const fold = createFold({ keys });
  fold.advance(rows);
  return fold;
}
