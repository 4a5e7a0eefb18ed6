import * as s from '@countersign/core/shapes.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldOf, untold } from './tested.js';
import { contentListOf } from './listed.js';

export const assets = {
  ...FORMS.assets,
  text: 'Assets that a transaction moves, as `{network id}/{asset id}` of the list of networks. A token that is not in it is `{network id}/{contract}`. A rule that allows must cover everything that is moved; one that denies needs one. A transaction that moves something the vault cannot read is denied. Absent: any.',
  ...contentListOf(s.string()),
  words: { form: 'list', label: 'Assets', entries: 'such as solana-mainnet/sol' },
  reads: ['transaction'],
  strange: 'a venue request moves nothing on a network; name symbols',
  test(wanted, { request: { transaction } }, rule) {
    const { movements = [], unread } = transaction ?? {};
    if (unread !== undefined) return untold(unread);
    if (movements.some((movement) => movement.assets.length === 0)) {
      return untold('a token transfer does not say which token it moves');
    }
    return heldOf(movements, rule, (movement) =>
      movement.assets.some((name) => wanted.includes(name)),
    );
  },
} as const satisfies Condition<readonly string[]>;
