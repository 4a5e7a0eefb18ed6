/**
 * Gemini: endpoints and where their facts are. Staking and prediction markets are not in the table.
 * No path has two methods: the method is not signed.
 */
import { endpoints, rowsUnder, type Endpoint } from '../engine/endpoint-table.js';
import type { FactFields } from '../engine/request-facts.js';

/** For example `btcusd`, `btcgusdperp`, or the same in capitals: rules compare without case. */
const SYMBOL = /^(?:[a-z0-9-]{2,64}|[A-Z0-9-]{2,64})$/;

export const GEMINI_FIELDS: FactFields = {
  symbols: ['symbol', 'currency', 'ticker'],
  sides: ['side'],
  amounts: ['amount', 'quantity'],
  // in the quote currency
  amountsInOtherUnits: ['totalSpend', 'total_spend'],
  symbolPattern: SYMBOL,
};

const ORDER =
  'symbol amount side type | price client_order_id min_amount options stop_price account margin_order';
const CLEARING = 'symbol amount price side | counterparty_id expires_in_hrs account';

export const GEMINI_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints(
    'read',
    ['json'],
    [
      ...rowsUnder(
        'POST /',
        `
        v1/order/status v1/orders v1/orders/history v1/mytrades v1/notionalvolume v1/tradevolume
        v1/clearing/status v1/clearing/list v1/clearing/broker/list v1/clearing/trades v1/balances
        v1/balances/staking v1/balances/earn v1/notionalbalances/{currency} v1/transfers
        v2/transfers v1/addresses/{network} v1/payments/methods v1/earn/interest v1/earn/history
        v1/staking/history v1/staking/rewards v1/approvedAddresses/account/{network} v1/account
        v1/account/list v1/roles v1/custodyaccountfees v1/withdraw/{currency}/feeEstimate
        v2/withdraw/{network}/{ticker}/feeEstimate v1/transactions v1/margin v1/margin/account
        v1/margin/rates v1/margin/order/preview v1/positions v1/perpetuals/fundingPayment
        v1/perpetuals/fundingpaymentreport/records.json
      `,
      ),
      'GET /v1/perpetuals/fundingpaymentreport/records.xlsx',
      'GET /v2/network/{token}',
      'GET /v2/networks/{network}/assets',
    ],
    { fields: { symbols: ['symbol'], symbolPattern: SYMBOL } },
  ),
  ...endpoints('cancel', ['json'], {
    'POST /v1/order/cancel': '| order_id client_order_id account',
    'POST /v1/order/cancel/all': '| account',
    'POST /v1/order/cancel/session': '| account',
    // puts off a cancellation that silence would bring, as setting a timer again does elsewhere
    'POST /v1/heartbeat': '| account',
    'POST /v1/clearing/cancel': 'clearing_id | account',
  }),
  ...endpoints('trade', ['json'], {
    'POST /v1/order/new': ORDER,
    'POST /v1/wrap/{symbol}': 'amount side | client_order_id account',
    'POST /v1/instant/quote':
      'symbol side totalSpend | paymentMethodUuid paymentMethodType account',
    'POST /v1/instant/execute':
      'symbol side quantity fee | quoteId paymentMethodUuid paymentMethodType account',
  }),
  ...endpoints('transfer', ['json'], {
    'POST /v1/account/transfer/{currency}': 'sourceAccount targetAccount amount | clientTransferId',
    'POST /v1/deposit/{network}/newAddress': '| label legacy account',
  }),
  ...endpoints('withdraw', ['json'], {
    // a deal with a named counterparty at the caller's price can give the funds away
    'POST /v1/clearing/new': CLEARING,
    'POST /v1/clearing/confirm': `clearing_id ${CLEARING}`,
    'POST /v1/withdraw/{currency}': 'address amount | client_transfer_id memo account',
    'POST /v2/withdraw/{network}/{ticker}': 'address amount | client_transfer_id memo account',
    'POST /v1/payments/sen/withdraw': 'bank_id amount | account',
  }),
  ...endpoints(
    'key_admin',
    ['json'],
    rowsUnder(
      'POST /',
      `
      v1/payments/addbank v1/payments/addbank/cad v1/approvedAddresses/{network}/request
      v1/approvedAddresses/{network}/remove v1/account/create v1/account/rename
      v1/oauth/revokeByToken
    `,
    ),
  ),
  // opens the private WebSocket, where nothing further is signed
  ...endpoints('session', [], ['GET /v1/order/events']),
];
