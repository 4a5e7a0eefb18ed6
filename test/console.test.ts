/** The console in a real browser, at a whole vault. Without Chromium it is skipped, and told as skipped. */
import { execFile } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Locator, Page, Route } from 'playwright-core';
import {
  comes,
  CONSOLE_ORIGIN,
  HAS_CHROMIUM,
  NARROW,
  openBrowser,
  openElsewhere,
  OTHER_ORIGIN,
  portOf,
  WIDE,
  type ConsoleBrowser,
} from './support/console-browser.ts';
import { faultsOfPage } from './support/console-checks.ts';
import { chooseOption, findOption } from './support/chosen-options.ts';
import { openConsoleDesk } from './support/console-desk.ts';
import { createOfficer, signInAt, type Officer } from './support/console-person.ts';
import { raiseAlarm } from './support/raised-alarm.ts';
import { runWhere } from './support/run-where.ts';
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
const MAX_SCRIPT_BYTES = 200 * 1000;
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

const describeInBrowser = runWhere(describe, HAS_CHROMIUM, 'needs Chromium');

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
    await press(page.getByRole('button', { name: 'Make a passkey' }));
    await heading('Approvals');
    await passes('approvals-empty');
  });

  it('leads from genesis to a first signature', async () => {
    await open('First steps');
    const { genesis_hash: genesis } = await read<{ genesis_hash: string }>('/v1/info');
    await page.getByText(genesis).waitFor();
    await passes('first-steps');
    await press(page.getByRole('button', { name: 'Create vault Treasury' }));
    await press(page.getByRole('button', { name: 'Create a Solana wallet in Treasury' }));
    await press(page.getByRole('button', { name: 'Allow me to sign messages' }));
    await page.getByLabel('Message').fill('pay the rent');
    await press(page.getByRole('button', { name: 'Sign this message' }));
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
      await press(page.getByRole('link', { name: 'As a bot' }));
      await heading('As a bot');
      const commands = await page.getByLabel('Commands that make a key').innerText();
      const publicKey = await run(folder, 'sh', ['-c', commands]);
      await page.getByLabel('Its public key').fill(publicKey);
      await passes('as-a-bot');
      await press(page.getByRole('button', { name: 'Create machine user First bot' }));
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
    await press(page.getByRole('button', { name: 'New user…' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(`Nora ${INJECTED}`);
    await dialog.getByLabel('Email').fill('nora@example.com');
    await passes('new-user');
    await press(dialog.getByRole('button', { name: 'Make person Nora' }));
    await dialog.getByText('is a user now').waitFor();
    await page.keyboard.press('Escape');
    await press(page.getByRole('link', { name: `Nora ${INJECTED}` }));
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
    await showsNoOtherBytes(requestId, () => press(row.getByRole('link').first()));
    const { digest } = await read<{ digest: string }>(`/v1/requests/${requestId}`);
    expect(await factOf('Digest, computed here')).toBe(digest);
    await page.getByLabel('Its message, read as text').getByText('pay the rent').waitFor();
    await page.getByText('Rule Two people of signing policy Payments').waitFor();
    await page.getByText('is what this gateway says: your approval may be the last').waitFor();
    await inSight(page.getByRole('button', { name: 'Approve…' }));
    await press(page.getByRole('button', { name: 'Approve…' }));
    expect(await page.getByRole('dialog').getByText(digest).count()).toBe(1);
    await passes('approve');
    await press(page.getByRole('button', { name: 'Approve this request' }));
    await page.getByText('the vault has your approval').waitFor();
    await page.keyboard.press('Escape');
    await eventually(async () => {
      const record = await read<{ status: string }>(`/v1/requests/${requestId}`);
      return record.status === 'completed';
    });
    await page.getByText('not verified', { exact: true }).waitFor();
    await page
      .getByText(/, after \d/)
      .first()
      .waitFor();
    await showsStages(requestId);
    await passes('request');
  });

  it('verifies a receipt in the page, whatever the gateway says', async () => {
    const genesis = readFileSync(vault.prepared.genesisFile, 'utf8');
    await page.getByLabel('The vault’s genesis').fill(genesis);
    await press(page.getByRole('button', { name: 'Trust this genesis' }));
    await shown(page.getByText('verified in this page'), 'the check of a receipt');
    await passes('request-verified');
    const target = `**/v1/requests/${page.url().split('/').at(-1)}`;
    for (const [change, reason] of [
      [{ ledger_seq: 1 }, 'was not signed by party'],
      [{ parties: [1, 1] }, 'is malformed'],
    ] as const) {
      await page.route(target, async (route) => {
        const record = await answerTo<{ receipt: object }>(route);
        await route.fulfill({ json: { ...record, receipt: { ...record.receipt, ...change } } });
      });
      await comes(page, page.getByText('does not verify', { exact: true }));
      await page.getByText(`The receipt ${reason}`).waitFor();
      expect(await page.getByText('verified in this page').count()).toBe(0);
      await page.unroute(target);
      await comes(page, page.getByText('verified in this page'));
    }
    await page.evaluate("localStorage.removeItem('countersign.genesis')");
    await press(page.getByRole('link', { name: 'Its audit entries' }));
    await heading('Audit');
    const entries = page.getByRole('table', { name: 'Audit entries' });
    await entries.getByText('raw-sign').first().waitFor();
  });

  it('edits a policy as a draft, tries it, and publishes it, by keyboard alone', async () => {
    await page.getByRole('link', { name: 'Policies', exact: true }).focus();
    await page.keyboard.press('Enter');
    await heading('Policies');
    await passes('policies');
    await openPayments();
    await press(page.getByRole('button', { name: 'Edit as a draft' }));
    await press(page.getByRole('button', { name: 'Add a rule' }));
    await chooseOption(page.getByLabel('Then'), 'Deny');
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Stop Nora');
    await page.getByLabel('Part of a name').focus();
    await page.keyboard.type('nora');
    await page
      .getByRole('checkbox', { name: INJECTED, exact: true })
      .waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Nora' }).focus();
    await page.keyboard.press('Space');
    const venues = page.getByLabel(/^Venues/);
    await venues.fill('Binance');
    const limits = page.getByRole('group', { name: 'Limits of one request' });
    await limits.getByText('it falls through to the next rule that fits').waitFor();
    await limits.getByText('of what is traded or moved').waitFor();
    await venues.fill('binance');
    await page.getByLabel(/^Symbols/).fill('BTCUSDT');
    await limits.getByText('BTC', { exact: true }).waitFor();
    await page.getByLabel(/^Symbols/).fill('');
    await venues.fill('Binance');
    await passes('rule');
    await press(page.getByRole('button', { name: 'Back to the draft' }));
    await shown(page.getByText('names an unknown venue: Binance'), 'the check of ids');
    await press(page.getByRole('button', { name: 'Edit Stop Nora' }));
    await venues.fill('');
    await press(page.getByRole('button', { name: 'Back to the draft' }));
    await page.getByText('Nothing is wrong with these rules').waitFor();
    await press(page.getByRole('button', { name: 'Move Stop Nora up' }));
    await page.getByText('Stop Nora is now number 1 of 2.').waitFor();
    await press(page.getByRole('button', { name: 'Backtest the draft' }));
    await page.getByText('Tried on 1 of the requests on record.').waitFor();
    await page.getByText('no administrative policy asks for an approval of it').waitFor();
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

  it('has somebody choose before a draft replaces a version that it was not begun from', async () => {
    const begin = async (version: number) => {
      // right after a version was published the page may still have the one before
      const shown = page.locator('dt', { hasText: /^Version$/ }).locator('+ dd');
      await shown.getByText(String(version), { exact: true }).waitFor();
      await press(page.getByRole('button', { name: 'Edit as a draft' }));
      await open('Policies');
    };
    await begin(3);
    const removed = await changePayments(({ rules }) => [rules[1]!]);
    expect(removed.version).toBe(4);
    await openPayments();
    await comes(page, page.getByText('You began this draft from version 3.'));
    const changed = page.getByRole('region', { name: 'Changed by version 4' });
    await changed.getByText('removed, was number 1').waitFor();
    const publish = page.getByRole('button', { name: 'Publish version 5 of Payments' });
    expect(await publish.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('Choose above what becomes of version 4.').waitFor();
    await passes('draft-of-other-version');
    await press(page.getByRole('button', { name: 'Replace version 4 with mine' }));
    await changed.waitFor({ state: 'detached' });
    await press(publish);
    await page.getByRole('button', { name: 'Edit as a draft' }).waitFor();
    const { version, rules } = await payments();
    expect(version).toBe(5);
    expect(rules.map(({ display_name: name }) => name)).toEqual(['Stop Nora', 'Two people']);
    await begin(5);
    await changePayments((policy) => policy.rules.toReversed());
    await openPayments();
    await comes(page, page.getByText('You began this draft from version 5.'));
    await press(page.getByRole('button', { name: 'Start again from version 6' }));
    await page.getByText('The draft is what is in force.').waitFor();
    await press(page.getByRole('button', { name: 'Throw the draft away' }));
    await page.getByRole('button', { name: 'Edit as a draft' }).waitFor();
  });

  it('keeps an address book, whose list a rule names above the one that denies the rest', async () => {
    const group = await expectOk<Named>(vault.admin, 'POST', '/v1/security-groups', {
      display_name: 'Payouts',
    });
    const { id: policyId } = await expectOk<Named>(vault.admin, 'POST', '/v1/signing-policies', {
      display_name: 'Suppliers are paid',
      security_group_id: group.id,
      rules: [{ display_name: 'Deny the rest', when: {}, then: 'deny' }],
    });
    await open('Address book');
    await passes('address-book-empty');
    await press(page.getByRole('button', { name: 'New list…' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Suppliers');
    await dialog.getByLabel('Address 1').fill('bc1qsupplier');
    await dialog.getByLabel('Whose it is, 1').fill(`Metals ${INJECTED}`);
    await passes('new-address-list');
    await press(dialog.getByRole('button', { name: 'Make address list Suppliers' }));
    await shown(dialog.getByText('Suppliers is there.'), 'an address list');
    await page.keyboard.press('Escape');
    await passes('address-book');
    await open('Policies');
    await press(page.getByRole('link', { name: 'Suppliers are paid' }));
    await heading('Suppliers are paid');
    await press(page.getByRole('button', { name: 'Edit as a draft' }));
    await press(page.getByRole('button', { name: 'Add a rule' }));
    await dialog.getByLabel('Name', { exact: true }).fill('Pay suppliers');
    const whom = dialog.getByRole('group', { name: 'Users and groups' });
    await whom.getByLabel('Part of a name').fill('nora');
    await whom.getByRole('checkbox', { name: 'Nora' }).check();
    const lists = dialog.getByRole('group', { name: /^Destinations in lists/ });
    await lists.getByRole('checkbox', { name: 'Suppliers' }).check();
    await chooseOption(dialog.getByLabel('What is counted'), 'Requests');
    await dialog.getByLabel('At most', { exact: true }).fill('20');
    await dialog
      .getByText('at most 20 requests in any 24 hours, counted for each one who asks')
      .waitFor();
    await passes('rule-with-limit');
    await press(dialog.getByRole('button', { name: 'Back to the draft' }));
    await page.getByText('Nothing is wrong with these rules').waitFor();
    await press(page.getByRole('button', { name: 'Move Pay suppliers down' }));
    await shown(
      page.getByText('can never match: the rule "Deny the rest" before it'),
      'a dead rule',
    );
    await press(page.getByRole('button', { name: 'Move Pay suppliers up' }));
    await press(page.getByRole('button', { name: 'Publish version 2 of Suppliers are paid' }));
    await page.getByRole('button', { name: 'Edit as a draft' }).waitFor();
    const { rules } = await read<Policy>(`/v1/signing-policies/${policyId}`);
    const [list] = (await read<{ results: Named[] }>('/v1/address-lists')).results;
    expect(rules).toMatchObject([
      {
        display_name: 'Pay suppliers',
        then: 'allow',
        when: {
          destination_lists: [list!.id],
          velocity: { limit: '20', unit: 'count', window_s: 86_400, per: 'initiator' },
        },
      },
      { display_name: 'Deny the rest' },
    ]);
    await page.getByText('Destinations in lists: Suppliers').waitFor();
    await open('Address book');
    await press(page.getByRole('button', { name: 'Delete… Suppliers' }));
    await shown(dialog.getByText('Rules name it: take it out of them first.'), 'why it stays');
    await page.keyboard.press('Escape');
    await press(page.getByRole('button', { name: 'Edit… Suppliers' }));
    await dialog.getByText('Pay suppliers (policy Suppliers are paid)').waitFor();
    await dialog.getByText('No address differs.').waitFor();
    await press(dialog.getByRole('button', { name: 'Add an address' }));
    await dialog.getByLabel('Address 2').fill('bc1qother');
    await dialog.getByLabel('Whose it is, 2').fill('Other metals');
    await dialog.getByText('bc1qother (Other metals)').waitFor();
    await passes('change-address-list');
    await press(dialog.getByRole('button', { name: 'Change address list Suppliers' }));
    await shown(dialog.getByText('Rules that name Suppliers go by it from now on.'), 'a change');
    await page.keyboard.press('Escape');
    expect(await read(`/v1/address-lists/${list!.id}`)).toMatchObject({
      version: 2,
      entries: [{ address: 'bc1qsupplier' }, { address: 'bc1qother' }],
    });
    await expectOk(vault.admin, 'DELETE', `/v1/signing-policies/${policyId}`);
    await expectOk(vault.admin, 'DELETE', `/v1/security-groups/${group.id}`);
    await press(page.getByRole('button', { name: 'Delete… Suppliers' }));
    await dialog.getByText('No rule names it.').waitFor();
    await confirm('Delete address list Suppliers');
    expect(await read('/v1/address-lists')).toMatchObject({ results: [] });
  });

  it('freezes one vault, and no more than that', async () => {
    await press(page.getByRole('button', { name: 'Freeze…' }));
    const what = page.getByLabel('What', { exact: true });
    await chooseOption(what, 'A vault, with every wallet in it');
    await page.getByRole('button', { name: 'Freeze …' }).focus();
    await page.keyboard.press('Enter'); // none is chosen
    await page.getByText('Choose what to freeze first.').waitFor();
    await findOption(page.getByLabel('Which vault'), 'Treasury', 'treas');
    await page.getByText('First wallet').waitFor();
    await page.getByText('the approval that would complete it is refused').waitFor();
    await passes('freeze-vault');
    await press(page.getByRole('button', { name: 'Freeze vault Treasury' }));
    await page.getByText('Frozen: vault Treasury').waitFor();
    await page.keyboard.press('Escape');
    const id = await idOfTreasury();
    const { results: freezes } = await read<{ results: object[] }>('/v1/freezes');
    expect(freezes).toEqual([expect.objectContaining({ scope: 'vault', id, by: officer.id })]);
    await expectOk(vault.admin, 'POST', `/v1/vaults/unfreeze?vault_ids=${id}`, {});
  });

  it('freezes the whole system from any page, and unfreezes it', async () => {
    await press(page.getByRole('button', { name: 'Freeze…' }));
    await chooseOption(page.getByLabel('What', { exact: true }), 'The whole system');
    await page.getByText('Keys hit').waitFor();
    await passes('freeze');
    await press(page.getByRole('button', { name: 'Freeze the whole system' }));
    await page.getByText('Frozen: the whole system').waitFor();
    await page.keyboard.press('Escape');
    expect(await read('/v1/info')).toMatchObject({ system_freeze: { at: expect.any(String) } });
    await open('Freezes');
    await passes('freezes');
    await press(page.getByRole('button', { name: 'Unfreeze…' }));
    await page.getByText('It takes effect at once').waitFor();
    await press(page.getByRole('button', { name: 'Unfreeze the whole system' }));
    await page.getByRole('heading', { name: 'Unfrozen' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await read('/v1/info')).toMatchObject({ system_freeze: null });
  });

  it('freezes a user from their own page, and nobody else', async () => {
    const { results: users } = await read<{ results: Named[] }>('/v1/users?display_name_like=nora');
    const [{ id, display_name: name }] = users as [Named];
    await open('Users');
    await press(page.getByRole('link', { name }));
    await heading(name);
    await press(page.getByRole('main').getByRole('button', { name: `Freeze ${name}…` }));
    await passes('freeze-user');
    await press(page.getByRole('dialog').getByRole('button', { name: `Freeze user ${name}` }));
    await page.getByText(`Frozen: user ${name}`).waitFor();
    await page.keyboard.press('Escape');
    const { results: freezes } = await read<{ results: object[] }>('/v1/freezes');
    expect(freezes).toEqual([expect.objectContaining({ scope: 'user', id, by: officer.id })]);
    await open('Freezes');
    await changeRight('unfreeze', 'allow', { quorum: 1, user_ids: [bot.id] });
    await press(page.getByRole('button', { name: 'Unfreeze…' }));
    const waits = 'It waits for 1 approval of others (policy “officers: unfreeze”)';
    await shown(page.getByText(waits), 'what lifting it waits for');
    await passes('unfreeze');
    await page.keyboard.press('Escape');
    await changeRight('unfreeze', 'allow');
    await press(page.getByRole('button', { name: 'Unfreeze…' }));
    await page.getByText(waits).waitFor({ state: 'detached' });
    await page.getByText('It takes effect at once').waitFor();
    await press(page.getByRole('button', { name: 'Unfreeze this user' }));
    await page.getByRole('heading', { name: 'Unfrozen' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await read('/v1/freezes')).toMatchObject({ results: [] });
  });

  it('reads the audit log, checks its chain, and exports it', async () => {
    await open('Audit');
    await chooseOption(page.getByLabel('Outcome'), 'allowed');
    await chooseOption(page.getByLabel('Find by name'), 'What was done');
    await findOption(page.getByLabel('Which action'), 'update signing policy');
    const table = page.getByRole('table', { name: 'Audit entries' });
    await table.getByText('update-signing-policy').first().waitFor();
    await press(page.getByRole('button', { name: 'Check the chain' }));
    const told = page.getByText('entries follow from each other without a gap');
    const { ledger_head: head } = await read<{ ledger_head: { seq: number } }>('/v1/info');
    expect(Number.parseInt((await told.textContent()) ?? '', 10)).toBeGreaterThan(head.seq - 20);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      press(page.getByRole('button', { name: 'Export JSON lines' })),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { action: string }).action)).toEqual(
      Array.from({ length: 7 }, () => 'update-signing-policy'),
    );
    await press(page.getByRole('button', { name: 'Take out update signing policy' }));
    await chooseOption(page.getByLabel('Find by name'), 'A key');
    await findOption(page.getByLabel('Which key'), 'First wallet');
    await press(page.getByRole('button', { name: 'Take out key First wallet' }));
    await findOption(page.getByLabel('Which key'), 'First wallet');
    await page.getByRole('button', { name: 'Take out key First wallet' }).waitFor();
    await table.getByText('update-signing-policy').first().waitFor({ state: 'detached' });
    await table.getByRole('link', { name: 'First wallet' }).first().waitFor();
    await press(page.getByText('Find by ids'));
    expect(await page.getByLabel('Ids of keys').inputValue()).toMatch(/^[0-9a-f-]{36}$/);
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
    await page.getByRole('img', { name: /^Throughput, per second. answered: now / }).waitFor();
    expect(await page.locator('canvas').count()).toBe(4);
    const minutes = page.getByRole('table', { name: 'The newest minutes' }).getByRole('row');
    expect(await minutes.count()).toBeGreaterThan(1);
    await chooseOption(page.getByLabel('Range'), 'The last 24 hours');
    await expectOk(vault.admin, 'POST', '/v1/keys/freeze?venue_id=kraken', {});
    const changes = page.getByRole('table', { name: 'What changed' });
    const frozen = changes.getByRole('row').filter({ hasText: 'A venue was frozen' });
    await frozen.getByText('it goes on').waitFor();
    await expectOk(vault.admin, 'POST', '/v1/keys/unfreeze?venue_id=kraken', {});
    await comes(page, frozen.getByText('it goes on'), 'detached');
    await passes('operations');
    await changeRight('view_system_resources', 'deny');
    await page.getByText('You have no right to see this.').waitFor();
    expectFaults(/403/);
    await changeRight('view_system_resources', 'allow');
    await comes(page, page.getByText('You have no right to see this.'), 'detached');
    expectFaults(/403/); // what was asked for in between
  });

  it('says on every page that there is an alarm, and at its own whom it accuses', async () => {
    const health = page.getByRole('navigation', { name: 'Health' });
    await health.getByText('Parties signing 3/3').waitFor();
    await health.getByText('New alarms 0').waitFor();
    await raiseAlarm(vault);
    const findings = page.getByRole('table', { name: 'Findings' });
    await shown(findings.getByText('Party 3 is accused: party misbehaved.'), 'whom it accuses');
    await findings.getByText('Party 3 runs as “').waitFor();
    await page.getByText('the share does not fit the commitment').waitFor();
    await shown(health.getByText('New alarms 1'), 'an alarm that nobody has seen');
    await page.getByRole('navigation', { name: 'Screens' }).getByText('1 new alarms').waitFor();
    await passes('operations-alarm');
    const alarms = page.getByRole('table', { name: 'The newest alarms' });
    await press(alarms.getByRole('link', { name: 'Runbook: party misbehaved' }));
    await heading('Runbook: party misbehaved');
    await page.getByText('The accused may be taken over').waitFor();
    await passes('runbook');
    await shown(health.getByText('New alarms 0'), 'an alarm that somebody has seen');
  });

  it('shows every other page', async () => {
    const dialogs = {
      Requests: [],
      System: [],
      Vaults: ['New vault…'],
      Users: ['New group…'],
      Policies: ['New security group…', /^New policy… for/],
      Keys: ['New key…'],
    };
    for (const [name, openers] of Object.entries(dialogs)) {
      await open(name);
      await passes(name);
      for (const opener of openers) await dialogPasses(opener);
    }
  });

  it('leads from a key to what was signed with it, and says what stops it', async () => {
    await open('Keys');
    await press(page.getByRole('link', { name: 'First wallet' }));
    await heading('First wallet');
    await passes('key');
    await dialogPasses('Destroy First wallet…');
    const vaultId = await idOfTreasury();
    await expectOk(vault.admin, 'POST', `/v1/vaults/freeze?vault_ids=${vaultId}`, {});
    await page.getByText('frozen with its vault').waitFor();
    await expectOk(vault.admin, 'POST', `/v1/vaults/unfreeze?vault_ids=${vaultId}`, {});
    await comes(page, page.getByText('frozen with its vault'), 'detached');
    const keyId = new URL(page.url()).pathname.split('/').at(-1);
    await press(page.getByRole('link', { name: 'What was signed and refused with it' }));
    await heading('Audit');
    const entries = page.getByRole('table', { name: 'Audit entries' });
    await entries.getByText('raw-sign').first().waitFor();
    expect(await page.getByLabel('Ids of keys').inputValue()).toBe(keyId);
    const ofKey = await read<{ results: object[] }>(`/v1/audit-logs?limit=50&key_ids=${keyId}`);
    expect(await entries.getByRole('row').count()).toBe(1 + ofKey.results.length);
  });

  it('says that a page does not exist', async () => {
    await page.evaluate(
      "history.pushState({}, '', '/console/nowhere'); dispatchEvent(new PopStateEvent('popstate'))",
    );
    await heading('No such page');
    await passes('no such page');
  });

  it('checks addresses against the parties of a genesis that somebody brought', async () => {
    const { display_name: name } = await read<Named>(`/v1/vaults/${wallet.vaultId}`);
    await open('Vaults');
    await press(page.getByRole('link', { name }));
    await page.getByText('not checked').waitFor();
    const genesis = readFileSync(vault.prepared.genesisFile, 'utf8');
    await page.getByLabel('The vault’s genesis').fill(genesis);
    await press(page.getByRole('button', { name: 'Trust this genesis' }));
    await page.getByText('by three parties').waitFor();
    await passes('vault');
    await page.route('**/wallets?*', async (route) => {
      const { results, ...rest } = await answerTo<{ results: object[] }>(route);
      const moved = results.map((one) => ({ ...one, address: '1'.repeat(32) }));
      await route.fulfill({ json: { ...rest, results: moved } });
    });
    await page.getByLabel('Part of a name, or an address').fill(wallet.address);
    await page.getByText('not theirs: send nothing').waitFor();
    await page.unroute('**/wallets?*');
  });

  it('deletes what it names, and says what goes with it', async () => {
    const { results: users } = await read<{ results: Named[] }>('/v1/users?display_name_like=nora');
    const group = await expectOk<Named>(vault.admin, 'POST', '/v1/user-groups', {
      display_name: 'Night shift',
    });
    const nora = `/v1/users/${users[0]!.id}`;
    await expectOk(vault.admin, 'PUT', nora, { user_group_ids: [group.id] });
    await open('Users');
    await press(page.getByRole('button', { name: 'Delete Night shift…' }));
    await page.getByText('Take its members out first').waitFor();
    await page.getByRole('dialog').getByText('Nora').waitFor();
    await passes('delete-group');
    await page.keyboard.press('Escape');
    await expectOk(vault.admin, 'PUT', nora, { user_group_ids: [] });
    await press(page.getByRole('button', { name: 'Delete Night shift…' }));
    await page.getByText('Take its members out first').waitFor({ state: 'detached' });
    await confirm('Delete group Night shift');
    const { display_name: name } = await read<Named>(`/v1/security-groups/${wallet.groupId}`);
    await open('Policies');
    await press(page.getByRole('button', { name: `Members… of ${name}` }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Take out…' }));
    await passes('members');
    await press(page.getByRole('button', { name: `Take this wallet out of ${name}` }));
    await page.getByText('no wallet is named as a member').waitFor();
    await page.keyboard.press('Escape');
    await press(page.getByRole('link', { name: 'Payments' }));
    await press(page.getByRole('button', { name: 'Delete Payments…' }));
    await confirm('Delete policy Payments');
    expectFaults(/404/); // the page asks once more for what it shows
    await heading('Policies');
    await press(page.getByRole('button', { name: `Delete ${name}…` }));
    await confirm(`Delete security group ${name}`);
    const groups = await read<{ results: Named[] }>('/v1/security-groups');
    expect(groups.results.map((one) => one.id)).not.toContain(wallet.groupId);
    expect(await read('/v1/user-groups')).toMatchObject({ results: [] });
  });

  it('gives a right, shows what a change of it is, and takes it away', async () => {
    await open('Rights');
    await passes('rights');
    await press(page.getByRole('button', { name: 'New right…' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Bots stop');
    await chooseOption(dialog.getByLabel('Right', { exact: true }), 'Lift freezes (unfreeze)');
    await dialog.getByLabel('Approvals of others').fill('1');
    const whom = dialog.getByRole('group', { name: 'Whom it is about' });
    await whom.getByLabel('Part of a name').fill('Nora');
    await whom.getByRole('checkbox', { name: 'Nora' }).check();
    await dialog.getByText('Choose first who may approve.').waitFor();
    const approvers = dialog.getByRole('group', { name: 'Who may approve' });
    await approvers.getByRole('checkbox', { name: 'Olive' }).check();
    await dialog.getByText('1 approval of Olive Officer').waitFor();
    await passes('new-right');
    await press(dialog.getByRole('button', { name: 'Give right Bots stop' }));
    await shown(dialog.getByText('Bots stop is in force.'), 'a right');
    await page.keyboard.press('Escape');
    await press(page.getByRole('button', { name: 'Edit… Bots stop' }));
    await dialog.getByText('Nothing differs.').first().waitFor();
    await dialog.getByLabel('Approvals of others').fill('0');
    await dialog.getByText('was 1 approval of Olive Officer').waitFor();
    await passes('change-right');
    await press(dialog.getByRole('button', { name: 'Change right Bots stop' }));
    await shown(dialog.getByText('Bots stop is in force.'), 'a change of a right');
    await page.keyboard.press('Escape');
    const made = await adminPolicy('Bots stop');
    expect(made).toMatchObject({ action: 'unfreeze', version: 2 });
    expect(made).not.toHaveProperty('approvals');
    await press(page.getByRole('button', { name: 'Delete… Bots stop' }));
    await confirm('Delete right Bots stop');
    expect(await adminPolicy('Bots stop')).toBeUndefined();
  });

  it('writes the sixteen rights of a desk, beside what there is', async () => {
    const group = (display_name: string) =>
      expectOk<Named>(vault.admin, 'POST', '/v1/user-groups', { display_name });
    const officers = await group('Officers');
    await group('Auditors');
    const joins = (id: string) =>
      expectOk(vault.admin, 'PUT', `/v1/users/${id}`, { user_group_ids: [officers.id] });
    await joins(officer.id);
    await open('Rights');
    await press(page.getByRole('link', { name: 'Rights for a desk' }));
    await heading('Rights for a desk');
    await chooseOption(page.getByLabel('Officers: which group'), 'Officers');
    await chooseOption(page.getByLabel('Auditors: which group'), 'Auditors');
    await page.getByText('has 1 of the two members').waitFor();
    await joins(bot.id);
    const write = page.getByRole('button', { name: 'Write these 16 policies' });
    await page.getByText('members it needs').waitFor({ state: 'detached' });
    await page.getByText('What stays beside it').waitFor();
    await passes('desk');
    await press(write);
    await shown(page.getByText('All of them are in force.'), 'the template');
    await passes('desk-written');
    const { results } = await read<{ results: Named[] }>('/v1/admin-policies?limit=100');
    const desk = results.filter(({ display_name: name }) => name.startsWith('desk: '));
    expect(desk).toHaveLength(16);
    // from now on two officers change rights
    await open('Rights');
    await press(page.getByRole('button', { name: 'Delete… desk: freeze' }));
    await page.getByText('waits for 1 approval of others (policy “desk: manage_admin').waitFor();
    await page.keyboard.press('Escape');
    await Promise.all(
      desk.map(({ id }) => expectOk(vault.admin, 'DELETE', `/v1/admin-policies/${id}`)),
    );
  });

  it('makes a webhook, tells what was sent to it, and deletes it', async () => {
    await open('Webhooks');
    await passes('webhooks-empty');
    await press(page.getByRole('button', { name: 'New webhook…' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Pager');
    await dialog.getByLabel(/^Address/).fill('https://hooks.example.com/countersign');
    await passes('new-webhook');
    await press(dialog.getByRole('button', { name: 'Make webhook Pager' }));
    await shown(dialog.getByText('Pager is told from now on'), 'a webhook');
    await page.keyboard.press('Escape');
    await passes('webhooks');
    await press(page.getByRole('button', { name: 'Sent… of Pager' }));
    await dialog.getByText('Nothing was sent yet.').waitFor(); // no notifier runs here
    await passes('deliveries');
    await page.keyboard.press('Escape');
    await press(page.getByRole('button', { name: 'Edit… of Pager' }));
    await dialog.getByLabel('It is on').uncheck();
    await press(dialog.getByRole('button', { name: 'Change webhook Pager' }));
    await shown(dialog.getByText('Pager is told nothing for now.'), 'a change of a webhook');
    await page.keyboard.press('Escape');
    const { results } = await read<{ results: object[] }>('/v1/webhooks');
    expect(results).toMatchObject([{ display_name: 'Pager', enabled: false, version: 2 }]);
    await press(page.getByRole('button', { name: 'Delete… of Pager' }));
    await confirm('Delete webhook Pager');
    expect(await read('/v1/webhooks')).toMatchObject({ results: [] });
  });

  it('shows an order as its bytes have it, before somebody approves it', async () => {
    const desk = await openConsoleDesk(vault, officer.id);
    const { status, requestId } = await desk.order('2.5');
    expect(status).toBe(202);
    await open('Approvals');
    await press(page.locator(`a[href$="${requestId}"]`).first());
    await page.getByRole('heading', { name: 'The order, read here' }).waitFor();
    expect([await toldOf('Quantity'), await toldOf('Price')]).toEqual(['2.5', '61250.5']);
    await page.getByText('153126.25 USDT (price × quantity, computed here)').waitFor();
    await passes('order');
    await press(page.getByRole('button', { name: 'Approve…' }));
    await page.getByRole('dialog').getByText('countersign -- requests show - --verify').waitFor();
    await passes('approve-order');
    await page.keyboard.press('Escape');
    const target = `**/v1/requests/${requestId}`;
    await page.route(target, async (route) => {
      const record = await answerTo<{ facts: object }>(route);
      await route.fulfill({ json: { ...record, facts: { ...record.facts, amounts: ['0.1'] } } });
    });
    await comes(page, page.getByText('The gateway says otherwise of its amounts'));
    expect(await toldOf('Quantity')).toBe('2.5');
    await page.unroute(target);
    await comes(page, page.getByText('The gateway says otherwise'), 'detached');
    await press(page.getByRole('button', { name: 'Approve…' }));
    await press(page.getByRole('button', { name: 'Approve this request' }));
    await page.getByText('the vault has your approval').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('whether the venue took the order, is not known here').waitFor();
    await showsBatch(await desk.ladder(['0.01', '0.02']));
    await showsTransaction(await desk.transfer(1_500_000_000n));
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
  await press(
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true }),
  );
  await heading(name);
}

/** As somebody does who has no pointer, once it can be pressed. */
async function press(target: ReturnType<Page['getByRole']>): Promise<void> {
  await target.and(page.locator(':not([aria-disabled="true"])')).focus();
  await page.keyboard.press('Enter');
}

/** A dialog that a button opens, and nobody goes on with. */
async function dialogPasses(opener: string | RegExp): Promise<void> {
  await press(page.getByRole('button', { name: opener }).first());
  await page.getByRole('dialog').waitFor();
  await passes(String(opener));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** What the vault answers. The browser alone finds it at the origin of its genesis. */
async function answerTo<Body>(route: Route): Promise<Body> {
  const { authorization = '' } = route.request().headers();
  const target = route.request().url().replace(CONSOLE_ORIGIN, vault.baseUrl);
  return (await (await fetch(target, { headers: { authorization } })).json()) as Body;
}

/** While the gateway shows other bytes than it names the digest of, nobody can approve them. */
async function showsNoOtherBytes(requestId: string, look: () => Promise<void>): Promise<void> {
  const target = `**/v1/requests/${requestId}`;
  const body = Buffer.from(JSON.stringify({ message: 'b3RoZXI=' })).toString('base64');
  await page.route(target, async (route) => {
    const record = await answerTo<{ content: object }>(route);
    await route.fulfill({ json: { ...record, content: { ...record.content, body } } });
  });
  await look();
  await page.getByText('The digest of what is shown is not the one').waitFor();
  await page.getByRole('button', { name: 'Approve…' }).focus();
  await page.keyboard.press('Enter');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.unroute(target);
  await comes(page, page.getByText('The digest of what is shown'), 'detached');
}

/** What holds of every page. Nobody needs a pointer, and a phone shows it whole. */
async function passes(name: string): Promise<void> {
  expect({ name, faults: await faultsOfPage(page) }).toEqual({ name, faults: [] });
}

/** Without scrolling, at a desk and on a phone. */
async function inSight(target: ReturnType<Page['getByRole']>): Promise<void> {
  for (const size of [NARROW, WIDE]) {
    await page.setViewportSize(size);
    await page.evaluate('scrollTo(0, 0)');
    const { y = Infinity, height = 0 } = (await target.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(size.height);
  }
}

/** What is signed for is read in the page, whatever the gateway says beside it. */
async function showsTransaction(requestId: string): Promise<void> {
  await goTo(requestId);
  await shown(page.getByRole('heading', { name: 'The transaction, read here' }), 'a transaction');
  expect(await toldOf('Instruction 1')).toBe('1.5 SOL');
  await passes('transaction');
  const target = `**/v1/requests/${requestId}`;
  await page.route(target, async (route) => {
    const record = await answerTo<{ facts: object }>(route);
    const facts = { ...record.facts, destinations: [wallet.address] };
    await route.fulfill({ json: { ...record, facts } });
  });
  await comes(page, page.getByText('The gateway says otherwise of its destinations'));
  await page.unroute(target);
}

async function goTo(requestId: string): Promise<void> {
  await page.evaluate(
    `history.pushState({}, '', '/console/requests/${requestId}'); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

interface DatedRecord {
  readonly created_at: string;
  readonly countersignatures?: readonly { readonly at: string }[];
  readonly approved_at: readonly string[];
  readonly receipt: { readonly signed_at: string };
  readonly completed_at: string;
}

/** How much is told of a time by its last digit, ms. */
const ROUNDED: Readonly<Record<string, readonly [unit: number, to: number]>> = {
  ms: [1, 0.1],
  s: [1_000, 100],
  min: [60_000, 60_000],
};

/** Each stage has a bar from where the one before it ended, and a time; together they are what the request took. */
async function showsStages(requestId: string): Promise<void> {
  const stages = page.getByRole('list', { name: 'How long each stage took' }).getByRole('listitem');
  await stages.filter({ hasText: 'Completed' }).waitFor();
  const record = await read<DatedRecord>(`/v1/requests/${requestId}`);
  const { created_at: begun, completed_at: ended, receipt, approved_at: approved } = record;
  const judged = (record.countersignatures ?? []).map(({ at }) => at);
  const times = [begun, ...judged, ...approved, receipt.signed_at, ended]
    .map((at) => Date.parse(at))
    .toSorted((one, other) => one - other);
  const told = await stages.allInnerTexts();
  expect(told).toHaveLength(times.length - 1);
  for (const stage of ['Approved', 'Signed by party', 'Completed']) {
    expect(told.filter((text) => text.startsWith(stage))).toHaveLength(1);
  }
  const lengths = told.map((text) => /([\d.]+) (ms|s|min)$/.exec(text)!.slice(1));
  const sum = lengths.reduce((all, [count, unit]) => all + Number(count) * ROUNDED[unit!]![0], 0);
  const doubt = lengths.reduce((all, [, unit]) => all + ROUNDED[unit!]![1], 0);
  expect(Math.abs(sum - (times.at(-1)! - times[0]!))).toBeLessThanOrEqual(doubt);
  await barsStandFor(times, stages);
}

/** To a pixel. What took next to no time is 2 of them wide all the same. */
async function barsStandFor(times: readonly number[], stages: Locator): Promise<void> {
  const [first, last] = [times[0]!, times.at(-1)!];
  for (const [place, ended] of times.slice(1).entries()) {
    const track = stages.nth(place).locator('[aria-hidden]');
    const bar = track.locator('span');
    const [within, { x, width, height }] = await Promise.all([boxOf(track), boxOf(bar)]);
    const pixels = (ms: number) => (ms / (last - first)) * within.width;
    const begun = times[place]!;
    expect(Math.abs(x - within.x - pixels(begun - first))).toBeLessThanOrEqual(1);
    expect(Math.abs(width - Math.max(2, pixels(ended - begun)))).toBeLessThanOrEqual(1);
    expect(height).toBeGreaterThanOrEqual(8);
    expect(await colourOf(bar)).not.toBe(await colourOf(track));
  }
}

async function boxOf(what: Locator): Promise<{ x: number; width: number; height: number }> {
  const box = await what.boundingBox();
  expect(box).not.toBeNull();
  return box!;
}

interface Styled {
  getComputedStyle(element: unknown): { readonly backgroundColor: string };
}

const colourOf = (what: Locator): Promise<string> =>
  what.evaluate(
    (element) => (globalThis as unknown as Styled).getComputedStyle(element).backgroundColor,
  );

/** A batch leads to its items, and each of them back, with what stands at its place. */
async function showsBatch(requestId: string): Promise<void> {
  await goTo(requestId);
  const items = page.getByRole('table', { name: 'Items of the batch' });
  await shown(items.getByText('completed').nth(1), 'the items of a batch');
  await passes('batch');
  await press(items.getByRole('link').nth(1));
  await page.getByText('Item 2 of').waitFor();
  expect(await toldOf('Quantity')).toBe('0.02');
  expect(await page.getByText('another id than an item there').count()).toBe(0);
  await press(page.getByRole('link', { name: /^batch / }));
  await items.waitFor();
}

/** Presses the button that says what it does, and closes the dialog once it is done. */
async function confirm(act: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await press(dialog.getByRole('button', { name: act, exact: true }));
  await shown(dialog.getByRole('heading', { name: 'Done' }), act);
  await page.keyboard.press('Escape');
}

/** What stands beside a name. */
async function factOf(name: string): Promise<string> {
  const fact = page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd code');
  return fact.innerText();
}

/** The value of a term of an order. */
async function toldOf(term: string): Promise<string> {
  const fact = page.locator('dt', { hasText: new RegExp(`^${term}$`) }).locator('+ dd strong');
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

const payments = () => read<Policy>(`/v1/signing-policies/${wallet.policyId}`);

/** Somebody else does, meanwhile. */
async function changePayments(change: (policy: Policy) => Policy['rules']): Promise<Policy> {
  const policy = await payments();
  return expectOk<Policy>(vault.admin, 'PUT', `/v1/signing-policies/${wallet.policyId}`, {
    display_name: policy.display_name,
    version: policy.version,
    rules: change(policy),
  });
}

async function openPayments(): Promise<void> {
  await press(page.getByRole('link', { name: 'Payments' }));
  await heading('Payments');
}

async function adminPolicy(name: string): Promise<object | undefined> {
  const { results } = await read<{ results: Named[] }>('/v1/admin-policies?limit=100');
  return results.find((one) => one.display_name === name);
}

/** Of the vault that the first steps made. */
async function idOfTreasury(): Promise<string> {
  const { results } = await read<{ results: Named[] }>('/v1/vaults');
  return results.find(({ display_name: name }) => name === 'Treasury')!.id;
}

interface AskedApprovals {
  readonly quorum: number;
  readonly user_ids: readonly string[];
}

/** Gives the officer one right, with the approvals that it then waits for, or takes it. */
async function changeRight(
  action: string,
  effect: 'allow' | 'deny',
  approvals?: AskedApprovals,
): Promise<void> {
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
    ...(approvals !== undefined && { approvals }),
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
