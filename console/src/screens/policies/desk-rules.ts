/** Rules that most desks begin with, as a few fields: orders up to a size, and withdrawals that others approve. */
import { isDecimal } from '@countersign/core/decimal.js';
import type { RuleInput } from './policy-draft.js';
import { wordsOf } from './rule-fields.js';

export interface DeskForm {
  readonly venueId: string;
  /** As the venue writes them, after commas; empty: any. */
  readonly symbols: string;
  /** US dollars; empty: no bound. */
  readonly orderUsd: string;
  readonly dayUsd: string;
  /** Ids of users and groups. */
  readonly traders: readonly string[];
  readonly approvers: readonly string[];
  readonly quorum: string;
  /** Ids of lists of the address book; none: no rule lets withdrawals through. */
  readonly addressLists: readonly string[];
}

const EMPTY_DESK: DeskForm = {
  venueId: '',
  symbols: '',
  orderUsd: '',
  dayUsd: '',
  traders: [],
  approvers: [],
  quorum: '2',
  addressLists: [],
};

/** A policy that is to be made, with the rules of a desk or with none. */
export const NEW_POLICY = { name: '', beginning: 'nothing', desk: EMPTY_DESK };

const DAY_S = 86_400;

/** What still has to be filled in; undefined: nothing. `isUsdAllowed`: of the whole system. */
export function missingIn(
  { venueId, orderUsd, dayUsd, traders, ...form }: DeskForm,
  isUsdAllowed: boolean,
): string | undefined {
  if (!isUsdAllowed) return 'Switch on US dollars in policies first, under “System”.';
  if (venueId.trim() === '') return 'Choose a venue first.';
  if (orderUsd.trim() === '') return 'Say first how large an order may be.';
  const isWrong = [orderUsd, dayUsd].some((text) => text.trim() !== '' && !isDecimal(text.trim()));
  if (isWrong) return 'Write US dollars in digits alone, as 5000 or 0.5.';
  if (traders.length === 0) return 'Choose first who asks.';
  const [hasApprovers, hasLists] = [form.approvers.length > 0, form.addressLists.length > 0];
  if (hasLists && !hasApprovers) return 'Choose first who approves withdrawals.';
  return hasApprovers && !hasLists ? 'Choose first where withdrawals may go.' : undefined;
}

/** In the order in which they decide. What none of them allows is denied. `groupIds`: those of user groups. */
export function deskRules(form: DeskForm, groupIds: ReadonlySet<string>): RuleInput[] {
  const venue_ids = [form.venueId.trim()];
  const initiators = subjectsOf(form.traders, groupIds);
  const symbols = wordsOf(form.symbols);
  const [most, perDay] = [form.orderUsd.trim(), form.dayUsd.trim()];
  const orders: RuleInput = {
    display_name: `Orders up to ${most} USD`,
    when: {
      initiators,
      venue_ids,
      operation_classes: ['trade'],
      ...(symbols.length > 0 && { symbols }),
      usd_value: { max: most },
      ...(perDay !== '' && {
        velocity: { limit: perDay, unit: 'usd', window_s: DAY_S, per: 'group' },
      }),
    },
    then: 'allow',
  };
  const cancels: RuleInput = {
    display_name: 'Reading, and cancelling orders',
    when: { initiators, venue_ids, operation_classes: ['read', 'cancel'] },
    then: 'allow',
  };
  if (form.addressLists.length === 0) return [orders, cancels];
  const withdrawals: RuleInput = {
    display_name: 'Withdrawals to own addresses',
    when: {
      initiators,
      venue_ids,
      operation_classes: ['withdraw'],
      destination_lists: [...form.addressLists],
    },
    then: {
      require_approvals: { quorum: Number(form.quorum), ...subjectsOf(form.approvers, groupIds) },
    },
  };
  return [orders, cancels, withdrawals];
}

function subjectsOf(ids: readonly string[], groupIds: ReadonlySet<string>) {
  return {
    user_ids: ids.filter((id) => !groupIds.has(id)),
    user_group_ids: ids.filter((id) => groupIds.has(id)),
  };
}
