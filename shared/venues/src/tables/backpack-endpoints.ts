/**
 * Backpack: endpoints, their instructions, and where their facts are. Requests for quotes, creation of
 * strategies and conversion of dust are not in the table.
 */
import { endpoints, type Endpoint, type NamedClass } from '../engine/endpoint-table.js';
import type { Entry, FactFields, ReadEntries } from '../engine/request-facts.js';
import { invalid } from '../engine/wire-form.js';

export const BACKPACK_FIELDS: FactFields = {
  symbols: ['symbol'],
  sides: ['side'],
  amounts: ['quantity', 'triggerQuantity'],
  quoteAmounts: ['quoteQuantity'],
  hasUndecidableAmount: hasAttached,
  hasUndecidableSide: hasAttached,
};

/** A take-profit or stop-loss is attached to the order, on the other side of the market. */
function hasAttached(order: Entry): boolean {
  return Object.keys(order).some((name) => /^(?:takeProfit|stopLoss)/.test(name));
}

/** `Bid` buys, `Ask` sells. */
const bidOrAsk: ReadEntries = (order) => {
  const { side } = order;
  if (side === undefined) return [order];
  if (side !== 'Bid' && side !== 'Ask') return invalid('the side must be Bid or Ask');
  return [{ ...order, side: side === 'Bid' ? 'buy' : 'sell' }];
};

const ORDER =
  'symbol side orderType | price quantity quoteQuantity timeInForce clientId postOnly reduceOnly ' +
  'selfTradePrevention triggerBy triggerPrice triggerQuantity autoBorrow autoBorrowRepay autoLend ' +
  'autoLendRedeem brokerId slippageTolerance slippageToleranceType stopLossLimitPrice ' +
  'stopLossTriggerBy stopLossTriggerPrice takeProfitLimitPrice takeProfitTriggerBy ' +
  'takeProfitTriggerPrice';

/** Endpoint, then its instruction (docs.backpack.exchange). */
const READS: Readonly<Record<string, string>> = {
  'GET /api/v1/account': 'accountQuery',
  'GET /api/v1/account/limits/borrow': 'maxBorrowQuantity',
  'GET /api/v1/account/limits/order': 'maxOrderQuantity',
  'GET /api/v1/account/limits/withdrawal': 'maxWithdrawalQuantity',
  'GET /api/v1/borrowLend/positions': 'borrowLendPositionQuery',
  'GET /api/v1/capital': 'balanceQuery',
  'GET /api/v1/capital/collateral': 'collateralQuery',
  'GET /api/v1/order': 'orderQuery',
  'GET /api/v1/orders': 'orderQueryAll',
  'GET /api/v1/position': 'positionQuery',
  'GET /api/v1/strategy': 'strategyQuery',
  'GET /api/v1/strategies': 'strategyQueryAll',
  'GET /wapi/v1/capital/deposit/address': 'depositAddressQuery',
  'GET /wapi/v1/capital/deposits': 'depositQueryAll',
  'GET /wapi/v1/capital/withdrawals': 'withdrawalQueryAll',
  'GET /wapi/v1/history/borrowLend': 'borrowHistoryQueryAll',
  'GET /wapi/v1/history/borrowLend/positions': 'borrowPositionHistoryQueryAll',
  'GET /wapi/v1/history/dust': 'dustHistoryQueryAll',
  'GET /wapi/v1/history/fills': 'fillHistoryQueryAll',
  'GET /wapi/v1/history/funding': 'fundingHistoryQueryAll',
  'GET /wapi/v1/history/interest': 'interestHistoryQueryAll',
  'GET /wapi/v1/history/orders': 'orderHistoryQueryAll',
  'GET /wapi/v1/history/pnl': 'pnlHistoryQueryAll',
  'GET /wapi/v1/history/quote': 'quoteHistoryQueryAll',
  'GET /wapi/v1/history/rfq': 'rfqHistoryQueryAll',
  'GET /wapi/v1/history/settlement': 'settlementHistoryQueryAll',
  'GET /wapi/v1/history/strategies': 'strategyHistoryQueryAll',
};

const WRITES: Readonly<Record<string, string>> = {
  'POST /api/v1/order': 'orderExecute',
  'DELETE /api/v1/order': 'orderCancel',
  'POST /api/v1/orders': 'orderExecute',
  'DELETE /api/v1/orders': 'orderCancelAll',
  'DELETE /api/v1/strategy': 'strategyCancel',
  'DELETE /api/v1/strategies': 'strategyCancelAll',
  'POST /api/v1/borrowLend': 'borrowLendExecute',
  'PATCH /api/v1/account': 'accountUpdate',
  'POST /wapi/v1/capital/withdrawals': 'withdraw',
};

/** The signed instruction of each endpoint of the REST API. */
export const BACKPACK_INSTRUCTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...READS, ...WRITES }),
);

function ordering(
  operationClass: NamedClass,
  carrier: 'json' | 'json_list',
  row: string,
): readonly Endpoint[] {
  return endpoints(operationClass, [carrier], { [row]: ORDER }, { entries: bidOrAsk });
}

export const BACKPACK_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints('read', ['query'], Object.keys(READS), { fields: { symbols: ['symbol'] } }),
  ...ordering('trade', 'json', 'POST /api/v1/order'),
  ...ordering('trade', 'json_list', 'POST /api/v1/orders'),
  ...endpoints('cancel', ['json'], {
    'DELETE /api/v1/order': 'symbol | orderId clientId',
    'DELETE /api/v1/orders': 'symbol | orderType',
    'DELETE /api/v1/strategy': 'symbol | strategyId clientStrategyId',
    'DELETE /api/v1/strategies': 'symbol | strategyType',
  }),
  // lends or borrows, so its side is neither buy nor sell
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /api/v1/borrowLend': 'symbol side quantity' },
    { fields: { symbols: ['symbol'], amounts: ['quantity'] } },
  ),
  ...endpoints('trade', ['json'], {
    'PATCH /api/v1/account': '| autoBorrowSettlements autoLend autoRepayBorrows leverageLimit',
  }),
  ...endpoints('withdraw', ['json'], {
    'POST /wapi/v1/capital/withdrawals':
      'symbol quantity address blockchain | autoBorrow autoLendRedeem clientId twoFactorToken',
  }),
  ...endpoints('session', [], ['subscribe'], { channel: 'ws' }),
];
