/**
 * Pictures of every page and dialog of the console, each in light and dark, wide and narrow, at a vault with a small
 * trading desk: for people to look at. They land in `.countersign/pictures`, or in the folder that `PICTURES` names.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import {
  comes,
  CONSOLE_ORIGIN,
  openBrowser,
  portOf,
  settled,
  takeScreenshots,
  type ConsoleBrowser,
} from '../../test/support/console-browser.ts';
import { seriousFaults } from '../../test/support/console-checks.ts';
import { chooseOption, findOption } from '../../test/support/chosen-options.ts';
import { openConsoleDesk, type ConsoleDesk } from '../../test/support/console-desk.ts';
import { createOfficer, signInAt, type Officer } from '../../test/support/console-person.ts';
import { raiseAlarm } from '../../test/support/raised-alarm.ts';
import {
  eventually,
  expectOk,
  openTestVault,
  type TestVault,
} from '../../test/support/test-vault.ts';

const FOLDER = process.env['PICTURES'] ?? join(import.meta.dirname, '../../.countersign/pictures');

let vault: TestVault;
let browser: ConsoleBrowser;
let page: Page;
let officer: Officer;
let desk: ConsoleDesk;
let count = 0;

jest.setTimeout(300_000);

beforeAll(async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  vault = await openTestVault({ hasSignIn: true });
  officer = await createOfficer(vault);
  browser = await openBrowser(portOf(vault.stack.baseUrl), portOf(vault.stack.baseUrl));
  page = await browser.openPage();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await vault?.close();
}, 60_000);

const button = (name: string | RegExp): Locator => page.getByRole('button', { name }).first();
const dialog = (): Locator => page.getByRole('dialog');

async function picture(name: string): Promise<void> {
  await settled(page);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const faults = await seriousFaults(page);
    expect({ name, colorScheme, faults }).toEqual({ name, colorScheme, faults: [] });
  }
  count += 1;
  await takeScreenshots(page, `${String(count).padStart(2, '0')}-${name}`, FOLDER);
}

async function open(name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function close(): Promise<void> {
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
}

/** A dialog, opened by its button, and left again. */
async function pictureOf(act: string | RegExp, name: string): Promise<void> {
  await button(act).click();
  await dialog().waitFor();
  await picture(name);
  await close();
}

/** Another project's page, in a tab of its own: only whether it is there is ours. */
async function pictureOfQueues(): Promise<void> {
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Queues' }).click();
  const board = await opened;
  await board.getByText('party', { exact: false }).first().waitFor();
  await takeScreenshots(board, `${String((count += 1)).padStart(2, '0')}-queues`, FOLDER);
  await board.close();
}

interface Policy {
  readonly display_name: string;
  readonly version: number;
  readonly rules: readonly object[];
}

/** Somebody else does, without the first rule. */
async function publishMeanwhile(policyId: string): Promise<void> {
  const target = `/v1/signing-policies/${policyId}`;
  const { display_name, version, rules } = await expectOk<Policy>(vault.admin, 'GET', target);
  await expectOk(vault.admin, 'PUT', target, { display_name, version, rules: rules.slice(1) });
}

it('comes in, and sees pages that are empty', async () => {
  await page.goto(`${CONSOLE_ORIGIN}/console/`);
  await button('Sign in as a developer').waitFor();
  await picture('sign-in');
  await signInAt(page, 'officer');
  await page.getByLabel('Enrolment code').waitFor();
  await picture('enrol');
  await page.getByLabel('Enrolment code').fill(officer.enrollment_code);
  await button('Make a passkey').click();
  await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
  await picture('approvals-empty');
  for (const name of [
    'Requests',
    'Freezes',
    'Policies',
    'Address book',
    'Keys',
    'Vaults',
    'First steps',
  ]) {
    await open(name);
    await picture(`${name.toLowerCase().replace(' ', '-')}-empty`);
  }
});

it('takes the first steps', async () => {
  await button('Create vault Treasury').click();
  await button('Create a Solana wallet in Treasury').click();
  await button('Allow me to sign messages').click();
  await button('Sign this message').click();
  await page.getByText('Public key', { exact: true }).waitFor();
  await picture('first-steps-done');
  await page.getByRole('link', { name: 'As a bot' }).click();
  await page.getByRole('heading', { level: 1, name: 'As a bot' }).waitFor();
  await picture('as-a-bot');
});

it('approves a large order', async () => {
  desk = await openConsoleDesk(vault, officer.id);
  for (const quantity of ['0.01', '0.2', '0.35', '0.05']) {
    expect(await desk.order(quantity)).toMatchObject({ status: 200 });
  }
  expect((await desk.order('7')).status).toBe(403);
  const { status } = await desk.order('2.5');
  expect(status).toBe(202);
  await desk.order('1.2');
  await desk.bot.client.send({
    method: 'POST',
    target: `/v1/vaults/${desk.vaultId}/wallets/${desk.wallet.address}/raw-sign`,
    body: { message: Buffer.from('We hold what we say we hold.').toString('base64') },
    headers: { prefer: 'respond-async' },
  });
  await open('Approvals');
  await page.getByRole('table').waitFor();
  await picture('approvals');
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await button('Approve…').waitFor();
  await picture('request-waiting');
  await page.screenshot({ path: join(FOLDER, 'console.png') });
  await pictureOf('Reject…', 'reject-dialog');
  await button('Approve…').click();
  await picture('approve-dialog');
  await button('Approve this request').click();
  await page.getByText('the vault has your approval').waitFor();
  await picture('approve-done');
  await close();
  await page.getByText('completed').first().waitFor();
  await picture('request-done');
  await page
    .getByLabel('The vault’s genesis')
    .fill(readFileSync(vault.prepared.genesisFile, 'utf8'));
  await button('Trust this genesis').click();
  await page.getByText('verified in this page').waitFor();
  await picture('request-verified');
  await page.evaluate("localStorage.removeItem('countersign.genesis')");
  const batchId = await desk.ladder(['0.01', '0.02', '7']);
  await page.evaluate(
    `history.pushState({}, '', '/console/requests/${batchId}'); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.getByRole('table', { name: 'Items of the batch' }).waitFor();
  await picture('request-batch');
  const transferId = await desk.transfer(1_500_000_000n);
  await page.evaluate(
    `history.pushState({}, '', '/console/requests/${transferId}'); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.getByRole('heading', { name: 'The transaction, read here' }).waitFor();
  await picture('request-transaction');
  await open('Approvals');
  await page.getByRole('row').nth(2).getByRole('link').first().click();
  await button('Approve…').waitFor();
  await picture('request-message-waiting');
  await open('Requests');
  await page
    .getByRole('link', { name: /^Review…/ })
    .first()
    .waitFor();
  await picture('requests');
  await page.getByLabel(/^Open any request by its id/).fill('2.5 BTC');
  await button('Open the request').click();
  await page.getByText('That is no request id').waitFor();
  await picture('requests-find');
});

it('writes policies', async () => {
  await open('Policies');
  await picture('policies');
  await pictureOf('New security group…', 'new-security-group');
  await pictureOf(`New policy… for ${desk.groupName}`, 'new-policy');
  await button(`New policy… for ${desk.groupName}`).click();
  await chooseOption(
    dialog().getByLabel('Begin with'),
    'Trading: orders in US dollars, withdrawals after approvals',
  );
  await dialog().getByText('The rules that you sign').waitFor();
  await picture('new-policy-trading');
  await button('New address list…').click();
  const list = page.getByRole('dialog', { name: 'New address list' });
  await list.getByLabel('Name', { exact: true }).fill('Own addresses');
  await list.getByLabel('Address 1').fill(desk.wallet.address);
  await list.getByLabel('Whose it is, 1').fill('Cold storage in Zurich');
  await picture('new-address-list-in-place');
  await list.getByRole('button', { name: 'Make address list Own addresses' }).click();
  await list.waitFor({ state: 'detached' });
  await dialog().getByRole('checkbox', { name: 'Own addresses', checked: true }).waitFor();
  await dialog().getByLabel('Approvals of a withdrawal').scrollIntoViewIfNeeded();
  await picture('new-policy-list-chosen');
  await close();
  await pictureOf(`Members… of ${desk.groupName}`, 'members');
  await pictureOf(`Delete ${desk.groupName}`, 'delete-security-group');
  await page.getByRole('link', { name: desk.policyName }).click();
  await page.getByRole('heading', { level: 1, name: desk.policyName }).waitFor();
  await picture('policy');
  await pictureOf(`Delete ${desk.policyName}`, 'delete-policy');
  await button('Edit as a draft').click();
  await picture('draft');
  await pictureOf('Edit Small orders', 'rule');
  await button('Move Large orders ask a risk officer up').click();
  await button('Add a rule').click();
  await chooseOption(dialog().getByLabel('What is counted'), 'Amounts');
  await dialog().getByLabel('At most', { exact: true }).fill('5');
  await dialog().getByText('That is: at most 5').waitFor();
  await picture('rule-new');
  await close();
  await picture('draft-changed');
  await button('Throw the draft away').click();
  await button('Edit as a draft').click();
  await button('Take out Large orders ask a risk officer').click();
  await findOption(page.getByLabel('With which key'), 'Binance orders');
  await button('Evaluate with the draft').click();
  await page.getByText('What was read of the request').waitFor();
  await button('Backtest the draft').click();
  await page.getByText('of the requests on record').waitFor();
  await picture('draft-tried');
  await publishMeanwhile(page.url().split('/').at(-1)!);
  await comes(page, page.getByText('You began this draft from version 2.'));
  await picture('draft-of-another-version');
  await open('Address book');
  await page.getByRole('table', { name: 'Address lists' }).waitFor();
  await picture('address-book');
  await pictureOf('Edit… Own addresses', 'change-address-list');
  await pictureOf('Delete… Own addresses', 'delete-address-list');
});

it('freezes', async () => {
  await open('Vaults');
  await button('Freeze…').click();
  await picture('freeze');
  const what = dialog().getByLabel('What', { exact: true });
  await what.click();
  await picture('freeze-list');
  await page.keyboard.press('Escape');
  await chooseOption(what, 'The whole system');
  await dialog().getByText('Keys hit').waitFor();
  await picture('freeze-system');
  await chooseOption(what, 'A vault, with every wallet in it');
  await dialog().getByLabel('Which vault').click();
  await picture('freeze-search');
  await findOption(dialog().getByLabel('Which vault'), 'Client assets');
  await dialog().getByText('Wallets hit').waitFor();
  await picture('freeze-vault');
  await chooseOption(what, 'A wallet');
  await picture('freeze-wallet');
  await chooseOption(what, 'A venue, with every key for it');
  await findOption(dialog().getByLabel('Which venue'), 'Binance');
  await dialog().getByText('Keys hit').waitFor();
  await picture('freeze-venue');
  await close();
  const freeze = (target: string, reason: string) =>
    expectOk(vault.admin, 'POST', target, { reason });
  await freeze(`/v1/users/freeze?user_ids=${desk.oldBot.id}`, 'Its strategy has ended');
  await freeze(
    `/v1/vaults/${desk.vaultId}/wallets/freeze?addresses=${desk.wallet.address}`,
    'Moved to cold storage',
  );
  await freeze('/v1/keys/freeze?venue_id=binance', 'The venue has an incident');
  await open('Keys');
  await page.getByText('frozen with its venue binance').waitFor();
  await picture('keys-frozen');
  await expectOk(vault.admin, 'POST', '/v1/keys/unfreeze?venue_id=binance', {});
  await freeze('/v1/system/freeze', 'Drill of the third quarter');
  await open('Keys');
  await page.getByText('frozen (by the system)').first().waitFor();
  await picture('keys-system-frozen');
  await open('Freezes');
  await page.getByText('The whole system is frozen').waitFor();
  await picture('freezes');
  await button('Unfreeze…').click();
  await page.getByText('It takes effect at once').waitFor();
  await picture('unfreeze');
  await close();
  await expectOk(vault.admin, 'POST', '/v1/system/unfreeze', {});
});

it('shows custody', async () => {
  await open('Keys');
  await picture('keys');
  await pictureOf('New key…', 'new-key');
  await page.getByRole('link', { name: 'Binance orders' }).click();
  await page.getByRole('heading', { level: 1, name: 'Binance orders' }).waitFor();
  await picture('key');
  await pictureOf('Destroy Binance orders', 'destroy-key');
  await open('Vaults');
  await picture('vaults');
  await pictureOf('New vault…', 'new-vault');
  await page.getByRole('link', { name: 'Client assets' }).click();
  await page.getByText('not checked').first().waitFor();
  await picture('vault');
  await pictureOf('New wallet in Client assets', 'new-wallet');
  await pictureOf('Remove…', 'remove-wallet');
  const genesis = readFileSync(vault.prepared.genesisFile, 'utf8');
  await page.getByLabel('The vault’s genesis').fill(genesis);
  await button('Trust this genesis').click();
  await page.getByText('by three parties').first().waitFor();
  await picture('vault-checked');
});

it('shows people', async () => {
  await open('Users');
  await picture('users');
  await pictureOf('New group…', 'new-group');
  await pictureOf('Delete Risk officers', 'delete-group');
  await button('New user…').click();
  await picture('new-user');
  await dialog().getByLabel('Name').fill('Nora Okafor');
  await dialog().getByLabel('Email').fill('nora@example.com');
  await button('Make person Nora').click();
  await dialog().getByText('is a user now').waitFor();
  await picture('new-user-made');
  await close();
  await page.getByRole('link', { name: 'Olive Officer' }).click();
  await page.getByRole('heading', { level: 1, name: 'Olive' }).waitFor();
  await picture('user');
  await page.getByRole('checkbox', { name: 'Night shift' }).check();
  await picture('user-changed-groups');
  await pictureOf('Delete Olive Officer', 'delete-user');
});

it('shows rights and webhooks', async () => {
  await open('Rights');
  await picture('rights');
  await pictureOf('New right…', 'new-right');
  await pictureOf('Edit… officers: unfreeze', 'change-right');
  await page.getByRole('link', { name: 'Rights for a desk' }).click();
  await chooseOption(page.getByLabel('Officers: which group'), 'Risk officers');
  await chooseOption(page.getByLabel('Auditors: which group'), 'Night shift');
  await page.getByText('What stays beside it').waitFor();
  await picture('rights-desk');
  await open('Webhooks');
  await picture('webhooks-empty');
  await pictureOf('New webhook…', 'new-webhook');
});

it('shows audit, operations and settings', async () => {
  await open('Audit');
  await page.getByRole('table', { name: 'Audit entries' }).waitFor();
  await button('Check the chain').click();
  await page.getByText('without a gap').waitFor();
  await picture('audit');
  await pictureOf(/^Show entry/, 'audit-entry');
  await chooseOption(page.getByLabel('Outcome'), 'denied');
  await button('The last 7 days').click();
  await page.getByText('no signing policy rule').first().waitFor();
  await picture('audit-denied');
  await chooseOption(page.getByLabel('Find by name'), 'A key');
  await findOption(page.getByLabel('Which key'), 'Binance orders');
  await page.getByRole('button', { name: 'Take out key Binance orders' }).waitFor();
  await picture('audit-by-name');
  await page.getByText('Find by ids').click();
  await page.getByLabel('Request id', { exact: true }).fill('00000000-0000-4000-8000-000000000000');
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByText('No entry fits').waitFor();
  await picture('audit-empty');
  await desk.oldBot.client.send({ method: 'GET', target: '/v1/alarms' });
  await open('Operations');
  await page.getByText('live', { exact: true }).waitFor();
  await eventually(async () => {
    await desk.order('0.1');
    const rows = page.getByRole('table', { name: 'The newest minutes' }).getByRole('row');
    return (await rows.count()) > 3;
  }, 240_000);
  await picture('operations');
  await pictureOfQueues();
  await raiseAlarm(vault);
  await vault.stack.signers[2]!.stop();
  await page
    .getByRole('table', { name: 'Findings' })
    .getByText('No replica of it is heard either')
    .waitFor();
  await page.getByRole('table', { name: 'The newest alarms' }).waitFor();
  await page.getByRole('table', { name: 'What changed' }).getByText('Party 3 was down').waitFor();
  await picture('operations-alarm');
  await page.getByRole('link', { name: 'Runbook: ' }).first().click();
  await page.getByRole('heading', { level: 1, name: /^Runbook/ }).waitFor();
  await picture('runbook');
  await open('System');
  await picture('system');
  await page.getByRole('checkbox').first().click();
  await picture('system-changed');
  await page.evaluate(
    "history.pushState({}, '', '/console/nowhere'); dispatchEvent(new PopStateEvent('popstate'))",
  );
  await page.getByRole('heading', { level: 1, name: 'No such page' }).waitFor();
  await picture('no-such-page');
  await button('Sign out').click();
  await button('Sign in as a developer').waitFor();
  await picture('signed-out');
});
