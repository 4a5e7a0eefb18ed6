/**
 * Deribit: endpoints and where their facts are. Block trades, mass quotes and moves of positions carry lists inside
 * the query and are not in the table, nor is a linked order with `otoco_config`.
 *
 * The venue's `amount` counts the underlying for linear contracts, options and spot. For inverse futures it counts US
 * dollars, so it is an amount in the quote currency.
 */
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import type { Entry, FactFields, ReadEntries } from '../engine/request-facts.js';
import type { SizeUnit } from '../engine/venue-facts.js';

/** Option strikes with a fraction have a `d`, e.g. `XRP_USDC-30JUN23-0d625-C`. */
const SYMBOL = /^[A-Z0-9_]{1,24}(?:-(?:[A-Z0-9]|(?<=[0-9])d(?=[0-9])){1,24}){0,8}$/;

/** Orders, and amendments of orders. */
export const DERIBIT_FIELDS: FactFields = {
  symbols: ['instrument_name'],
  sides: ['side'],
  amounts: ['amount'],
  contracts: ['contracts'],
  unitOf,
  hasUndecidableAmount: ({ contracts, instrument_name: name }) =>
    contracts !== undefined && typeof name !== 'string',
  symbolPattern: SYMBOL,
};

const OPTION = /-[0-9d]+-[CP]$/;

const INVERSE_FUTURE = /^[A-Z]+-(?:PERPETUAL|[0-9]{1,2}[A-Z]{3}[0-9]{2})$/;

/**
 * Inverse futures count dollars. The unit of combinations, and of orders that are named by their id alone, is unknown.
 */
function unitOf({ instrument_name: name }: Entry): SizeUnit | undefined {
  if (typeof name !== 'string') return undefined;
  // BTC_USDC-PERPETUAL and BTC_USDC name what they are quoted in, BTC-PERPETUAL does not
  const [base = ''] = name.split('-');
  if (base.includes('_') || OPTION.test(name)) return 'amount';
  return INVERSE_FUTURE.test(name) ? 'quote_amount' : undefined;
}

const OF_INSTRUMENT: FactFields = { symbols: ['instrument_name'], symbolPattern: SYMBOL };

const MOVEMENT: FactFields = { symbols: ['currency'], amounts: ['amount'], symbolPattern: SYMBOL };

/** Closes any open position: only the venue knows how much, and in which direction. */
const CLOSING: FactFields = {
  ...OF_INSTRUMENT,
  hasUndecidableAmount: () => true,
  hasUndecidableSide: () => true,
};

const ORDER =
  'instrument_name | amount contracts type label price time_in_force display_amount max_show ' +
  'post_only reject_post_only reduce_only trigger_price trigger_offset trigger ' +
  'trigger_fill_condition advanced mmp valid_until linked_order_type';

const AMENDMENT =
  'amount contracts price post_only reject_post_only reduce_only advanced trigger_price ' +
  'trigger_offset mmp valid_until display_amount';

const CANCELLING = 'type detailed freeze_quotes';

/** Cancels one order, a label, or everything: none of them names an instrument. */
const CANCELLATIONS: Readonly<Record<string, string>> = {
  'GET /api/v2/private/cancel': 'order_id',
  'GET /api/v2/private/cancel_by_label': 'label | currency',
  'GET /api/v2/private/cancel_all': '| detailed freeze_quotes',
  'GET /api/v2/private/cancel_all_by_currency': `currency | kind ${CANCELLING}`,
  'GET /api/v2/private/cancel_all_by_currency_pair': `currency_pair | kind ${CANCELLING}`,
  'GET /api/v2/private/cancel_all_by_kind_or_type': `currency | kind ${CANCELLING}`,
};

const PRIVATE = 'GET /api/v2/private/';

/** The side is in the name of the operation. */
function sideIs(side: 'buy' | 'sell'): ReadEntries {
  return (parameters) => [{ ...parameters, side }];
}

export const DERIBIT_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints(
    'read',
    ['query'],
    rowsUnder(
      PRIVATE,
      `
      get_access_log get_account_summary get_account_summaries get_affiliate_program_info
      get_currencies get_email_language get_new_announcements get_portfolio_margins get_position
      get_positions get_subaccounts get_subaccounts_details get_transaction_log simulate_portfolio
      pme_simulate get_cancel_on_disconnect get_margins get_mmp_config get_mmp_status
      get_open_orders get_open_orders_by_currency get_open_orders_by_instrument
      get_open_orders_by_label get_order_history_by_currency get_order_history_by_instrument
      get_order_margin_by_ids get_order_state get_order_state_by_label get_stop_order_history
      get_trigger_order_history get_user_trades_by_currency
      get_user_trades_by_currency_and_time get_user_trades_by_instrument
      get_user_trades_by_instrument_and_time get_user_trades_by_order
      get_settlement_history_by_instrument get_settlement_history_by_currency
      get_address_book get_current_deposit_address get_deposits get_reward_eligibility
      get_transfers get_withdrawals get_block_trade get_block_trade_requests get_block_trades
      get_last_block_trades_by_currency
    `,
    ),
    { fields: { symbols: ['instrument_name', 'currency'], symbolPattern: SYMBOL } },
  ),
  ...endpoints(
    'trade',
    ['query'],
    { 'GET /api/v2/private/buy': ORDER },
    { entries: sideIs('buy') },
  ),
  ...endpoints(
    'trade',
    ['query'],
    { 'GET /api/v2/private/sell': ORDER },
    { entries: sideIs('sell') },
  ),
  ...endpoints('trade', ['query'], {
    'GET /api/v2/private/edit': `order_id | ${AMENDMENT}`,
    'GET /api/v2/private/edit_by_label': `instrument_name | label ${AMENDMENT}`,
  }),
  ...endpoints(
    'trade',
    ['query'],
    { 'GET /api/v2/private/close_position': 'instrument_name type | price' },
    { fields: CLOSING },
  ),
  ...endpoints('cancel', ['query'], CANCELLATIONS, { fields: {} }),
  ...endpoints('cancel', ['query'], rowsUnder(PRIVATE, 'cancel_quotes')),
  // without `include_combos`, which cancels in other instruments too
  ...endpoints(
    'cancel',
    ['query'],
    { 'GET /api/v2/private/cancel_all_by_instrument': `instrument_name | ${CANCELLING}` },
    { fields: OF_INSTRUMENT },
  ),
  ...endpoints(
    'trade',
    ['query'],
    rowsUnder(
      PRIVATE,
      `
      enable_cancel_on_disconnect disable_cancel_on_disconnect
      set_mmp_config reset_mmp
    `,
    ),
  ),
  ...endpoints(
    'transfer',
    ['query'],
    {
      'GET /api/v2/private/submit_transfer_to_subaccount': 'currency amount destination | nonce',
      'GET /api/v2/private/submit_transfer_between_subaccounts':
        'currency amount destination | source nonce',
      'GET /api/v2/private/create_deposit_address': 'currency',
      'GET /api/v2/private/cancel_transfer_by_id': 'currency id',
    },
    { fields: MOVEMENT },
  ),
  ...endpoints(
    'withdraw',
    ['query'],
    {
      'GET /api/v2/private/withdraw': 'currency address amount | priority tfa',
      'GET /api/v2/private/cancel_withdrawal': 'currency id',
      // sends to another user of the venue: the funds are gone
      'GET /api/v2/private/submit_transfer_to_user': 'currency amount destination | tfa nonce',
    },
    { fields: MOVEMENT },
  ),
  // the list of keys holds their secrets
  ...endpoints(
    'key_admin',
    ['query'],
    rowsUnder(
      PRIVATE,
      `
      list_api_keys change_api_key_name change_scope_in_api_key create_api_key disable_api_key edit_api_key
      enable_api_key remove_api_key reset_api_key set_api_key_as_default
      change_subaccount_name create_subaccount remove_subaccount disable_tfa_for_subaccount
      set_email_for_subaccount set_password_for_subaccount toggle_subaccount_login
      toggle_notifications_from_subaccount set_disabled_trading_products
      add_to_address_book remove_from_address_book update_in_address_book
      save_address_beneficiary delete_address_beneficiary set_clearance_originator
    `,
    ),
  ),
  ...endpoints('session', [], ['public/auth'], { channel: 'ws' }),
];
