/** Freezes: what sets them, what is in force, and what it stops. */
import * as s from '@countersign/core/shapes.js';
import { pageOf } from './common-schema.js';
import { dateTime, pageQuery } from './primitives.js';
import type { RequestTexts } from './request-texts.js';

export const freezeTexts: RequestTexts = {
  name: 'FreezeRequest',
  body: {
    reason: 'Why, for people; at most 512 characters. Kept in the ledger with the request.',
  },
};

/** Ids of the things that a freeze or unfreeze now holds for. */
export const freezeView = s
  .strictObject({
    status: s
      .words(['frozen', 'active'])
      .describe(
        '`frozen`; or `active`: this freeze is lifted, one of a wider scope may still hold.',
      ),
    ids: s
      .array(s.string())
      .describe(
        'What was named: ids of users, keys or vaults, addresses of wallets, the id of a venue, or `system`.',
      ),
  })
  .meta({ id: 'FreezeResult' });

export const freezeInForce = s
  .strictObject({
    scope: s
      .words(['system', 'vault', 'wallet', 'venue', 'key', 'user'])
      .describe('What is frozen; a freeze stops everything that is in its scope.'),
    id: s.string().describe('Id of the vault, wallet, key or user, id of the venue, or `system`.'),
    at: dateTime.describe('Time of the freeze; RFC 3339, UTC, milliseconds.'),
    by: s.string().describe('Id of the user who froze it.'),
    reason: s.string().nullable().describe('Why, as that user said; null: nothing was said.'),
  })
  .meta({ id: 'Freeze' });

/** Adds the names that whoever lifts it must give. */
export const listedFreeze = freezeInForce
  .extend({
    wallet: s
      .strictObject({
        vault_id: s.string().describe('Id of the vault that the wallet is in.'),
        address: s.string().describe('Address of the wallet.'),
      })
      .optional()
      .describe('Of a wallet: where it is. Absent for everything else.'),
  })
  .meta({ id: 'ListedFreeze' });

export const freezePage = pageOf('FreezePage', listedFreeze);

export const listFreezesQuery = s.strictObject(pageQuery);

/** The effective state of a thing that can be frozen. */
export function frozenFields<Status extends s.AnyShape>(status: Status) {
  return {
    status,
    frozen_by: s
      .array(freezeInForce)
      .describe(
        'Every freeze in force that stops it, the widest first: its own, those of what it belongs to, and the one of the system. Empty: none.',
      ),
  };
}
