/** The export of a running vault, verified offline; and what an owner of its database cannot hide. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { startSigner } from '../infra/dev/dist/stack/open-stack.js';
import { verifyExport } from '../infra/admin/dist/audit/verify-export.js';
import type { AuditReport } from '../infra/admin/dist/audit/verify-facts.js';
import { expectRefusal } from './support/api.ts';
import { readGenesis } from './support/genesis.ts';
import { query } from './support/signing-load.ts';
import { eventually, expectOk, openTestVault } from './support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from './support/test-vault.ts';

jest.setTimeout(180_000);
const run = promisify(execFile);

let folder: string;
let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-audit-'));
  vault = await openTestVault({ anchorEveryS: 1 });
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  const target = `${wallet.path}/raw-sign`;
  const encoded = (index: number) => Buffer.from(`message ${index}`).toString('base64');
  for (let index = 0; index < 4; index++) {
    await expectOk(bot.client, 'POST', target, { message: encoded(index) });
  }
  const messages = [encoded(4), encoded(5)];
  await expectOk(bot.client, 'POST', `${target}-batch`, { messages });
  const body = { message: 'AA==' };
  await expectRefusal('forbidden', vault.admin, 'POST', target, body);
  await expectRefusal('forbidden', bot.client, 'POST', '/v1/vaults', { display_name: 'x' });
  await expectOk(vault.admin, 'PUT', `/v1/users/${bot.id}`, { display_name: `renamed ${bot.id}` });
}, 120_000);

afterAll(async () => {
  await vault?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

async function exportAll(): Promise<string> {
  const response = await vault.admin.get('/v1/audit-logs/export');
  expect(response.status).toBe(200);
  return response.text;
}

function save(text: string): string {
  const file = join(folder, 'export.jsonl');
  writeFileSync(file, text);
  return file;
}

/** What the command below says of it, without a process that has to start. */
async function verifyHere(text: string, hasKey = true): Promise<AuditReport> {
  const keys = hasKey ? readEvidenceKeys(vault.prepared.evidenceKeyFile) : undefined;
  const now = Date.now();
  return verifyExport(save(text), { ...(await readGenesis(vault)), now, evidenceKeys: keys });
}

async function verifyAudit(text: string, args: readonly string[] = []): Promise<AuditReport> {
  const file = save(text);
  const command = [
    'infra/admin/dist/countersign.js',
    ...['audit', 'verify', file, '--genesis', vault.prepared.genesisFile],
    ...args,
  ];
  const { stdout } = await run(process.execPath, command).catch(
    (error: { code: number; stdout: string }) => {
      expect(error.code).toBe(1);
      return error;
    },
  );
  return JSON.parse(stdout) as AuditReport;
}

const withKey = () => ['--evidence-key', vault.prepared.evidenceKeyFile];
const namesOf = ({ faults }: AuditReport) => [...new Set(faults.map(({ name }) => name))];

/** As the database's owner, who can lift what keeps tables append-only. */
async function asOwner(table: string, ...statements: string[]): Promise<void> {
  for (const statement of [
    `ALTER TABLE ${table} DISABLE TRIGGER USER`,
    ...statements,
    `ALTER TABLE ${table} ENABLE TRIGGER USER`,
  ]) {
    await query(vault.servers.ownerUrl, statement);
  }
}

describe('the export', () => {
  it('holds, and its records come to be anchored', async () => {
    const text = await eventually(async () => {
      const exported = await exportAll();
      const { anchored } = await verifyHere(exported);
      return anchored.every((one) => one.not_anchored === 0) && exported;
    }, 60_000);
    const report = await verifyAudit(text, withKey());
    expect(report).toMatchObject({
      verified: true,
      verdicts_judged_again: true,
      receipts: 6,
      contributions_without_lead: [],
      faults: [],
      refused_words: [],
    });
    expect(report.records).toBeGreaterThanOrEqual(14);
  });

  it('holds without the evidence key, but for verdicts', async () => {
    const report = await verifyAudit(await exportAll());
    expect(report).toMatchObject({ verified: true, verdicts_judged_again: false });
  });

  it('has no credential in the clear', async () => {
    const text = await exportAll();
    const bodies = text
      .split('\n')
      .flatMap((line) => /"body":"([^"]*)"/.exec(line)?.[1] ?? [])
      .map((body) => Buffer.from(body, 'base64').toString('latin1'));
    for (const credential of [vault.adminCredential, bot.credential]) {
      expect(text).not.toContain(credential.apiKey);
      expect(bodies.join('')).not.toContain(credential.apiKey);
    }
  });

  it('says what a change changed', async () => {
    const { results } = await expectOk<{ results: { details: { changes: unknown } }[] }>(
      vault.admin,
      'GET',
      '/v1/audit-logs?actions=update-user',
    );
    expect(results[0]!.details.changes).toMatchObject([
      {
        table: 'users',
        id: bot.id,
        change: 'changed',
        fields: { display_name: { to: `renamed ${bot.id}` } },
      },
    ]);
  });
});

describe('following the audit log', () => {
  const follow = (...args: string[]) => {
    const apiKey = join(folder, 'api-key');
    writeFileSync(apiKey, vault.adminCredential.apiKey);
    const where = ['--url', vault.baseUrl, '--api-key-file', apiKey];
    const program = 'infra/admin/dist/countersign.js';
    return run(process.execPath, [program, 'audit', 'follow', ...where, '--once', ...args]);
  };
  const position = () => ['--position', join(folder, 'position.json')];
  interface Line {
    readonly chain: string;
    readonly seq: number;
    readonly prev_hash: string;
    readonly hash: string;
    readonly action: string;
  }

  it('gives every entry of every chain once, over restarts, and only what is new', async () => {
    const file = join(folder, 'followed.jsonl');
    await follow(...position(), '--to', file);
    await expectRefusal('forbidden', bot.client, 'POST', '/v1/vaults', { display_name: 'y' });
    const { stdout } = await follow(...position());
    expect(stdout).toContain('"action":"create-vault"');
    const lines = `${readFileSync(file, 'utf8')}${stdout}`
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const names = new Set(lines.map(({ chain }) => chain));
    // the ledger, at least one gateway, and the parties
    expect(names.size).toBeGreaterThanOrEqual(5);
    for (const name of names) {
      const entries = lines.filter(({ chain }) => chain === name);
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
      entries.forEach(({ prev_hash: before }, index) => {
        expect(before).toBe(entries[index - 1]?.hash ?? '00'.repeat(32));
      });
    }
    const contributions = lines.filter(({ action }) => action === 'raw-sign');
    expect(contributions.length).toBeGreaterThanOrEqual(12); // both parties' records of each
  });

  it('reaches a SIEM as syslog over TCP', async () => {
    const received: Buffer[] = [];
    const siem = createServer((socket) => void socket.on('data', (bytes) => received.push(bytes)));
    await once(siem.listen(0, '127.0.0.1'), 'listening');
    const to = `tcp://127.0.0.1:${(siem.address() as AddressInfo).port}`;
    const fresh = ['--position', join(folder, 'syslog.json')];
    await follow(...fresh, '--format', 'rfc5424', '--to', to, '--after', 'ledger:1');
    siem.close();
    const lines = Buffer.concat(received).toString('utf8').trimEnd().split('\n');
    expect(lines[0]).toMatch(
      /^<110>1 \S+ - countersign - \S+ \[countersign@32473 chain="ledger" seq="2" /,
    );
    expect(lines.every((line) => /^<1\d\d>1 .*\]$/.test(line))).toBe(true);
  });

  it('stops at a log that is shorter than what was handed over', async () => {
    const ahead = join(folder, 'ahead.json');
    writeFileSync(ahead, JSON.stringify({ ledger: { seq: 1_000_000 } }));
    await expect(follow('--position', ahead)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was the database rolled back?'),
    });
  });
});

describe('the owner of the database', () => {
  it('edits an entry of the ledger: found', async () => {
    const edit = 'UPDATE ledger_entry SET body = set_byte(body, 20, get_byte(body, 20) # 1)';
    await asOwner('ledger_entry', `${edit} WHERE seq = 4`);
    expect(namesOf(await verifyAudit(await exportAll(), withKey()))).toEqual(['entry-edited']);
    await asOwner('ledger_entry', `${edit} WHERE seq = 4`);
    expect((await verifyHere(await exportAll())).faults).toEqual([]);
  });

  it('edits a record of a gateway: found', async () => {
    const edit = (reason: string) => `UPDATE refused_request SET reason = '${reason}' || reason`;
    await asOwner('refused_request', edit('x'));
    expect(namesOf(await verifyHere(await exportAll(), false))).toEqual(['record-edited']);
    await asOwner('refused_request', 'UPDATE refused_request SET reason = substr(reason, 2)');
  });

  it('puts older records of a party in the place of newer ones: found, and the party stops', async () => {
    await asOwner(
      'party_1.sign_record',
      'DELETE FROM party_1.sign_record WHERE seq = (SELECT max(seq) FROM party_1.sign_record)',
    );
    const party = vault.stack.signers[0]!;
    expect(await party.exited).toBe(1);
    expect(party.output()).toContain('records_lost');
    await expect(startSigner(vault.options, 1)).rejects.toThrow('records_lost');
    const report = await verifyHere(await exportAll(), false);
    expect(namesOf(report)).toContain('anchored-record-missing');
  });
});

describe('a request that comes to nothing', () => {
  interface Failed {
    readonly results: { outcome: string; action: string; details: { reason: string } }[];
  }
  const failedOf = (query: string) =>
    expectOk<Failed>(vault.admin, 'GET', `/v1/audit-logs?outcome=failed&${query}`);
  const signLater = () =>
    bot.client.send({
      method: 'POST',
      target: `${wallet.path}/raw-sign`,
      headers: { prefer: 'respond-async' },
      body: { message: 'AAAA' },
    });

  it('is on record as failed: after its 202, and after a 504', async () => {
    for (const signer of vault.stack.signers) signer.kill('SIGKILL');
    const accepted = await signLater(); // nobody has noticed yet
    expect(accepted.status).toBe(202);
    await eventually(async () => (await signLater()).status === 504, 60_000);
    const refused = await eventually(async () => {
      const { results } = await failedOf(`user_ids=${bot.id}`);
      return results.length > 0 && results;
    });
    expect(refused[0]).toMatchObject({
      details: { reason: 'fewer than two signers can be reached' },
    });
    const { request_id: requestId } = accepted.body as { request_id: string };
    const expired = await eventually(async () => {
      const { results } = await failedOf(`request_id=${requestId}`);
      return results.length > 0 && results;
    }, 120_000);
    expect(expired).toMatchObject([
      { action: refused[0]!.action, details: { reason: 'expired before it was signed' } },
    ]);
  });
});
