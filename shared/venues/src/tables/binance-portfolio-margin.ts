/**
 * Binance portfolio margin: signed REST endpoints under /papi. Names from the venue's own connector and ccxt's
 * endpoint lists. Collections and the BNB transfer move funds between wallets of one portfolio margin account. Its
 * positions draw on all of them alike, so these count as trade.
 */
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';

const READ: Readonly<Record<string, string>> = {
  'GET /papi/v1/account': '',
  'GET /papi/v1/balance': '| asset',
  'GET /papi/v1/cm/account': '',
  'GET /papi/v1/cm/adlQuantile': '| symbol',
  'GET /papi/v1/cm/allOrders': '| symbol pair orderId startTime endTime limit',
  'GET /papi/v1/cm/commissionRate': 'symbol',
  'GET /papi/v1/cm/conditional/allOrders': '| symbol strategyId startTime endTime limit',
  'GET /papi/v1/cm/conditional/openOrder': 'symbol | strategyId newClientStrategyId',
  'GET /papi/v1/cm/conditional/openOrders': '| symbol',
  'GET /papi/v1/cm/conditional/orderHistory': 'symbol | strategyId newClientStrategyId',
  'GET /papi/v1/cm/forceOrders': '| symbol autoCloseType startTime endTime limit',
  'GET /papi/v1/cm/income': '| symbol incomeType startTime endTime page limit',
  'GET /papi/v1/cm/leverageBracket': '| symbol',
  'GET /papi/v1/cm/openOrder': 'symbol | orderId origClientOrderId',
  'GET /papi/v1/cm/openOrders': '| symbol pair',
  'GET /papi/v1/cm/order': 'symbol | orderId origClientOrderId',
  'GET /papi/v1/cm/orderAmendment': 'symbol | orderId origClientOrderId startTime endTime limit',
  'GET /papi/v1/cm/positionRisk': '| marginAsset pair',
  'GET /papi/v1/cm/positionSide/dual': '',
  'GET /papi/v1/cm/userTrades': '| symbol pair startTime endTime fromId limit',
  'GET /papi/v1/margin/allOrderList': '| fromId startTime endTime limit',
  'GET /papi/v1/margin/allOrders': 'symbol | orderId startTime endTime limit',
  'GET /papi/v1/margin/forceOrders': '| startTime endTime current size',
  'GET /papi/v1/margin/marginInterestHistory': '| asset startTime endTime current size archived',
  'GET /papi/v1/margin/marginLoan': 'asset | txId startTime endTime current size archived',
  'GET /papi/v1/margin/maxBorrowable': 'asset',
  'GET /papi/v1/margin/maxWithdraw': 'asset',
  'GET /papi/v1/margin/myTrades': 'symbol | orderId startTime endTime fromId limit',
  'GET /papi/v1/margin/openOrderList': '',
  'GET /papi/v1/margin/openOrders': 'symbol',
  'GET /papi/v1/margin/order': 'symbol | orderId origClientOrderId',
  'GET /papi/v1/margin/orderList': '| orderListId origClientOrderId',
  'GET /papi/v1/margin/repayLoan': 'asset | txId startTime endTime current size archived',
  'GET /papi/v1/portfolio/interest-history': '| asset startTime endTime size',
  'GET /papi/v1/portfolio/negative-balance-exchange-record': 'startTime endTime',
  'GET /papi/v1/rateLimit/order': '',
  'GET /papi/v1/repay-futures-switch': '',
  'GET /papi/v1/um/account': '',
  'GET /papi/v1/um/accountConfig': '',
  'GET /papi/v1/um/adlQuantile': '| symbol',
  'GET /papi/v1/um/algo/algoOrder': 'algoId/clientAlgoId | symbol',
  'GET /papi/v1/um/algo/allAlgoOrders': 'symbol | algoId startTime endTime limit',
  'GET /papi/v1/um/algo/openAlgoOrders': '| algoType symbol algoId',
  'GET /papi/v1/um/allOrders': 'symbol | orderId startTime endTime limit',
  'GET /papi/v1/um/apiTradingStatus': '| symbol',
  'GET /papi/v1/um/commissionRate': 'symbol',
  'GET /papi/v1/um/conditional/allOrders': '| symbol strategyId startTime endTime limit',
  'GET /papi/v1/um/conditional/openOrder': 'symbol | strategyId newClientStrategyId',
  'GET /papi/v1/um/conditional/openOrders': '| symbol',
  'GET /papi/v1/um/conditional/orderHistory': 'symbol | strategyId newClientStrategyId',
  'GET /papi/v1/um/feeBurn': '',
  'GET /papi/v1/um/forceOrders': '| symbol autoCloseType startTime endTime limit',
  'GET /papi/v1/um/income': '| symbol incomeType startTime endTime page limit',
  'GET /papi/v1/um/income/asyn': 'startTime endTime',
  'GET /papi/v1/um/income/asyn/id': 'downloadId',
  'GET /papi/v1/um/leverageBracket': '| symbol',
  'GET /papi/v1/um/openOrder': 'symbol | orderId origClientOrderId',
  'GET /papi/v1/um/openOrders': '| symbol',
  'GET /papi/v1/um/order': 'symbol | orderId origClientOrderId',
  'GET /papi/v1/um/order/asyn': 'startTime endTime',
  'GET /papi/v1/um/order/asyn/id': 'downloadId',
  'GET /papi/v1/um/orderAmendment': 'symbol | orderId origClientOrderId startTime endTime limit',
  'GET /papi/v1/um/positionRisk': '| symbol',
  'GET /papi/v1/um/positionSide/dual': '',
  'GET /papi/v1/um/symbolConfig': '| symbol',
  'GET /papi/v1/um/trade/asyn': 'startTime endTime',
  'GET /papi/v1/um/trade/asyn/id': 'downloadId',
  'GET /papi/v1/um/userTrades': 'symbol | startTime endTime fromId limit',
  'GET /papi/v2/um/account': '',
};

/** Takes orders away, and nothing else. */
const CANCEL: Readonly<Record<string, string>> = {
  'DELETE /papi/v1/cm/allOpenOrders': 'symbol',
  'DELETE /papi/v1/cm/conditional/allOpenOrders': 'symbol',
  'DELETE /papi/v1/cm/conditional/order': 'symbol | strategyId newClientStrategyId',
  'DELETE /papi/v1/cm/order': 'symbol | orderId origClientOrderId',
  'DELETE /papi/v1/margin/allOpenOrders': 'symbol',
  'DELETE /papi/v1/margin/order': 'symbol | orderId origClientOrderId newClientOrderId',
  'DELETE /papi/v1/margin/orderList': 'symbol | orderListId listClientOrderId newClientOrderId',
  'DELETE /papi/v1/um/algo/allOpenOrders': 'symbol',
  'DELETE /papi/v1/um/algo/order': 'algoId/clientAlgoId | symbol',
  'DELETE /papi/v1/um/allOpenOrders': 'symbol',
  'DELETE /papi/v1/um/conditional/allOpenOrders': 'symbol',
  'DELETE /papi/v1/um/conditional/order': 'symbol | strategyId newClientStrategyId',
  'DELETE /papi/v1/um/order': 'symbol | orderId origClientOrderId',
};

const TRADE: Readonly<Record<string, string>> = {
  'POST /papi/v1/asset-collection': 'asset',
  'POST /papi/v1/auto-collection': '',
  'POST /papi/v1/cm/conditional/order':
    'symbol side strategyType | positionSide timeInForce quantity reduceOnly price workingType priceProtect newClientStrategyId newOrderRespType stopPrice activationPrice callbackRate',
  'POST /papi/v1/cm/leverage': 'symbol leverage',
  'POST /papi/v1/cm/order':
    'symbol side type | positionSide timeInForce quantity reduceOnly price priceMatch newClientOrderId newOrderRespType',
  'PUT /papi/v1/cm/order':
    'symbol side | quantity price orderId origClientOrderId clientOrderId priceMatch modifyId',
  'POST /papi/v1/cm/positionSide/dual': 'dualSidePosition',
  'POST /papi/v1/margin/order':
    'symbol side type | quantity quoteOrderQty price stopPrice newClientOrderId newOrderRespType icebergQty sideEffectType timeInForce selfTradePreventionMode autoRepayAtCancel',
  'POST /papi/v1/margin/order/oco':
    'symbol side quantity price stopPrice | listClientOrderId limitClientOrderId limitIcebergQty stopClientOrderId stopLimitPrice stopIcebergQty stopLimitTimeInForce newOrderRespType sideEffectType',
  'POST /papi/v1/margin/repay-debt': 'asset | amount specifyRepayAssets',
  'POST /papi/v1/marginLoan': 'asset amount',
  'POST /papi/v1/repay-futures-negative-balance': '',
  'POST /papi/v1/repay-futures-switch': 'autoRepay',
  'POST /papi/v1/repayLoan': 'asset amount',
  'POST /papi/v1/um/algo/order':
    'algoType symbol side type | positionSide timeInForce quantity price triggerPrice workingType priceMatch closePosition priceProtect reduceOnly activatePrice callbackRate clientAlgoId newOrderRespType selfTradePreventionMode goodTillDate',
  'POST /papi/v1/um/conditional/order':
    'symbol side strategyType | positionSide timeInForce quantity reduceOnly price workingType priceProtect newClientStrategyId newOrderRespType stopPrice activationPrice callbackRate priceMatch selfTradePreventionMode goodTillDate',
  'POST /papi/v1/um/feeBurn': 'feeBurn',
  'POST /papi/v1/um/leverage': 'symbol leverage',
  'POST /papi/v1/um/order':
    'symbol side type | positionSide timeInForce quantity reduceOnly price newClientOrderId newOrderRespType priceMatch selfTradePreventionMode goodTillDate',
  'PUT /papi/v1/um/order':
    'symbol side | quantity price orderId origClientOrderId clientOrderId priceMatch modifyId',
  'POST /papi/v1/um/positionSide/dual': 'dualSidePosition',
  'POST /papi/v1/um/stock/contract': '',
};

export const BINANCE_PORTFOLIO_MARGIN: readonly Endpoint[] = [
  ...endpoints('transfer', ['query', 'form'], {
    'POST /papi/v1/bnb-transfer': 'amount transferSide',
  }),
  ...endpoints('read', ['query', 'form'], READ),
  ...endpoints('cancel', ['query', 'form'], CANCEL),
  ...endpoints('trade', ['query', 'form'], TRADE),
];
