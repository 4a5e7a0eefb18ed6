/** A person at the console of a vault, as they come to it: signing in at the development provider, and enrolling. */
import type { Page } from 'playwright-core';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import { CONSOLE_ORIGIN } from './console-browser.ts';
import { expectOk, type VaultInUse } from './test-vault.ts';

export interface Officer {
  readonly id: string;
  readonly display_name: string;
  readonly enrollment_code: string;
}

/** Somebody who may do everything, and has not enrolled yet. */
export async function createOfficer({ admin }: Pick<VaultInUse, 'admin'>): Promise<Officer> {
  const created = await expectOk<Officer>(admin, 'POST', '/v1/users', {
    type: 'human',
    display_name: 'Olive Officer',
    email: 'olive@example.com',
    cloud_provider: 'oidc',
  });
  await Promise.all(
    ADMIN_POLICY_TYPES.map((action) =>
      expectOk(admin, 'POST', '/v1/admin-policies', {
        display_name: `officers: ${action}`,
        action,
        effect: 'allow',
        subjects: { user_ids: [created.id] },
      }),
    ),
  );
  return created;
}

/** The development provider asks for a name. */
export async function signInAt(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in as a developer' }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('button[type=submit]').click();
  await page.waitForURL(`${CONSOLE_ORIGIN}/**`);
}
