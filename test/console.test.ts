/** The console in a real browser, at a whole vault. Without Chromium it is skipped, and told as skipped. */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ADMIN_POLICY_TYPES } from '@countersign/api/admin-policy-types.js';
import {
  CONSOLE_ORIGIN,
  HAS_CHROMIUM,
  openBrowser,
  openElsewhere,
  OTHER_ORIGIN,
  overflowOnPhone,
  portOf,
  seriousFaults,
  takeScreenshots,
  type ConsoleBrowser,
} from './support/console-browser.ts';
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
let officer: Named & { readonly enrollment_code: string };
let bot: TestUser;
let wallet: TestWallet;

// each page is looked at four times, and the machine may have much else to do
jest.setTimeout(90_000);

const describeInBrowser = HAS_CHROMIUM ? describe : describe.skip;

describeInBrowser('the console', () => {
  beforeAll(async () => {
    [vault, elsewhere] = await Promise.all([openTestVault({ hasSignIn: true }), openElsewhere()]);
    [officer, bot, wallet] = await Promise.all([
      createOfficer(),
      vault.createMachine({ display_name: INJECTED }),
      vault.createWallet(),
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
    await looksRight('operations');
    await changeRight('view_system_resources', 'deny');
    await page.getByText('You may not look at this.').waitFor();
    expectFaults(/403/);
    await changeRight('view_system_resources', 'allow');
    await page.getByText('live', { exact: true }).waitFor();
  });

  it('shows every other page', async () => {
    for (const name of ['Requests', 'Keys', 'System', 'First steps', 'Vaults']) {
      await open(name);
      await passes(name.toLowerCase().replace(' ', '-'));
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
  const shown = page.getByRole('heading', { level: 1, name }).waitFor();
  await shown.catch(async (cause: unknown) => {
    const text = await page.locator('body').innerText();
    throw new Error(`the page ${name} did not come; instead:\n${text}`, { cause });
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
  await page.waitForLoadState('networkidle');
  await looksRight(name);
}

/** As `passes`, of a page that goes on reading. */
async function looksRight(name: string): Promise<void> {
  expect({ name, faults: await seriousFaults(page) }).toEqual({ name, faults: [] });
  expect({ name, overflow: await overflowOnPhone(page) }).toEqual({ name, overflow: 0 });
  await takeScreenshots(page, name);
}

/** The development provider asks for a name, and then whether one agrees. */
async function signInAt(of: Page, name: string): Promise<void> {
  await of.getByRole('button', { name: 'Sign in as a developer' }).click();
  await of.locator('input[name=login]').fill(name);
  await of.locator('input[name=password]').fill('any');
  await of.locator('button[type=submit]').click();
  await of.locator('button[type=submit]').click();
  await of.waitForURL(`${CONSOLE_ORIGIN}/**`);
}

/** A person who may do everything, and has not enrolled yet. */
async function createOfficer(): Promise<typeof officer> {
  const created = await expectOk<typeof officer>(vault.admin, 'POST', '/v1/users', {
    type: 'human',
    display_name: 'Olive Officer',
    email: 'olive@example.com',
    cloud_provider: 'azure',
  });
  await Promise.all(
    ADMIN_POLICY_TYPES.map((action) =>
      expectOk(vault.admin, 'POST', '/v1/admin-policies', {
        display_name: `officers: ${action}`,
        action,
        effect: 'allow',
        subjects: { user_ids: [created.id] },
      }),
    ),
  );
  return created;
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
