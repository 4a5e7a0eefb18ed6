import { freezeKeysTexts } from '../key-schema.js';
import { freezePage, freezeTexts, freezeView, listFreezesQuery } from '../freeze-schema.js';
import { apiOperation, READ, WRITE } from '../operation.js';
import { userIdsTexts } from '../user-schema.js';
import { addressesTexts, vaultIdsTexts } from '../vault-schema.js';
import { ADDRESS, CREATED_AT, OPERATOR_ID, USER_ID, VAULT_ID } from '../example-values.js';
import { FREEZING } from '../requests/freezing.js';

const freezes = { ...WRITE, tag: 'freezing', response: freezeView } as const;

const reason = { reason: 'Suspicious orders on desk one' };

export const freezeUsersOperation = apiOperation({
  ...freezes,
  ...FREEZING.users.freeze,
  texts: { ...freezeTexts, ...userIdsTexts },
  summary: 'Freeze users',
  description:
    'A frozen user is no longer recognised: every request with its credentials is refused with 401. Freezing what is frozen keeps the first freeze. It is done for all of them or for none. Answers 404 when one of the users does not exist. Answers 409 when nobody would be left who can change the administrative policy or unfreeze the system. Allowed while the system is frozen.',
  example: {
    query: { user_ids: USER_ID },
    body: reason,
    response: { status: 'frozen', ids: [USER_ID] },
  },
});

export const unfreezeUsersOperation = apiOperation({
  ...freezes,
  ...FREEZING.users.unfreeze,
  texts: { ...freezeTexts, ...userIdsTexts },
  summary: 'Unfreeze users',
  description:
    'The credentials of the named users work again, unless they have expired. It is done for all of them or for none. Answers 404 when one of the users does not exist. Allowed while the system is frozen.',
  example: {
    query: { user_ids: USER_ID },
    response: { status: 'active', ids: [USER_ID] },
  },
});

export const freezeKeysOperation = apiOperation({
  ...freezes,
  ...FREEZING.keys.freeze,
  texts: { ...freezeTexts, ...freezeKeysTexts },
  summary: 'Freeze keys or a venue',
  description:
    'Stops signing with the named keys, or with every key of a venue, those made later included: name either `key_ids` or `venue_id`. Freezing what is frozen keeps the first freeze. Answers 404 when one of the keys does not exist. Answers 422 unless exactly one of the two is named, or when neither the catalogue nor a key names the venue. Allowed while the system is frozen.',
  example: {
    query: { venue_id: 'binance' },
    body: reason,
    response: { status: 'frozen', ids: ['binance'] },
  },
});

export const unfreezeKeysOperation = apiOperation({
  ...freezes,
  ...FREEZING.keys.unfreeze,
  texts: { ...freezeTexts, ...freezeKeysTexts },
  summary: 'Unfreeze keys or a venue',
  description:
    'Lifts the freeze of the named keys, or of a venue: name either `key_ids` or `venue_id`. A key stays stopped while its venue or the whole system is frozen. Answers 404 when one of the keys does not exist. Answers 422 unless exactly one of the two is named. Allowed while the system is frozen.',
  example: {
    query: { venue_id: 'binance' },
    response: { status: 'active', ids: ['binance'] },
  },
});

export const freezeVaultsOperation = apiOperation({
  ...freezes,
  ...FREEZING.vaults.freeze,
  texts: { ...freezeTexts, ...vaultIdsTexts },
  summary: 'Freeze vaults',
  description:
    'Stops signing with every wallet of the named vaults, and the creation of wallets in them. Freezing what is frozen keeps the first freeze. It is done for all of them or for none. Answers 404 when one of the vaults does not exist. Allowed while the system is frozen.',
  example: {
    query: { vault_ids: VAULT_ID },
    body: reason,
    response: { status: 'frozen', ids: [VAULT_ID] },
  },
});

export const unfreezeVaultsOperation = apiOperation({
  ...freezes,
  ...FREEZING.vaults.unfreeze,
  texts: { ...freezeTexts, ...vaultIdsTexts },
  summary: 'Unfreeze vaults',
  description:
    'Lifts the freeze of the named vaults; wallets that are frozen themselves stay so. It is done for all of them or for none. Answers 404 when one of the vaults does not exist. Allowed while the system is frozen.',
  example: {
    query: { vault_ids: VAULT_ID },
    response: { status: 'active', ids: [VAULT_ID] },
  },
});

export const freezeWalletsOperation = apiOperation({
  ...freezes,
  ...FREEZING.wallets.freeze,
  texts: { ...freezeTexts, ...addressesTexts },
  summary: 'Freeze wallets',
  description:
    'Stops signing with the named wallets of one vault; only a frozen wallet can be removed. Freezing what is frozen keeps the first freeze. It is done for all of them or for none. Answers 404 when one of the wallets does not exist in this vault. Allowed while the system is frozen.',
  example: {
    query: { addresses: ADDRESS },
    body: reason,
    response: { status: 'frozen', ids: [ADDRESS] },
  },
});

export const unfreezeWalletsOperation = apiOperation({
  ...freezes,
  ...FREEZING.wallets.unfreeze,
  texts: { ...freezeTexts, ...addressesTexts },
  summary: 'Unfreeze wallets',
  description:
    'Lifts the freeze of the named wallets; they stay stopped while their vault or the whole system is frozen. It is done for all of them or for none. Answers 404 when one of the wallets does not exist in this vault. Allowed while the system is frozen.',
  example: {
    query: { addresses: ADDRESS },
    response: { status: 'active', ids: [ADDRESS] },
  },
});

export const freezeSystemOperation = apiOperation({
  ...freezes,
  ...FREEZING.system.freeze,
  texts: freezeTexts,
  summary: 'Freeze the whole system',
  description:
    'Stops all signing and every change but freezing and unfreezing. Freezing what is frozen keeps the first freeze.',
  example: {
    body: reason,
    response: { status: 'frozen', ids: ['system'] },
  },
});

export const unfreezeSystemOperation = apiOperation({
  ...freezes,
  ...FREEZING.system.unfreeze,
  texts: freezeTexts,
  summary: 'Unfreeze the whole system',
  description:
    'Lifts the freeze of the whole system; what has a freeze of its own stays frozen. Allowed while the system is frozen.',
  example: {
    response: { status: 'active', ids: ['system'] },
  },
});

export const listFreezesOperation = apiOperation({
  ...READ,
  tag: 'freezing',
  id: 'list-freezes',
  path: '/v1/freezes',
  summary: 'List the freezes in force',
  description:
    'Every freeze that is in force now, of users, keys, venues, vaults, wallets and of the whole system, the oldest first, page by page. What a freeze stops says so itself: see `frozen_by` of keys, wallets, vaults and users.',
  query: listFreezesQuery,
  response: freezePage,
  example: {
    query: { limit: '50' },
    response: {
      results: [{ scope: 'venue', id: 'binance', at: CREATED_AT, by: OPERATOR_ID, ...reason }],
      next_cursor: null,
    },
  },
});

export const FREEZING_OPERATIONS = [
  listFreezesOperation,
  freezeUsersOperation,
  unfreezeUsersOperation,
  freezeKeysOperation,
  unfreezeKeysOperation,
  freezeVaultsOperation,
  unfreezeVaultsOperation,
  freezeWalletsOperation,
  unfreezeWalletsOperation,
  freezeSystemOperation,
  unfreezeSystemOperation,
] as const;
