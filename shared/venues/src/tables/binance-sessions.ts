/**
 * Binance WebSocket API (spot and futures) and FIX: signed operations. A WebSocket operation has the
 * parameters of its REST counterpart; `order.place` and `order.cancel` serve spot and futures.
 */
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';

const READ: Readonly<Record<string, string>> = {
  'order.status': 'symbol | orderId origClientOrderId',
  'openOrders.status': '| symbol',
  'orderList.status': '| origClientOrderId orderListId',
  'openOrderLists.status': '',
  'account.status': '| omitZeroBalances',
  'v2/account.status': '',
  'account.balance': '',
  'v2/account.balance': '',
  'account.position': '| symbol',
  'v2/account.position': '| symbol',
  'account.rateLimits.orders': '',
  'account.commission': 'symbol',
  allOrders: 'symbol | orderId startTime endTime limit',
  allOrderLists: '| fromId startTime endTime limit',
  myTrades: 'symbol | orderId startTime endTime fromId limit',
  myPreventedMatches: 'symbol | preventedMatchId orderId fromPreventedMatchId limit',
  myAllocations: 'symbol | startTime endTime fromAllocationId limit orderId',
  myFilters: 'symbol',
  'order.amendments': 'symbol orderId | fromExecutionId limit',
  'userDataStream.subscribe.signature': '',
};

/** Takes orders away, and nothing else. */
const CANCEL: Readonly<Record<string, string>> = {
  'order.cancel': 'symbol | orderId origClientOrderId newClientOrderId cancelRestrictions',
  'openOrders.cancelAll': 'symbol',
  'orderList.cancel': 'symbol | orderListId listClientOrderId newClientOrderId',
  'algoOrder.cancel': '| algoId clientAlgoId',
};

const TRADE: Readonly<Record<string, string>> = {
  'order.place':
    'symbol side type | timeInForce quantity quoteOrderQty price newClientOrderId strategyId strategyType stopPrice trailingDelta icebergQty newOrderRespType selfTradePreventionMode pegPriceType pegOffsetValue pegOffsetType positionSide reduceOnly priceMatch goodTillDate closePosition activationPrice callbackRate workingType priceProtect',
  'order.test':
    'symbol side type | computeCommissionRates timeInForce quantity quoteOrderQty price newClientOrderId strategyId strategyType stopPrice trailingDelta icebergQty newOrderRespType selfTradePreventionMode pegPriceType pegOffsetValue pegOffsetType',
  'order.modify':
    'symbol side | quantity price orderId origClientOrderId priceMatch modifyId reduceOnly',
  'order.cancelReplace':
    'symbol side type cancelReplaceMode | timeInForce quantity quoteOrderQty price cancelNewClientOrderId cancelOrigClientOrderId cancelOrderId newClientOrderId strategyId strategyType stopPrice trailingDelta icebergQty newOrderRespType selfTradePreventionMode cancelRestrictions orderRateLimitExceededMode pegPriceType pegOffsetValue pegOffsetType',
  'order.amend.keepPriority': 'symbol newQty | orderId origClientOrderId newClientOrderId',
  'orderList.place':
    'symbol side quantity price stopPrice | listClientOrderId limitClientOrderId limitStrategyId limitStrategyType limitIcebergQty trailingDelta stopClientOrderId stopStrategyId stopStrategyType stopLimitPrice stopIcebergQty stopLimitTimeInForce newOrderRespType selfTradePreventionMode',
  'orderList.place.oco':
    'symbol side quantity aboveType belowType | listClientOrderId aboveClientOrderId aboveIcebergQty abovePrice aboveStopPrice aboveTrailingDelta aboveTimeInForce aboveStrategyId aboveStrategyType abovePegPriceType abovePegOffsetType abovePegOffsetValue belowClientOrderId belowIcebergQty belowPrice belowStopPrice belowTrailingDelta belowTimeInForce belowStrategyId belowStrategyType belowPegPriceType belowPegOffsetType belowPegOffsetValue newOrderRespType selfTradePreventionMode',
  'orderList.place.oto':
    'symbol workingType workingSide workingPrice workingQuantity pendingType pendingSide pendingQuantity | listClientOrderId newOrderRespType selfTradePreventionMode workingClientOrderId workingIcebergQty workingTimeInForce workingStrategyId workingStrategyType workingPegPriceType workingPegOffsetType workingPegOffsetValue pendingClientOrderId pendingPrice pendingStopPrice pendingTrailingDelta pendingIcebergQty pendingTimeInForce pendingStrategyId pendingStrategyType pendingPegPriceType pendingPegOffsetType pendingPegOffsetValue',
  'orderList.place.otoco':
    'symbol workingType workingSide workingPrice workingQuantity pendingSide pendingQuantity pendingAboveType | listClientOrderId newOrderRespType selfTradePreventionMode workingClientOrderId workingIcebergQty workingTimeInForce workingStrategyId workingStrategyType workingPegPriceType workingPegOffsetType workingPegOffsetValue pendingAboveClientOrderId pendingAbovePrice pendingAboveStopPrice pendingAboveTrailingDelta pendingAboveIcebergQty pendingAboveTimeInForce pendingAboveStrategyId pendingAboveStrategyType pendingAbovePegPriceType pendingAbovePegOffsetType pendingAbovePegOffsetValue pendingBelowType pendingBelowClientOrderId pendingBelowPrice pendingBelowStopPrice pendingBelowTrailingDelta pendingBelowIcebergQty pendingBelowTimeInForce pendingBelowStrategyId pendingBelowStrategyType pendingBelowPegPriceType pendingBelowPegOffsetType pendingBelowPegOffsetValue',
  'orderList.place.opo':
    'symbol workingType workingSide workingPrice workingQuantity pendingType pendingSide | listClientOrderId newOrderRespType selfTradePreventionMode workingClientOrderId workingIcebergQty workingTimeInForce workingStrategyId workingStrategyType workingPegPriceType workingPegOffsetType workingPegOffsetValue pendingClientOrderId pendingPrice pendingStopPrice pendingTrailingDelta pendingIcebergQty pendingTimeInForce pendingStrategyId pendingStrategyType pendingPegPriceType pendingPegOffsetType pendingPegOffsetValue',
  'orderList.place.opoco':
    'symbol workingType workingSide workingPrice workingQuantity pendingSide pendingAboveType | listClientOrderId newOrderRespType selfTradePreventionMode workingClientOrderId workingIcebergQty workingTimeInForce workingStrategyId workingStrategyType workingPegPriceType workingPegOffsetType workingPegOffsetValue pendingAboveClientOrderId pendingAbovePrice pendingAboveStopPrice pendingAboveTrailingDelta pendingAboveIcebergQty pendingAboveTimeInForce pendingAboveStrategyId pendingAboveStrategyType pendingAbovePegPriceType pendingAbovePegOffsetType pendingAbovePegOffsetValue pendingBelowType pendingBelowClientOrderId pendingBelowPrice pendingBelowStopPrice pendingBelowTrailingDelta pendingBelowIcebergQty pendingBelowTimeInForce pendingBelowStrategyId pendingBelowStrategyType pendingBelowPegPriceType pendingBelowPegOffsetType pendingBelowPegOffsetValue',
  'sor.order.place':
    'symbol side type quantity | timeInForce price newClientOrderId strategyId strategyType icebergQty newOrderRespType selfTradePreventionMode',
  'sor.order.test':
    'symbol side type quantity | computeCommissionRates timeInForce price newClientOrderId strategyId strategyType icebergQty newOrderRespType selfTradePreventionMode',
  'algoOrder.place':
    'algoType symbol side type | positionSide timeInForce quantity price triggerPrice workingType priceMatch closePosition priceProtect reduceOnly activatePrice callbackRate clientAlgoId newOrderRespType selfTradePreventionMode goodTillDate',
};

export const BINANCE_SESSIONS: readonly Endpoint[] = [
  ...endpoints('read', ['json'], READ, { channel: 'ws' }),
  ...endpoints('cancel', ['json'], CANCEL, { channel: 'ws' }),
  ...endpoints('trade', ['json'], TRADE, { channel: 'ws' }),
  ...endpoints('session', ['json'], { 'session.logon': '' }, { channel: 'ws' }),
  ...endpoints(
    'session',
    ['json'],
    { Logon: 'SenderCompID TargetCompID MsgSeqNum' },
    { channel: 'fix' },
  ),
];
