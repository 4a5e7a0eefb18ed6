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
  type ConsoleBrowser,
} from './support/console-browser.ts';
import { openConsoleDesk, type ConsoleDesk } from './support/console-desk.ts';
import { createOfficer, signInAt } from './support/console-person.ts';
import { countClicks, isInSight, type CountedClicks } from './support/counted-clicks.ts';
import { tableRows } from './support/page-tables.ts';
import { runWhere } from './support/run-where.ts';
import { expectOk, openTestVault, type TestVault } from './support/test-vault.ts';

const GUIDE = join(import.meta.dirname, '../docs/how-to/console.md');
const PARTY_2 = 1;

interface Named {
  readonly id: string;
  readonly display_name: string;
}

let vault: TestVault;
let browser: ConsoleBrowser;
let page: Page;
let desk: ConsoleDesk;
let ownAddresses: Named;

jest.setTimeout(120_000);

const describeInBrowser = runWhere(describe, HAS_CHROMIUM, 'needs Chromium');

describeInBrowser('a task at the console takes as many clicks as the guide says:', () => {
  beforeAll(async () => {
    vault = await openTestVault({ hasSignIn: true });
    const officer = await createOfficer(vault);
    browser = await openBrowser(portOf(vault.stack.baseUrl), portOf(vault.stack.baseUrl));
    page = await browser.openPage();
    await page.goto(`${CONSOLE_ORIGIN}/console/`);
    await signInAt(page, 'officer');
    await page.getByLabel('Enrolment code').fill(officer.enrollment_code);
    await button('Make a passkey').click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    desk = await openConsoleDesk(vault, officer.id);
    ownAddresses = await prepareForWithdrawals();
    const { status } = await desk.order('2.5');
    expect(status).toBe(202);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await vault?.close();
  }, 60_000);

  it('approve an order', async () => {
    const mouse = countClicks(page);
    await mouse.click(page.getByRole('link', { name: 'buy · 2.5 · BTCUSDT' }));
    await mouse.click(button('Approve…'));
    await mouse.click(button('Approve this request'));
    await page.getByText('the vault has your approval').waitFor();
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
    await mouse.click(box('Withdrawals go to', ownAddresses.display_name));
    await mouse.click(box('Who approves withdrawals', 'Group Risk officers'));
    await mouse.click(dialog.getByRole('button', { name: 'Publish policy Desk' }));
    await page.getByRole('heading', { level: 1, name: 'Desk' }).waitFor();
    isAsTheGuideSays('Write a policy and publish it', mouse);
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
        when: { operation_classes: ['withdraw'], destination_lists: [ownAddresses.id] },
        then: { require_approvals: { quorum: 2 } },
      },
    ]);
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

/** A second officer who can approve, values in US dollars that rules may name, and a list that withdrawals may go to. */
async function prepareForWithdrawals(): Promise<Named> {
  const groups = await expectOk<{ results: Named[] }>(vault.admin, 'GET', '/v1/user-groups');
  const officers = groups.results.find((one) => one.display_name === 'Risk officers')!;
  await vault.createMachine({ display_name: 'Second officer', user_group_ids: [officers.id] });
  const settings = '/v1/system-settings';
  const { version } = await expectOk<{ version: number }>(vault.admin, 'GET', settings);
  await expectOk(vault.admin, 'PATCH', settings, { version, usd_value_conditions_enabled: true });
  return expectOk<Named>(vault.admin, 'POST', '/v1/address-lists', {
    display_name: 'Own addresses',
    entries: [{ address: 'bc1qcoldstorage', display_name: 'Cold storage' }],
  });
}

async function rulesOf(name: string): Promise<unknown> {
  const { results } = await expectOk<{ results: (Named & { rules: unknown })[] }>(
    vault.admin,
    'GET',
    '/v1/signing-policies?limit=100',
  );
  return results.find((one) => one.display_name === name)?.rules;
}
