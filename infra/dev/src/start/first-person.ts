/**
 * The first person of a vault that `npm start` made: what the machine administrator may by the API, they may in the
 * console. Only a vault without any person gets one. They enrol by a link with a code: the vault takes it once, and for
 * 72 hours.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { valueOf } from '@countersign/client/call-result.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import type { PreparedVault } from '../stack/prepare-vault.js';
import { readIfPresent, writePrivateFile } from '../embedded/private-folder.js';
import { CONSOLE_LINK_FILE, type ConsoleDoor } from './explain.js';

const NAME = 'First person';
/** No mailbox: domains below `invalid` never exist (RFC 2606). The vault writes to nobody. */
const EMAIL = 'first-person@vault.invalid';

/** Safe to run again, also after it was ended halfway. Throws where the vault refuses. */
export async function openConsoleDoor(
  client: CountersignClient,
  { home, admin }: Pick<PreparedVault, 'home' | 'admin'>,
  now: number,
): Promise<ConsoleDoor> {
  const facts = valueOf(await client.call('get-sign-in-facts'));
  const address = `${facts.relying_party?.origins[0] ?? ''}/console/`;
  const file = join(home, CONSOLE_LINK_FILE);
  const query = { is_type: 'human', limit: '100' };
  const { results: people } = valueOf(await client.call('list-users', { query }));
  const found = people.find((one) => one.type === 'human' && one.email === EMAIL);
  const hasEnrolled = found !== undefined && found.status !== 'pending_enrollment';
  if (hasEnrolled || people.some((one) => one !== found)) {
    await rm(file, { force: true });
    return { address, isNew: false };
  }
  const known = await readIfPresent(file);
  if (found !== undefined && known !== undefined && isGood(found, now)) {
    return { address, link: known.trim(), isNew: false };
  }
  const person = found === undefined ? await createPerson(client) : await resetCode(client, found);
  await giveRights(client, { from: admin.user_id, to: person.id });
  const link = `${address}#enrol=${person.code}`;
  await writePrivateFile(file, `${link}\n`);
  return { address, link, isNew: true };
}

type Found = OperationValue<'list-users'>['results'][number];

function isGood(found: Found, now: number): boolean {
  return found.type === 'human' && now < Date.parse(found.enrollment_expires_at ?? '');
}

interface Awaited {
  readonly id: string;
  readonly code: string;
}

async function createPerson(client: CountersignClient): Promise<Awaited> {
  const body = {
    type: 'human',
    display_name: NAME,
    email: EMAIL,
    cloud_provider: 'oidc',
  } as const;
  return awaitedOf(valueOf(await client.call('create-user', { body })));
}

/** Their code has run out, or was lost with its file. */
async function resetCode(client: CountersignClient, { id }: Found): Promise<Awaited> {
  const body = { reset_passkeys: true } as const;
  return awaitedOf(valueOf(await client.call('update-user', { params: { user_id: id }, body })));
}

function awaitedOf(user: OperationValue<'create-user'>): Awaited {
  if (user.type !== 'human' || user.enrollment_code === undefined) throw new Error('no code');
  return { id: user.id, code: user.enrollment_code };
}

/** Every administrative right that the administrator has by name. What was given before is not given again. */
async function giveRights(
  client: CountersignClient,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const query = { limit: '100' };
  const { results } = valueOf(await client.call('list-admin-policies', { query }));
  const actionsOf = (userId: string) =>
    results
      .filter(({ effect, subjects }) => effect === 'allow' && subjects.user_ids?.includes(userId))
      .map(({ action }) => action);
  const given = new Set(actionsOf(to));
  const missing = [...new Set(actionsOf(from))].filter((action) => !given.has(action));
  const policies = missing.map(async (action) => {
    const body = {
      display_name: `first person: ${action}`,
      action,
      effect: 'allow',
      subjects: { user_ids: [to] },
    } as const;
    return valueOf(await client.call('create-admin-policy', { body }));
  });
  await Promise.all(policies);
}
