/**
 * What a desk does with the console most, by what is seen on it alone, in a real browser: how many clicks each task takes
 * is what the guide says. Without Chromium it is skipped, and told as skipped.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import {
  CONSOLE_ORIGIN,
  HAS_CHROMIUM,
  openBrowser,
  portOf,
  settled,
  type ConsoleBrowser,
} from '../support/console-browser.ts';
import { openConsoleDesk, type ConsoleDesk } from '../support/console-desk.ts';
import { chooseOption } from '../support/chosen-options.ts';
import { createOfficer, signInAt } from '../support/console-person.ts';
import { countClicks, isInSight, type CountedClicks } from '../support/counted-clicks.ts';
import { tableRows } from '../support/page-tables.ts';
import { runWhere } from '../support/run-where.ts';
import { eventually, expectOk, openTestVault, type TestVault } from '../support/test-vault.ts';

const GUIDE = join(import.meta.dirname, '../../docs/how-to/console.md');
const PARTY_2 = 1;

interface Named {
  readonly id: string;
  readonly display_name: string;
}

let vault: TestVault;
let browser: ConsoleBrowser;
let page: Page;
let desk: ConsoleDesk;
let officerId: string;

jest.setTimeout(120_000);

const describeInBrowser = runWhere(describe, HAS_CHROMIUM, 'needs Chromium');

describeInBrowser('a task at the console takes as many clicks as the guide says:', () => {
  beforeAll(async () => {
    vault = await openTestVault({ hasSignIn: true });
    const officer = await createOfficer(vault);
    officerId = officer.id;
    browser = await openBrowser(portOf(vault.stack.baseUrl), portOf(vault.stack.baseUrl));
    page = await browser.openPage();
    await page.goto(`${CONSOLE_ORIGIN}/console/`);
    await signInAt(page, 'officer');
    await page.getByLabel('Enrolment code').fill(officer.enrollment_code);
    await button('Make a passkey').click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    desk = await openConsoleDesk(vault, officer.id);
    await prepareForWithdrawals();
    const { status } = await desk.order('2.5');
    expect(status).toBe(202);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await vault?.close();
  }, 60_000);

  it('approve an order', async () => {
    await page.getByRole('row').getByText('153126.25 USDT').waitFor();
    const mouse = countClicks(page);
    await mouse.click(page.getByRole('link', { name: 'buy · 2.5 · BTCUSDT' }).first());
    await mouse.click(button('Approve…'));
    await mouse.click(button('Approve this request'));
    await page.getByText('the vault has your approval. No approval is missing any more.').waitFor();
    isAsTheGuideSays('Approve an order', mouse);
    await page.keyboard.press('Escape');
  });

  it('find who signed an order, and its receipt', async () => {
    await home();
    const mouse = countClicks(page);
    await mouse.click(screenLink('Requests'));
    await mouse.click(page.getByRole('table', { name: 'Requests' }).getByRole('link').first());
    const signers = page
      .locator('dt', { hasText: /^Signed by$/ })
      .locator('+ dd')
      .first();
    await signers.getByText(/^party [123] and party [123],/).waitFor();
    await isSeen(signers);
    await mouse.click(page.getByRole('link', { name: 'Its receipt' }));
    await isSeen(page.getByRole('heading', { name: 'Receipt' }));
    isAsTheGuideSays('Find who signed it, and its receipt', mouse);
  });

  it('find a request by its id that was signed at once', async () => {
    const requestId = await desk.signedOrder('0.01');
    await home();
    const mouse = countClicks(page);
    await mouse.click(screenLink('Requests'));
    await mouse.write(page.getByLabel(/^Open any request by its id/), requestId);
    await page.keyboard.press('Enter');
    await page.getByText(/^party [123] and party [123],/).waitFor();
    isAsTheGuideSays('Find any request by its id', mouse);
  });

  it('what was signed at once is found from the list of those that waited, which says what they were', async () => {
    const requestId = await desk.signedOrder('0.02');
    await home();
    await screenLink('Requests').click();
    const waited = page.getByRole('table', { name: 'Requests' });
    const approved = waited.getByRole('row').filter({ hasText: 'completed' });
    await approved.getByRole('link', { name: 'trade · binance · buy · 2.5 · BTCUSDT' }).waitFor();
    await page.getByRole('link', { name: 'all signatures, newest first' }).click();
    const entries = page.getByRole('table', { name: 'Audit entries' });
    await entries.getByRole('link', { name: requestId.slice(0, 8) }).click();
    await page.getByRole('heading', { name: 'The order, read here' }).waitFor();
    const asSent = page.getByLabel('The request as it was sent');
    expect(await asSent.isVisible()).toBe(false);
    await page.getByText('What was asked for, byte by byte').click();
    await asSent.getByText('quantity=0.02').waitFor();
  });

  it('a list of requests leads to an approval, and approves nothing itself', async () => {
    const { requestId } = await desk.order('1.5');
    await home();
    await screenLink('Requests').click();
    const row = page.getByRole('row').filter({ hasText: requestId.slice(0, 8) });
    await row.getByRole('button', { name: `Copy the request id ${requestId}` }).waitFor();
    expect(await row.getByRole('button', { name: /approve/i }).count()).toBe(0);
    await row.getByRole('link', { name: /^Review…/ }).click();
    await isSeen(button('Approve…'));
  });

  it('freeze a bot, and see what that stopped', async () => {
    await home();
    const mouse = countClicks(page);
    const dialog = page.getByRole('dialog');
    await mouse.click(button('Freeze…'));
    await mouse.choose(dialog.getByLabel('What', { exact: true }), 'A bot or person');
    const which = dialog.getByLabel('Which bot or person');
    await mouse.choose(which, 'Market maker (machine)');
    await mouse.click(dialog.getByRole('button', { name: 'Freeze user Market maker (machine)' }));
    await dialog.getByText('From now on no party signs').waitFor();
    expect((await desk.order('0.1')).status).toBe(401);
    const stopped = dialog.getByRole('table', { name: 'What it has stopped since' });
    await stopped.getByText('sign-with-key').waitFor();
    await isSeen(stopped);
    isAsTheGuideSays('Freeze a bot, and see what that stopped', mouse);
    await page.keyboard.press('Escape');
    await expectOk(vault.admin, 'POST', `/v1/users/unfreeze?user_ids=${desk.bot.id}`, {});
  });

  it('write a policy and publish it', async () => {
    await home();
    const mouse = countClicks(page);
    const dialog = page.getByRole('dialog');
    const box = (group: string, name: string): Locator =>
      dialog.getByRole('group', { name: group }).getByRole('checkbox', { name, exact: true });
    await mouse.click(screenLink('Policies'));
    await mouse.click(button(`New policy… for ${desk.groupName}`));
    await mouse.write(dialog.getByLabel('Name', { exact: true }), 'Desk');
    await mouse.choose(
      dialog.getByLabel('Begin with'),
      'Trading: orders in US dollars, withdrawals after approvals',
    );
    await mouse.write(dialog.getByLabel('Markets'), 'BTCUSDT, ETHUSDT');
    await mouse.write(dialog.getByLabel('US dollars an order'), '5000');
    await mouse.write(dialog.getByLabel('US dollars in any 24 hours'), '100000');
    await mouse.click(box('Who asks', 'Market maker'));
    await mouse.click(dialog.getByRole('button', { name: 'New address list…' }));
    const list = page.getByRole('dialog', { name: 'New address list' });
    await mouse.write(list.getByLabel('Name', { exact: true }), 'Own addresses');
    await mouse.write(list.getByLabel('Address 1'), 'bc1qcoldstorage');
    await mouse.write(list.getByLabel('Whose it is, 1'), 'Cold storage');
    await mouse.click(list.getByRole('button', { name: 'Make address list Own addresses' }));
    await list.waitFor({ state: 'detached' });
    await dialog.getByRole('checkbox', { name: 'Own addresses', checked: true }).waitFor();
    await mouse.click(box('Who approves withdrawals', 'Group Risk officers'));
    await isToldOfTooFew(dialog);
    await mouse.click(dialog.getByRole('button', { name: 'Publish policy Desk' }));
    await page.getByRole('heading', { level: 1, name: 'Desk' }).waitFor();
    isAsTheGuideSays('Write a policy and publish it, with its address list', mouse);
    const { results } = await expectOk<{ results: Named[] }>(
      vault.admin,
      'GET',
      '/v1/address-lists',
    );
    expect(await rulesOf('Desk')).toMatchObject([
      {
        when: {
          venue_ids: ['binance'],
          operation_classes: ['trade'],
          symbols: ['BTCUSDT', 'ETHUSDT'],
          usd_value: { max: '5000' },
          velocity: { limit: '100000', unit: 'usd', window_s: 86_400 },
        },
        then: 'allow',
      },
      { when: { operation_classes: ['read', 'cancel'] }, then: 'allow' },
      {
        when: { operation_classes: ['withdraw'], destination_lists: [results[0]!.id] },
        then: { require_approvals: { quorum: 2 } },
      },
    ]);
  });

  it('write a policy that comes above the one that denies all the rest', async () => {
    const group = await expectOk<Named>(vault.admin, 'POST', '/v1/security-groups', {
      display_name: 'Payouts',
    });
    const rest = await expectOk<Named>(vault.admin, 'POST', '/v1/signing-policies', {
      display_name: 'The end',
      security_group_id: group.id,
      rules: [{ display_name: 'Deny the rest', when: {}, then: 'deny' }],
    });
    // what was read a moment ago is not read anew
    await eventually(async () => {
      await home();
      await screenLink('Policies').click();
      await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
      await settled(page);
      return button('New policy… for Payouts').isVisible();
    }, 30_000);
    await button('New policy… for Payouts').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Night desk');
    await dialog.getByText('It goes above “The end”, which denies all the rest').waitFor();
    await dialog.getByRole('button', { name: 'Make policy Night desk' }).click();
    await page.getByRole('heading', { level: 1, name: 'Night desk' }).waitFor();
    const { signing_policy_ids: order } = await expectOk<{ signing_policy_ids: string[] }>(
      vault.admin,
      'GET',
      `/v1/security-groups/${group.id}`,
    );
    expect(order).toEqual([expect.any(String), rest.id]);
    await screenLink('Policies').click();
    await page.getByRole('link', { name: 'The end' }).click();
    await page.getByText('This rule can never be reached: “Deny everything else”').waitFor();
  });

  it('keep what was written, while its address list waits for approvals', async () => {
    await expectOk(vault.admin, 'POST', '/v1/admin-policies', {
      display_name: 'Two for lists',
      action: 'manage_signing_policies',
      effect: 'allow',
      subjects: { user_ids: [officerId] },
      approvals: { quorum: 1, user_ids: [desk.bot.id] },
    });
    await home();
    await screenLink('Policies').click();
    await button(`New policy… for ${desk.groupName}`).click();
    const dialog = page.getByRole('dialog', { name: /^New policy for/ });
    await dialog.getByText('These rules decide first').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('Night desk');
    await chooseOption(
      dialog.getByLabel('Begin with'),
      'Trading: orders in US dollars, withdrawals after approvals',
    );
    await dialog.getByLabel('US dollars an order').fill('250');
    await dialog.getByRole('button', { name: 'New address list…' }).click();
    const list = page.getByRole('dialog', { name: 'New address list' });
    await list.getByLabel('Name', { exact: true }).fill('Suppliers');
    await list.getByLabel('Address 1').fill('bc1qsupplier');
    await list.getByLabel('Whose it is, 1').fill('Metals');
    await list.getByText('It waits for 1 approval of others').waitFor();
    await list.getByRole('button', { name: 'Make address list Suppliers' }).click();
    await list.getByText('it may wait for approvals').waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await dialog.getByText('Address list Suppliers waits for approvals (0 of 1).').waitFor();
    await dialog.getByRole('link', { name: 'Follow its request' }).click();
    await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
    await screenLink('Policies').click();
    await button(`New policy… for ${desk.groupName}`).click();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Night desk');
    expect(await dialog.getByLabel('US dollars an order').inputValue()).toBe('250');
    await dialog.getByText('Address list Suppliers waits for approvals (0 of 1).').waitFor();
    await dialog.getByRole('button', { name: 'Empty the form' }).click();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    await page.keyboard.press('Escape');
  });

  it('find why a party is down', async () => {
    await home();
    await vault.stack.signers[PARTY_2]!.stop();
    const health = page.getByRole('navigation', { name: 'Health' });
    await health.getByText('2/3').waitFor();
    const mouse = countClicks(page);
    await mouse.click(health.getByRole('link', { name: /^Parties signing/ }));
    const finding = page
      .getByRole('table', { name: 'Findings' })
      .getByText(/party 2/i)
      .first();
    await finding.waitFor();
    await isSeen(finding);
    await isSeen(page.getByRole('table', { name: 'Findings' }).getByRole('link').first());
    isAsTheGuideSays('Find why a party is down', mouse);
  });
});

const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

const screenLink = (name: string): Locator =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true });

/** Where somebody is who has just signed in. */
async function home(): Promise<void> {
  await screenLink('Approvals').click();
  await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
  await page.evaluate('scrollTo(0, 0)');
}

async function isSeen(what: Locator): Promise<void> {
  expect(await isInSight(what)).toBe(true);
}

function isAsTheGuideSays(task: string, { clicks, scrolls }: CountedClicks): void {
  const rows = tableRows(GUIDE, 'task').filter((row) => row['task'] === task);
  expect({ task, clicks: [String(clicks())], scrolls: [String(scrolls())] }).toEqual({
    task,
    clicks: rows.map((row) => row['clicks']),
    scrolls: rows.map((row) => row['scrolls']),
  });
}

/** Where two can approve: of a quorum of three, and no longer of two. */
async function isToldOfTooFew(dialog: Locator): Promise<void> {
  const tooFew = dialog.getByText('Of those chosen 2 can approve now, and a withdrawal needs 3');
  const quorum = dialog.getByLabel('Approvals of a withdrawal');
  await quorum.fill('3');
  await tooFew.waitFor();
  await quorum.fill('2');
  await tooFew.waitFor({ state: 'detached' });
}

/** A second officer who can approve, and values in US dollars that rules may name. */
async function prepareForWithdrawals(): Promise<void> {
  const groups = await expectOk<{ results: Named[] }>(vault.admin, 'GET', '/v1/user-groups');
  const officers = groups.results.find((one) => one.display_name === 'Risk officers')!;
  await vault.createMachine({ display_name: 'Second officer', user_group_ids: [officers.id] });
  const settings = '/v1/system-settings';
  const { version } = await expectOk<{ version: number }>(vault.admin, 'GET', settings);
  await expectOk(vault.admin, 'PATCH', settings, { version, usd_value_conditions_enabled: true });
}

async function rulesOf(name: string): Promise<unknown> {
  const { results } = await expectOk<{ results: (Named & { rules: unknown })[] }>(
    vault.admin,
    'GET',
    '/v1/signing-policies?limit=100',
  );
  return results.find((one) => one.display_name === name)?.rules;
}
