/** What the lab puts into a vault: a bot, a key for each venue, and the rules by which the bot may use it. */
import { createPublicKey } from 'node:crypto';
import { valueOf } from '@countersign/client/call-result.js';
import { LAB_VENUES, type LabVenue } from '../catalogue/lab-venues.js';
import type { VenueAccount } from '../venues/simulated-venue.js';
import {
  createDeskKey,
  type DeskKey,
  type LabAdministrator,
  type StoredAccount,
} from './desk-key.js';
import { deskRules } from './desk-rules.js';

export interface LabSeed {
  readonly botId: string;
  /** The bot's API key at the vault. */
  readonly botApiKey: string;
  /** By venue. */
  readonly desks: Readonly<Record<string, DeskKey>>;
}

/**
 * `botPublicKey`: raw Ed25519, base64url. `mark`: something that makes names of this seed its own, as names are unique
 * in a vault. Throws at the first thing that the vault refuses.
 */
export async function seedLab(
  admin: LabAdministrator,
  {
    botPublicKey,
    mark = '',
    venues = LAB_VENUES,
  }: { botPublicKey: string; mark?: string; venues?: readonly LabVenue[] },
): Promise<LabSeed> {
  const bot = valueOf(
    await admin.client.call('create-user', {
      body: { type: 'machine', display_name: `lab bot${mark}`, public_key: botPublicKey },
    }),
  );
  const desks: Record<string, DeskKey> = {};
  await Promise.all(
    venues.map(async (venue) => {
      desks[venue.id] = await openDesk(admin, venue, bot.id, mark);
    }),
  );
  const botApiKey = bot.type === 'machine' ? bot.api_key : undefined;
  if (botApiKey === undefined) throw new Error('the vault gave the bot no API key');
  return { botId: bot.id, botApiKey, desks };
}

async function openDesk(
  admin: LabAdministrator,
  venue: LabVenue,
  botId: string,
  mark: string,
): Promise<DeskKey> {
  const desk = await createDeskKey(admin, venue, mark);
  const name = `lab ${venue.id}${mark}`;
  const members = [{ member_id: desk.keyId, member_type: 'key' as const }];
  const group = valueOf(
    await admin.client.call('create-security-group', { body: { display_name: name, members } }),
  );
  valueOf(
    await admin.client.call('create-signing-policy', {
      body: { display_name: name, security_group_id: group.id, rules: deskRules(venue, botId) },
    }),
  );
  return desk;
}

/** For the simulator of the key's venue. */
export function accountOf({ publicKeyPem, ...account }: StoredAccount): VenueAccount {
  return publicKeyPem === undefined
    ? account
    : { ...account, publicKey: createPublicKey(publicKeyPem) };
}
