/**
 * Coinbase Exchange: endpoints and where their facts are. Margin, lending, wrapping and OTC endpoints
 * are not in the table.
 */
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';
import type { FactFields } from '../engine/request-facts.js';

export const COINBASE_EXCHANGE_FIELDS: FactFields = {
  symbols: ['product_id', 'currency'],
  sides: ['side'],
  amounts: ['size', 'amount'],
  // a market order states what it spends, in the quote currency
  quoteAmounts: ['funds'],
};

export const COINBASE_EXCHANGE_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints(
    'read',
    ['query'],
    [
      'GET /accounts',
      'GET /accounts/{id}',
      'GET /accounts/{id}/holds',
      'GET /accounts/{id}/ledger',
      'GET /accounts/{id}/transfers',
      'GET /address-book',
      'GET /coinbase-accounts',
      'GET /conversions',
      'GET /conversions/fees',
      'GET /conversions/{id}',
      'GET /currencies',
      'GET /currencies/{id}',
      'GET /fees',
      'GET /fills',
      'GET /orders/{id}',
      'GET /payment-methods',
      'GET /position',
      'GET /products',
      'GET /products/{id}',
      'GET /products/{id}/book',
      'GET /products/{id}/candles',
      'GET /products/{id}/stats',
      'GET /products/{id}/ticker',
      'GET /products/{id}/trades',
      'GET /profiles',
      'GET /profiles/{id}',
      'GET /transfers',
      'GET /transfers/{id}',
      'GET /travel-rules',
      'GET /users/self/exchange-limits',
      'GET /users/self/hold-balances',
      'GET /users/self/trailing-volume',
      'GET /withdrawals/fee-estimate',
    ],
  ),
  // repeated for each status that is looked for
  ...endpoints('read', ['query'], ['GET /orders'], { repeatable: ['status'] }),
  ...endpoints('trade', ['json'], {
    'POST /orders':
      'product_id side | type price size funds profile_id stp stop stop_price time_in_force ' +
      'cancel_after post_only client_oid max_floor stop_limit_price',
  }),
  // ccxt states the product in a body
  ...endpoints('cancel', ['query', 'json'], {
    'DELETE /orders': '| product_id profile_id',
    'DELETE /orders/{id}': '| product_id profile_id',
  }),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /conversions': 'from to amount | profile_id nonce' },
    { fields: { symbols: ['from', 'to'], amounts: ['amount'] } },
  ),
  ...endpoints('transfer', ['json'], {
    'POST /profiles/transfer': 'from to currency amount',
    'POST /profiles/margin-transfer': 'amount currency | margin_profile_id type',
    'POST /deposits/coinbase-account': 'amount currency coinbase_account_id | profile_id',
    'POST /deposits/payment-method': 'amount currency payment_method_id | profile_id',
    'POST /coinbase-accounts/{id}/addresses': '| profile_id network',
  }),
  ...endpoints('withdraw', ['json'], {
    'POST /withdrawals/crypto':
      'amount currency crypto_address | profile_id destination_tag no_destination_tag nonce ' +
      'network add_network_fee_to_total is_intermediary intermediary_jurisdiction ' +
      'travel_rule_data two_factor_code',
    'POST /withdrawals/coinbase': 'amount currency coinbase_account_id | profile_id',
    'POST /withdrawals/coinbase-account': 'amount currency coinbase_account_id | profile_id',
    'POST /withdrawals/counterparty': 'amount currency counterparty_id | profile_id nonce',
    'POST /withdrawals/payment-method': 'amount currency payment_method_id | profile_id',
  }),
  ...endpoints(
    'key_admin',
    ['json'],
    [
      'POST /address-book',
      'PUT /address-book/{id}',
      'DELETE /address-book/{id}',
      'POST /profiles',
      'PUT /profiles/{id}',
      'PUT /profiles/{id}/deactivate',
      'POST /users/{id}/settlement-preferences',
    ],
  ),
  // its signature is also that of a feed login, see below
  ...endpoints('session', [], ['GET /users/self/verify']),
  ...endpoints('session', ['json'], ['subscribe', 'unsubscribe'], { channel: 'ws' }),
];
