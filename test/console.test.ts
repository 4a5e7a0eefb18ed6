/** The console in a real browser, at a whole vault. Without Chromium it is skipped, and told as skipped. */
import { execFile } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  CONSOLE_ORIGIN,
  HAS_CHROMIUM,
  openBrowser,
  openElsewhere,
  OTHER_ORIGIN,
  overflowOnPhone,
  portOf,
  seriousFaults,
  settled,
  takeScreenshots,
  type ConsoleBrowser,
} from './support/console-browser.ts';
import { createOfficer, signInAt, type Officer } from './support/console-person.ts';
import { signInAsDeveloper } from './support/developer-sign-in.ts';
import {
  eventually,
  expectOk,
  openTestVault,
  type TestUser,
  type TestVault,
  type TestWallet,
} from './support/test-vault.ts';

/** Of the first page, as it goes over the wire. */
const MAX_SCRIPT_BYTES = 250 * 1024;
const INJECTED = '<img src=x onerror="window.injected=1">';
const MESSAGE = Buffer.from('pay the rent').toString('base64');

interface Named {
  readonly id: string;
  readonly display_name: string;
}

interface Policy extends Named {
  readonly version: number;
  readonly rules: (Named & { readonly when: { readonly initiators?: unknown } })[];
}

let vault: TestVault;
let browser: ConsoleBrowser;
let page: Page;
let elsewhere: Server;
let officer: Officer;
let bot: TestUser;
let wallet: TestWallet;

// each page is looked at four times, and the machine may have much else to do
jest.setTimeout(90_000);

const describeInBrowser = HAS_CHROMIUM ? describe : describe.skip;

describeInBrowser('the console', () => {
  beforeAll(async () => {
    [vault, elsewhere] = await Promise.all([openTestVault({ hasSignIn: true }), openElsewhere()]);
    [officer, bot] = await Promise.all([
      createOfficer(vault),
      vault.createMachine({ display_name: INJECTED }),
    ]);
    browser = await openBrowser(portOf(vault.stack.baseUrl), portOf(elsewhere));
    page = await browser.openPage();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    elsewhere?.close();
    await vault?.close();
  }, 60_000);
  afterEach(async () => {
    expect(await page.evaluate('window.injected')).toBeUndefined();
    expect(browser.takeFaults()).toEqual([]);
  });

  it('opens with little script', async () => {
    await page.goto(`${CONSOLE_ORIGIN}/console/`);
    await page.getByRole('button', { name: 'Sign in as a developer' }).waitFor();
    const sizes = await page.evaluate<number[]>(
      "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ encodedBodySize }) => encodedBodySize)",
    );
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.every((size) => size > 0)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
    await passes('sign-in');
  });

  it('has somebody enrol with a code, and signs them in', async () => {
    await signInAt(page, 'officer');
    await page.getByLabel('Enrolment code').fill(officer.enrollment_code);
    expectFaults(/401/); // the vault does not know them yet, and the browser writes that down
    await passes('enrol');
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await heading('Approvals');
    await passes('approvals-empty');
  });

  it('leads from genesis to a first signature', async () => {
    await open('First steps');
    const { genesis_hash: genesis } = await read<{ genesis_hash: string }>('/v1/info');
    await page.getByText(genesis).waitFor();
    await passes('first-steps');
    await page.getByRole('button', { name: 'Create vault Treasury' }).click();
    await page.getByRole('button', { name: 'Create a Solana wallet in Treasury' }).click();
    await page.getByRole('button', { name: 'Allow me to sign messages' }).click();
    await page.getByLabel('Message').fill('pay the rent');
    await page.getByRole('button', { name: 'Sign this message' }).click();
    const signature = await factOf('Signature');
    expect(await page.getByText('to do').count()).toBe(0);
    const { results } = await read<{ results: Named[] }>('/v1/vaults');
    expect(results.map(({ display_name: name }) => name)).toEqual(['Treasury']);
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: base64Url(await factOf('Public key')) },
      format: 'jwk',
    });
    const message = Buffer.from(MESSAGE, 'base64');
    expect(verify(null, message, key, Buffer.from(signature, 'base64'))).toBe(true);
    await passes('first-steps-done');
  });

  it('prints lines with which a bot signs, as they stand there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'first-bot-'));
    try {
      await page.getByRole('link', { name: 'As a bot' }).click();
      await heading('As a bot');
      const commands = await page.getByLabel('Commands that make a key').innerText();
      const publicKey = await run(folder, 'sh', ['-c', commands]);
      await page.getByLabel('Its public key').fill(publicKey);
      await passes('as-a-bot');
      await page.getByRole('button', { name: 'Create machine user First bot' }).click();
      writeFileSync(join(folder, 'bot.api-key'), await factOf('API key, shown this once'));
      await allowInFirstSteps(await factOf('Its id'));
      const program = await page.getByLabel('A program that signs').innerText();
      // the browser alone finds this vault at the origin of its genesis
      const here = program.replace(CONSOLE_ORIGIN, vault.baseUrl);
      writeFileSync(join(folder, 'bot.mjs'), here);
      symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'));
      const printed = await run(folder, process.execPath, ['bot.mjs']);
      expect(printed).toContain('ok: true');
      expect(printed).toMatch(/signature: '[A-Za-z0-9+/]{86}=='/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('makes a user, whose name is text and nothing else', async () => {
    await open('Users');
    await page.getByRole('button', { name: 'New user…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(`Nora ${INJECTED}`);
    await dialog.getByLabel('Email').fill('nora@example.com');
    await passes('new-user');
    await dialog.getByRole('button', { name: 'Make person Nora' }).click();
    await dialog.getByText('is a user now').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: `Nora ${INJECTED}` }).click();
    await heading('Nora');
    await passes('user');
    const { results } = await read<{ results: Named[] }>('/v1/users?display_name_like=Nora');
    expect(results.map(({ display_name: name }) => name)).toEqual([`Nora ${INJECTED}`]);
  });

  it('approves a signature with the passkey', async () => {
    wallet = await vault.createWallet();
    await askOfficer();
    const asked = await bot.client.send({
      method: 'POST',
      target: `${wallet.path}/raw-sign`,
      body: { message: MESSAGE },
      headers: { prefer: 'respond-async' },
    });
    expect(asked.status).toBe(202);
    const { request_id: requestId } = asked.body as { request_id: string };
    await open('Approvals');
    const row = page.getByRole('row').filter({ hasText: INJECTED });
    await passes('approvals');
    await row.getByRole('link').click();
    await page.getByRole('button', { name: 'Approve…' }).click();
    await passes('approve');
    await page.getByRole('button', { name: 'Approve this request' }).click();
    await page.getByText('the vault has your word').waitFor();
    await page.keyboard.press('Escape');
    await eventually(async () => {
      const record = await read<{ status: string }>(`/v1/requests/${requestId}`);
      return record.status === 'completed';
    });
    await passes('request');
  });

  it('edits a policy as a draft, tries it, and publishes it, by keyboard alone', async () => {
    await page.getByRole('link', { name: 'Policies', exact: true }).focus();
    await page.keyboard.press('Enter');
    await heading('Policies');
    await passes('policies');
    await press(page.getByRole('link', { name: 'Payments' }));
    await heading('Payments');
    await press(page.getByRole('button', { name: 'Edit as a draft' }));
    await press(page.getByRole('button', { name: 'Add a rule' }));
    await press(page.getByRole('button', { name: 'Edit New rule' }));
    await page.getByRole('dialog').getByLabel('Name').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Stop Nora');
    await page.getByLabel('Who asks').focus();
    await page.keyboard.type('These');
    await page.getByLabel('Part of a name').focus();
    await page.keyboard.type('nora');
    await page
      .getByRole('checkbox', { name: INJECTED, exact: true })
      .waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Nora' }).focus();
    await page.keyboard.press('Space');
    await passes('rule');
    await press(page.getByRole('button', { name: 'Keep in the draft' }));
    await press(page.getByRole('button', { name: 'Move Stop Nora up' }));
    await page.getByText('Stop Nora is now number 1 of 2.').waitFor();
    await press(page.getByRole('button', { name: 'Backtest the draft' }));
    await page.getByText('Tried on 1 of the requests on record.').waitFor();
    await passes('draft');
    await press(page.getByRole('button', { name: 'Publish version 3 of Payments' }));
    await page.getByRole('button', { name: 'Edit as a draft' }).waitFor();
    const policy = await read<Policy>(`/v1/signing-policies/${wallet.policyId}`);
    expect(policy.version).toBe(3);
    expect(policy.rules.map(({ display_name: name }) => name)).toEqual(['Stop Nora', 'Two people']);
    const { results: named } = await read<{ results: Named[] }>('/v1/users?display_name_like=nora');
    expect(policy.rules[0]!.when.initiators).toMatchObject({ user_ids: [named[0]!.id] });
    const newest = page.getByRole('region', { name: 'Compare versions' });
    await newest.getByText('Stop Nora').waitFor();
    await passes('policy');
  });

  it('freezes the whole system from any page, and unfreezes it', async () => {
    await page.getByRole('button', { name: 'Freeze…' }).click();
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'The whole system' });
    await page.getByText('Keys hit').waitFor();
    await passes('freeze');
    await page.getByRole('button', { name: 'Freeze the whole system' }).click();
    await page.getByText('Frozen: the whole system').waitFor();
    await page.keyboard.press('Escape');
    expect(await read('/v1/info')).toMatchObject({ system_freeze: { at: expect.any(String) } });
    await open('Freezes');
    await passes('freezes');
    await page.getByRole('button', { name: 'Unfreeze…' }).click();
    await page.getByRole('button', { name: 'Unfreeze the whole system' }).click();
    await page.getByRole('heading', { name: 'Unfrozen' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await read('/v1/info')).toMatchObject({ system_freeze: null });
  });

  it('reads the audit log, checks its chain, and exports it', async () => {
    await open('Audit');
    await page.getByLabel('Outcome').selectOption('allowed');
    await page.getByLabel('Actions').fill('update-signing-policy');
    await page.getByRole('button', { name: 'Find' }).click();
    const table = page.getByRole('table', { name: 'Audit entries' });
    await table.getByText('update-signing-policy').first().waitFor();
    await page.getByRole('button', { name: 'Check the chain' }).click();
    const told = page.getByText('entries follow from each other without a gap');
    const { ledger_head: head } = await read<{ ledger_head: { seq: number } }>('/v1/info');
    expect(Number.parseInt((await told.textContent()) ?? '', 10)).toBeGreaterThan(head.seq - 20);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export JSON lines' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { action: string }).action)).toEqual([
      'update-signing-policy',
      'update-signing-policy',
      'update-signing-policy',
    ]);
    await passes('audit');
  });

  it('shows how the vault works, live, to those who may look', async () => {
    await open('Operations');
    await page.getByText('live', { exact: true }).waitFor();
    const refused = page.getByRole('table', { name: 'Refusals by reason' }).getByRole('row');
    const asked = refused.filter({ hasText: 'GET /v1/alarms' });
    expect(await asked.count()).toBe(0);
    const { status } = await bot.client.send({ method: 'GET', target: '/v1/alarms' });
    expect(status).toBe(403);
    await asked.filter({ hasText: 'forbidden' }).waitFor();
    const alive = page.getByRole('table', { name: 'The three parties' }).getByText('alive');
    expect(await alive.count()).toBe(3);
    await passes('operations');
    await changeRight('view_system_resources', 'deny');
    await page.getByText('You may not look at this.').waitFor();
    expectFaults(/403/);
    await changeRight('view_system_resources', 'allow');
    await page.getByText('You may not look at this.').waitFor({ state: 'detached' });
  });

  it('shows every other page', async () => {
    for (const name of ['Requests', 'Keys', 'System', 'Vaults']) {
      await open(name);
      await passes(name.toLowerCase());
    }
  });

  it('checks addresses against the parties of a genesis that somebody brought', async () => {
    const { display_name: name } = await read<Named>(`/v1/vaults/${wallet.vaultId}`);
    await open('Vaults');
    await page.getByRole('link', { name }).click();
    await page.getByText('not checked').waitFor();
    const genesis = readFileSync(vault.prepared.genesisFile, 'utf8');
    await page.getByLabel('What countersign genesis prints').fill(genesis);
    await page.getByRole('button', { name: 'Trust this genesis' }).click();
    await page.getByText('by three parties').waitFor();
    await passes('vault');
  });

  it('deletes what it names, and says what goes with it', async () => {
    const { results: users } = await read<{ results: Named[] }>('/v1/users?display_name_like=nora');
    const group = await expectOk<Named>(vault.admin, 'POST', '/v1/user-groups', {
      display_name: 'Night shift',
    });
    const nora = `/v1/users/${users[0]!.id}`;
    await expectOk(vault.admin, 'PUT', nora, { user_group_ids: [group.id] });
    await open('Users');
    await page.getByRole('button', { name: 'Delete Night shift…' }).click();
    await page.getByText('Take its members out first').waitFor();
    await page.getByRole('dialog').getByText('Nora').waitFor();
    await passes('delete-group');
    await page.keyboard.press('Escape');
    await expectOk(vault.admin, 'PUT', nora, { user_group_ids: [] });
    await page.getByRole('button', { name: 'Delete Night shift…' }).click();
    await page.getByText('Take its members out first').waitFor({ state: 'detached' });
    await confirm('Delete group Night shift');
    const { display_name: name } = await read<Named>(`/v1/security-groups/${wallet.groupId}`);
    await open('Policies');
    await page.getByRole('button', { name: `Members of ${name}…` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take out…' }).click();
    await passes('members');
    await page.getByRole('button', { name: `Take this wallet out of ${name}` }).click();
    await page.getByText('no wallet is named as a member').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Payments' }).click();
    await page.getByRole('button', { name: 'Delete Payments…' }).click();
    await confirm('Delete policy Payments');
    expectFaults(/404/); // the page asks once more for what it shows
    await heading('Policies');
    await page.getByRole('button', { name: `Delete ${name}…` }).click();
    await confirm(`Delete security group ${name}`);
    const groups = await read<{ results: Named[] }>('/v1/security-groups');
    expect(groups.results.map((one) => one.id)).not.toContain(wallet.groupId);
    expect(await read('/v1/user-groups')).toMatchObject({ results: [] });
  });

  it('is framed by nobody, and runs no script from elsewhere', async () => {
    const other = await browser.context.newPage();
    await other.goto(OTHER_ORIGIN);
    const framed = other.frames().find((frame) => frame.parentFrame() !== null);
    expect(await framed?.evaluate('document.body.innerText')).not.toContain('Countersign');
    expectFaults(/frame-ancestors|refused to connect/i);
    await other.close();
    const injecting = `document.head.append(Object.assign(document.createElement('script'), { src: '${OTHER_ORIGIN}/injected.js' }))`;
    await expect(page.evaluate(injecting)).rejects.toThrow('TrustedScriptURL');
    expectFaults(/TrustedScript|Content Security Policy/);
  });

  it('gives nothing to a stolen token, or to another site', async () => {
    const token = await signInAsDeveloper(vault.issuer, 'officer');
    const before = await headOf();
    const body = JSON.stringify({ display_name: 'of a thief' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const stolen = { method: 'POST', headers, body };
    const answer = await fetch(`${vault.baseUrl}/v1/vaults`, stolen);
    expect(answer.status).toBe(401);
    const other = await browser.context.newPage();
    await other.goto(`${OTHER_ORIGIN}/plain`);
    const outcome = await other.evaluate(
      ([url, request]) =>
        fetch(url, request).then(
          ({ status }) => String(status),
          () => 'kept from it',
        ),
      [`${CONSOLE_ORIGIN}/v1/vaults`, stolen] as const,
    );
    expect(outcome).toBe('kept from it');
    expectFaults(/CORS|Failed to load/);
    await other.close();
    expect(await headOf()).toEqual(before);
  });
});

/** Faults that a test brings about itself; others stay and fail it. */
function expectFaults(like: RegExp): void {
  const faults = browser.takeFaults();
  expect(faults.filter((fault) => !like.test(fault))).toEqual([]);
}

const read = <Body>(target: string) => expectOk<Body>(vault.admin, 'GET', target);

/** What was changed in the vault since genesis, leaving aside what parties say of their own accord. */
async function headOf(): Promise<unknown> {
  const { results } = await read<{ results: unknown[] }>('/v1/vaults?limit=100');
  return results;
}

async function heading(name: string): Promise<void> {
  await shown(page.getByRole('heading', { level: 1, name }), name);
}

/** Waits for it; where it does not come, says what is there instead. */
async function shown(what: ReturnType<Page['getByRole']>, name: string): Promise<void> {
  await what.waitFor().catch(async (cause: unknown) => {
    const text = await page.locator('body').innerText();
    throw new Error(`“${name}” did not come to its end; instead:\n${text}`, { cause });
  });
}

async function open(name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await heading(name);
}

/** As somebody does who has no pointer. */
async function press(target: ReturnType<Page['getByRole']>): Promise<void> {
  await target.focus();
  await page.keyboard.press('Enter');
}

/** What holds of every page: axe has nothing serious to say, and a phone shows it whole. Pictures are taken. */
async function passes(name: string): Promise<void> {
  await settled(page);
  expect({ name, faults: await seriousFaults(page) }).toEqual({ name, faults: [] });
  expect({ name, overflow: await overflowOnPhone(page) }).toEqual({ name, overflow: 0 });
  await takeScreenshots(page, name);
}

/** Presses the button that says what it does, and closes the dialog once it is done. */
async function confirm(act: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: act, exact: true }).click();
  await shown(dialog.getByRole('heading', { name: 'Done' }), act);
  await page.keyboard.press('Escape');
}

/** What stands beside a name. */
async function factOf(name: string): Promise<string> {
  const fact = page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd code');
  return fact.innerText();
}

function base64Url(text: string): string {
  return Buffer.from(text, 'base64').toString('base64url');
}

/** What a program prints. */
async function run(cwd: string, program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd, timeout: 60_000 });
  return stdout;
}

/** The policy that the first steps made names somebody else as well. */
async function allowInFirstSteps(userId: string): Promise<void> {
  const { results } = await read<{ results: Policy[] }>('/v1/signing-policies');
  const { id, version, rules } = results.find(({ display_name: name }) => name === 'First steps')!;
  const when = { operations: ['raw_sign'], initiators: { user_ids: [officer.id, userId] } };
  await expectOk(vault.admin, 'PUT', `/v1/signing-policies/${id}`, {
    display_name: 'First steps',
    version,
    rules: [{ ...rules[0], when }],
  });
}

/** Gives the officer one right, or takes it. */
async function changeRight(action: string, effect: 'allow' | 'deny'): Promise<void> {
  const { results } = await read<{ results: (Named & { version: number })[] }>(
    '/v1/admin-policies?limit=100',
  );
  const { id, version } = results.find((one) => one.display_name === `officers: ${action}`)!;
  await expectOk(vault.admin, 'PUT', `/v1/admin-policies/${id}`, {
    display_name: `officers: ${action}`,
    version,
    action,
    effect,
    subjects: { user_ids: [officer.id] },
  });
}

/** From now on signatures of the bot wait for the officer. */
async function askOfficer(): Promise<void> {
  await expectOk(vault.admin, 'PUT', `/v1/signing-policies/${wallet.policyId}`, {
    display_name: 'Payments',
    version: 1,
    rules: [
      {
        display_name: 'Two people',
        when: { operations: ['raw_sign'], initiators: { user_ids: [bot.id] } },
        then: { require_approvals: { quorum: 1, user_ids: [officer.id] } },
      },
    ],
  });
}
