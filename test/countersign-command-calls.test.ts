/** `countersign` on a running vault, in the name of profiles: what officers, operators and scripts type. */
import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCountersign } from '../infra/admin/dist/commands/run-countersign.js';
import { rawPublicKey } from '../infra/dev/dist/stack/prepare-vault.js';
import {
  eventually,
  openSharedVault,
  type TestUser,
  type VaultInUse,
} from './support/test-vault.ts';

jest.setTimeout(120_000);

let folder: string;
let vault: VaultInUse;
let officer: TestUser;
/** Of every profile: what no command may be given, or say. */
const secrets: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-calls-'));
  vault = await openSharedVault();
  officer = await vault.createMachine();
  expect(await login('default', vault.adminCredential)).toMatchObject({ code: 0 });
  expect(await login('officer', officer.credential)).toMatchObject({ code: 0 });
}, 120_000);
afterAll(async () => {
  await vault?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const at = (name: string) => join(folder, name);

function write(name: string, content: string, mode = 0o600): string {
  writeFileSync(at(name), content, { mode });
  return at(name);
}

interface Told {
  readonly code: number;
  readonly output: string;
  readonly notes: string;
}

/** `yes`: what somebody answers who is asked; nobody is there when absent. */
async function countersign(words: readonly string[], yes?: boolean): Promise<Told> {
  let [output, notes] = ['', ''];
  const code = await runCountersign(words, {
    environment: { XDG_CONFIG_HOME: folder },
    readStandardInput: () => Buffer.alloc(0),
    writeOutput: (text) => void (output += String(text)),
    writeNote: (text) => void (notes += text),
    showProgress: () => undefined,
    confirm: async () => yes,
  });
  expectNoSecret([...words, output, notes]);
  return { code, output, notes };
}

function expectNoSecret(texts: readonly string[]): void {
  for (const secret of secrets) expect(texts.join('\n')).not.toContain(secret);
}

async function json<Answer>(...words: string[]): Promise<Answer> {
  const { code, output, notes } = await countersign([...words, '--json']);
  expect([code, notes]).toEqual([0, '']);
  return JSON.parse(output) as Answer;
}

function credentialFiles(
  name: string,
  { apiKey, privateKey }: { readonly apiKey: string; readonly privateKey: KeyObject },
): string[] {
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  secrets.push(apiKey, pem.split('\n')[1]!);
  const files = [write(`${name}.api-key`, `${apiKey}\n`), write(`${name}.pem`, pem)];
  return ['--api-key-file', files[0]!, '--private-key-file', files[1]!];
}

/** As a process of its own. */
function login(name: string, credential: Parameters<typeof credentialFiles>[1]): Promise<Told> {
  const files = credentialFiles(name, credential);
  const args = ['login', '--url', vault.baseUrl, ...files, '--profile', name];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['infra/admin/dist/countersign.js', ...args],
      { env: { XDG_CONFIG_HOME: folder } },
      (error, output, notes) => {
        expectNoSecret([...args, output, notes]);
        resolve({ code: error === null ? 0 : Number(error.code), output, notes });
      },
    );
  });
}

describe('a profile', () => {
  it('names files, holds no secret, and is for its owner alone', () => {
    const file = at('countersign/profiles.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expectNoSecret([text]);
    expect(JSON.parse(text)).toMatchObject({
      default: { url: vault.baseUrl, api_key_file: at('default.api-key') },
      officer: { private_key_file: at('officer.pem') },
    });
  });

  it("is not made with another's key, nor with one that others can read", async () => {
    const strange = {
      ...officer.credential,
      privateKey: generateKeyPairSync('ed25519').privateKey,
    };
    const refused = await login('strange', strange);
    expect(refused).toMatchObject({ code: 1, notes: expect.stringContaining('unauthorized: ') });
    const files = credentialFiles('open', officer.credential);
    rmSync(at('open.pem'));
    write('open.pem', readFileSync(at('officer.pem'), 'utf8'), 0o644);
    const words = ['login', '--url', vault.baseUrl, ...files, '--profile', 'open'];
    expect(await countersign(words)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('must be readable by its owner alone'),
    });
    expect(readFileSync(at('countersign/profiles.json'), 'utf8')).not.toMatch(/strange|"open"/);
  });

  it('says who calls', async () => {
    expect(await json('whoami', '--profile', 'officer')).toMatchObject({ id: officer.id });
    expect(await countersign(['whoami', '--profile', 'nobody'])).toMatchObject({
      code: 2,
      notes: 'countersign: there is no profile nobody: run `countersign login` first\n',
    });
  });
});

interface Signed {
  readonly signature: string;
  readonly receipt: { readonly request_id: string };
}

const message = Buffer.from('typed');
const sign = (wallet: { vaultId: string; address: string }, ...more: string[]) => [
  ...['sign', 'message', wallet.vaultId, wallet.address],
  ...['--message', message.toString('base64'), ...more],
];

describe('signing', () => {
  it('answers with a signature, whose receipt is found again and holds', async () => {
    const wallet = await vault.createWallet();
    const { signature, receipt } = await json<Signed>(...sign(wallet));
    const x = Buffer.from(wallet.publicKey, 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, message, key, Buffer.from(signature, 'base64'))).toBe(true);

    const id = receipt.request_id;
    expect(await json('receipt', 'show', id)).toEqual(receipt);
    expect(await json('requests', 'wait', id)).toMatchObject({ signature });
    expect((await countersign(['requests', 'show', id])).output).toContain('status: completed\n');
  });

  it('of several says which were refused, and ends with 1 where one was', async () => {
    const wallet = await vault.createWallet();
    const all = ['sign', 'messages', wallet.vaultId, wallet.address, '--messages'];
    expect(await json(...all, 'AA==,AQ==')).toMatchObject({
      results: [{ status: 'signed' }, { status: 'signed' }],
    });
    const deny = `security_group_id: ${wallet.groupId}
display_name: no
rules: [{display_name: no, when: {}, then: deny}]
`;
    const applied = await json<Applied>('policies', 'apply', '-f', write('no.yaml', deny), '--yes');
    const order = `${applied.policy!.id},${wallet.policyId}`;
    await json('policies', 'order', wallet.groupId, '--signing-policy-ids', order);
    const { code, output } = await countersign([...all, 'AA==,AQ==', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      results: [{ status: 'denied' }, { status: 'denied' }],
    });
  });

  it('on what is frozen is refused, until it is not', async () => {
    const wallet = await vault.createWallet();
    const frozen = await json(
      'freeze',
      'wallets',
      wallet.vaultId,
      wallet.address,
      '--reason',
      'a drill',
    );
    expect(frozen).toMatchObject({ status: 'frozen' });
    expect(await countersign(sign(wallet))).toMatchObject({
      code: 1,
      output: '',
      notes: expect.stringMatching(/^countersign: forbidden: .*frozen/),
    });
    expect((await countersign(['freezes', 'list'])).output).toMatch(/ a drill\n/);
    expect((await countersign(['unfreeze', 'wallets', wallet.vaultId, wallet.address])).code).toBe(
      0,
    );
    expect((await countersign(sign(wallet))).code).toBe(0);
  });
});

interface Applied {
  readonly changed: boolean;
  readonly diff?: string;
  readonly backtest?: { readonly requests: number; readonly newly_denied: number };
  readonly policy?: { readonly id: string; readonly version: number };
}

describe('policies apply', () => {
  it('shows diff and backtest, asks, and changes nothing where nobody says yes', async () => {
    const wallet = await vault.createWallet();
    await json(...sign(wallet));
    const shown = (await countersign(['policies', 'show', wallet.policyId])).output;
    const file = write('denied.yaml', shown.replace('then: allow', 'then: deny'));
    const apply = ['policies', 'apply', '-f', file];

    for (const [answer, code] of [
      [undefined, 2],
      [false, 1],
    ] as const) {
      const asked = await countersign(apply, answer);
      expect(asked.code).toBe(code);
      expect(asked.output).toMatch(/^-\s+then: allow\n\+\s+then: deny$/m);
      // the vault may have requests of other files as well
      expect(asked.output).toMatch(/^Backtest: of \d+ requests .*\b1 newly denied\b/m);
    }
    expect((await countersign([...apply, '--dry-run'])).code).toBe(0);
    expect(await json('policies', 'show', wallet.policyId)).toMatchObject({ version: 1 });

    expect(await countersign(apply, true)).toMatchObject({ code: 0 });
    expect(await countersign(sign(wallet))).toMatchObject({ code: 1 });
    // the file is of the version before: whoever was faster is not overwritten
    write('denied.yaml', shown);
    expect(await countersign([...apply, '--yes'])).toMatchObject({
      code: 1,
      notes: expect.stringContaining('resource_conflict: '),
    });
  });

  it('makes a policy once, and keeps the ids of rules by their names', async () => {
    const { groupId } = await vault.createWallet();
    const text = (amount: number) => `# by hand
security_group_id: ${groupId}
display_name: by hand
rules:
  - display_name: small
    when: {operations: [sign], initiators: anyone, amount: {max: "${amount}"}}
    then: allow
`;
    const apply = () => json<Applied>('policies', 'apply', '-f', at('hand.yaml'), '--yes');
    write('hand.yaml', text(10));
    const first = await apply();
    expect(first).toMatchObject({ changed: true, policy: { version: 1 } });
    expect(await apply()).toEqual({ changed: false });
    write('hand.yaml', text(20));
    const second = await apply();
    expect(second.diff).toMatch(/^-.*10/m);
    expect(second.policy).toMatchObject({ id: first.policy!.id, version: 2 });
    const rules = ({ policy }: Applied) => (policy as unknown as { rules: { id: string }[] }).rules;
    expect(rules(second)[0]!.id).toBe(rules(first)[0]!.id);
  });

  it('names the line of what is wrong in a file, and asks the vault for nothing', async () => {
    const bad =
      'security_group_id: x\ndisplay_name: a\nrules:\n  - display_name: b\n    then: allow\n';
    const asked = await countersign(['policies', 'apply', '-f', write('bad.yaml', bad), '--yes']);
    expect(asked).toEqual({
      code: 2,
      output: '',
      notes: `countersign: ${at('bad.yaml')}: line 4: rules.0.when: is required\n`,
    });
  });
});

describe('approvals', () => {
  it('are given by whom a rule names, for what was signed; others are told where people give them', async () => {
    const wallet = await vault.createWallet();
    const file = write(
      'asks.yaml',
      `display_name: asks
id: ${wallet.policyId}
rules:
  - display_name: asks
    when: {operations: [raw_sign], initiators: anyone}
    then: {require_approvals: {quorum: 1, user_ids: [${officer.id}]}}
`,
    );
    await json('policies', 'apply', '-f', file, '--yes');
    const left = await json<{ request_id: string }>(...sign(wallet, '--wait', '0'));
    expect(left).toEqual({ status: 'processing', request_id: expect.any(String) });
    const id = left.request_id;
    const wait = () => countersign(['requests', 'wait', id, '--wait', '0']);
    // before that nobody knows what it asks for, and nobody can approve it
    await eventually(async () => (await wait()).notes.includes('awaiting_approval'));
    expect(await wait()).toMatchObject({
      code: 1,
      notes: expect.stringContaining(`still_processing: request ${id}`),
    });
    const own = await countersign(['requests', 'approve', id, '--yes']);
    expect(own.code).toBe(1);
    expect(own.notes).toContain(`forbidden: `);
    expect(own.notes).toContain(`${vault.baseUrl}/console/requests/${id}`);
    const approve = ['requests', 'approve', id, '--profile', 'officer'];
    expect((await countersign(approve)).code).toBe(2);
    expect((await countersign(approve, false)).code).toBe(1);
    expect((await countersign(approve, true)).code).toBe(0);
    expect(await json('requests', 'wait', id)).toMatchObject({ signature: expect.any(String) });
  });
});

describe('users and the audit log', () => {
  it('the API key of a new user goes to a file of its own, never to the screen', async () => {
    const publicKey = rawPublicKey(generateKeyPairSync('ed25519').privateKey).toString('base64url');
    const body = `type: machine\ndisplay_name: typed ${folder}\npublic_key: ${publicKey}\n`;
    const create = ['users', 'create', '-f', write('user.yaml', body)];
    expect(await countersign(create)).toMatchObject({ code: 2, output: '' });
    const file = at('user.api-key');
    const made = await json<{ id: string }>(...create, '--secret-file', file);
    expect(made).toMatchObject({ api_key_file: file });
    secrets.push(readFileSync(file, 'utf8').trim());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expectNoSecret([JSON.stringify(made)]);
    expect(await countersign([...create, '--secret-file', file])).toMatchObject({ code: 2 });

    const rotate = ['users', 'update', made.id, '--rotate-api-key', '--secret-file'];
    expect(await json(...rotate, at('rotated.api-key'))).toMatchObject({ id: made.id });
    expect(readFileSync(at('rotated.api-key'), 'utf8')).not.toBe(readFileSync(file, 'utf8'));
    // what comes to nothing leaves no empty file
    expect(
      (await countersign([...rotate.with(2, officer.id.replace(/^./, 'f')), at('none')])).code,
    ).toBe(1);
    expect(existsSync(at('none'))).toBe(false);
    await json('users', 'delete', made.id);
  });

  it('lists go on over pages, and say where they were cut', async () => {
    const listed = await json<unknown[]>('users', 'list', '--limit', '1000');
    expect(listed.length).toBeGreaterThan(1);
    const cut = await countersign(['users', 'list', '--limit', '1']);
    expect(cut.output.split('\n')[0]).toMatch(/^ID +TYPE +DISPLAY_NAME +STATUS +LAST_UPDATED_AT$/);
    expect(cut.output.split('\n')).toHaveLength(3);
    expect(cut.notes).toBe('countersign: there are more than 1; see --limit\n');
  });

  it('an export is there once it is whole, or not at all', async () => {
    const wallet = await vault.createWallet();
    const exported = ['audit', 'export', '--vault-ids', wallet.vaultId, '-o'];
    expect(await countersign([...exported, at('export.jsonl')])).toMatchObject({
      code: 0,
      output: '',
    });
    const lines = readFileSync(at('export.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { action: string }).action)).toContain(
      'create-vault',
    );
    const refused = await countersign([...exported, at('refused.jsonl'), '--profile', 'officer']);
    expect(refused).toMatchObject({ code: 1, notes: expect.stringContaining('forbidden: ') });
    for (const name of ['refused.jsonl', 'refused.jsonl.part'])
      expect(existsSync(at(name))).toBe(false);
    const printed = await countersign(['audit', 'list', '--vault-ids', wallet.vaultId]);
    expect(printed.output).toMatch(/^TIME .*\n.*create-wallet/s);
  });
});
