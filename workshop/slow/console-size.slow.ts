/**
 * The console at a vault of 2,000 users, 20,000 wallets and 1,000,000 audit entries, in a real browser: how long each page
 * takes from the click until the last answer that it asked for is there. Prints all, and fails above a second. `PART` makes
 * the vault smaller: of `PART=100` everything is a hundredth.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  CONSOLE_ORIGIN,
  openBrowser,
  portOf,
  settled,
  type ConsoleBrowser,
} from '../../test/support/console-browser.ts';
import { createOfficer, signInAt } from '../../test/support/console-person.ts';
import type { Page as ListPage } from '../../test/support/api.ts';
import { openPrepared } from '../../test/support/prepared-vault.ts';
import { fillVault, type LargeVault } from './large-vault.ts';
import {
  eventually,
  expectOk,
  openTestVault,
  type TestVault,
} from '../../test/support/test-vault.ts';

interface Named {
  readonly display_name: string | null;
}

const PART = Number(process.env['PART'] ?? 1);
const SIZE = { users: 2_000 / PART, wallets: 20_000 / PART, auditEntries: 1_000_000 / PART };
const MAX_MS = 1_000;

let vault: TestVault;
let large: LargeVault;
let browser: ConsoleBrowser;
let page: Page;
const took: Record<string, number> = {};
const startedAt = performance.now();
let signedInAt: number;
/** As the console sets it (`staleTime`). */
const FRESH_MS = 2_000;

/** As it goes: of the whole size it is minutes until there is anything else to see. */
function say(what: string): void {
  process.stderr.write(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${what}\n`);
}

beforeAll(async () => {
  vault = await openTestVault({
    logLevel: 'error',
    hasSignIn: true,
    readyTimeoutMs: 600_000,
    onServers: async (servers) => {
      const prepared = await openPrepared(servers);
      say('servers are up');
      large = await fillVault(servers, prepared, SIZE, say);
    },
  });
  say('healthy');
  const officer = await createOfficer(vault);
  browser = await openBrowser(portOf(vault.stack.baseUrl), portOf(vault.stack.baseUrl));
  page = await browser.openPage();
  page.setDefaultTimeout(60_000); // a machine may be slow: what is measured is not this
  await page.goto(`${CONSOLE_ORIGIN}/console/`);
  await signInAt(page, 'officer');
  await page.getByLabel('Enrolment code').fill(officer.enrollment_code);
  await page.getByRole('button', { name: 'Make a passkey' }).click();
  await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
  say('signed in');
  signedInAt = performance.now();
}, 1_200_000);
afterAll(async () => {
  process.stderr.write(`${JSON.stringify(took, null, 2)}\n`);
  await browser?.close();
  await vault?.close();
}, 60_000);

/** ms from the act until the last answer to what it made the page ask. */
async function timed(name: string, act: () => Promise<unknown>): Promise<void> {
  const startedAt = await page.evaluate<number>(
    'performance.clearResourceTimings(), performance.now()',
  );
  await act();
  await settled(page);
  const ends = await page.evaluate<number[]>(
    "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v1/')).map(({ responseEnd }) => responseEnd)",
  );
  expect({ name, asked: ends.length > 0 }).toEqual({ name, asked: true });
  took[name] = Math.round(Math.max(...ends) - startedAt);
}

async function open(name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

it('has all that was written into it', async () => {
  const newest = async (path: string, name: string) => {
    const query = `limit=100&display_name_like=${encodeURIComponent(name)}`;
    const { results } = await expectOk<ListPage<Named>>(vault.admin, 'GET', `${path}?${query}`);
    return results.filter((one) => one.display_name === name).length;
  };
  expect(await newest('/v1/users', `bot ${SIZE.users - 1}`)).toBe(1);
  const wallets = `/v1/vaults/${large.vaultId}/wallets`;
  expect(await newest(wallets, `wallet ${SIZE.wallets - 1}`)).toBe(1);
});

it('opens every page', async () => {
  for (const name of [
    'Requests',
    'Freezes',
    'Policies',
    'Users',
    'Keys',
    'Vaults',
    'Audit',
    'System',
  ]) {
    await timed(name, () => open(name));
  }
  await timed('First steps', () => open('First steps'));
  // they were read at the sign-in, and what is that new is not asked for again
  await eventually(() => performance.now() - signedInAt > FRESH_MS);
  await timed('Approvals', () => open('Approvals'));
}, 120_000);

it('finds one among many', async () => {
  await open('Users');
  await timed('Users by name', () => page.getByLabel('Part of a name').fill('bot 19'));
  await open('Keys');
  await timed('Keys by name', () => page.getByLabel('Part of a name').fill('no such key'));
  await open('Vaults');
  await timed('a vault', () => page.getByRole('link', { name: 'Treasury' }).click());
  const search = page.getByLabel('Part of a name, or an address');
  await timed('Wallets by name', () => search.fill(`wallet ${SIZE.wallets - 1}`));
  await page.getByRole('cell', { name: `wallet ${SIZE.wallets - 1}` }).waitFor();
}, 120_000);

it('shows long lists row by row', async () => {
  await open('Vaults');
  await page.getByRole('link', { name: 'Treasury' }).click();
  const more = page.getByRole('button', { name: 'Show more' });
  for (let pages = 2; pages <= 10 && (await more.isVisible()); pages++) {
    await timed(`Wallets, page ${pages}`, () => more.click());
  }
  const shown = await page.getByRole('table', { name: 'Wallets' }).getByRole('row').count();
  expect(shown).toBeLessThan(150);
}, 120_000);

const AUDIT_FILTERS: readonly [string, string][] = [
  ['of one user', `user_ids=USER`],
  ['of one key', `key_ids=KEY`],
  ['of somebody unknown', 'user_ids=00000000-0000-4000-8000-000000000000'],
  ['that failed', 'outcome=failed'],
  ['that were denied', 'outcome=denied'],
  ['of a user with a key that is not theirs', 'user_ids=USER&key_ids=OTHER'],
  ['of two users', 'user_ids=USER,ANOTHER'],
  ['of the vault', 'vault_ids=VAULT'],
  [
    'of the vault, by somebody unknown',
    'vault_ids=VAULT&user_ids=00000000-0000-4000-8000-000000000000',
  ],
  ['of one wallet', 'wallet_addresses=wallet7'],
  ['of no wallet', 'wallet_addresses=wallet'],
  ['of one user, denied', 'user_ids=USER&outcome=denied'],
  ['of one user, long ago', 'user_ids=USER&to=AGO'],
  ['by a rare action', 'actions=update-signing-policy'],
  ['before all', 'to=2020-01-01T00:00:00Z'],
  ['long ago', 'to=AGO'],
];

it.each(AUDIT_FILTERS)(
  'finds audit entries %s',
  async (name, filter) => {
    const query = filter
      .replace('USER', large.userIds[7]!)
      .replace('ANOTHER', large.userIds[8]!)
      .replace('KEY', large.keyIds[7]!)
      .replace('OTHER', large.keyIds[8]!)
      .replace('VAULT', large.vaultId)
      .replace('AGO', new Date(Date.now() - 5 * 86_400_000).toISOString());
    const path = `/v1/audit-logs?limit=50&${query}`;
    let cursor: string | null = '';
    for (let pages = 1; pages <= 3 && cursor !== null; pages++) {
      const startedAt = performance.now();
      const at: string = cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
      const answer: ListPage<unknown> = await expectOk(vault.admin, 'GET', at);
      took[`Audit entries ${name}, page ${pages}`] = Math.round(performance.now() - startedAt);
      cursor = answer.next_cursor;
    }
  },
  60_000,
);

it('takes a second at most for each', () => {
  expect(Object.entries(took).filter(([, ms]) => ms > MAX_MS)).toEqual([]);
});
