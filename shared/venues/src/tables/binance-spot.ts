/**
 * Binance spot: signed REST endpoints under /api/v3. Names from the venue's rest-api.md; unsigned ones
 * (market data, listen keys) are left out, since nobody needs a signature for them.
 */
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';

const READ: Readonly<Record<string, string>> = {
  'GET /api/v3/account': '| omitZeroBalances',
  'GET /api/v3/account/commission': 'symbol',
  'GET /api/v3/allOrderList': '| fromId startTime endTime limit',
  'GET /api/v3/allOrders': 'symbol | orderId startTime endTime limit',
  'GET /api/v3/myAllocations': 'symbol | startTime endTime fromAllocationId limit orderId',
  'GET /api/v3/myFilters': 'symbol',
  'GET /api/v3/myPreventedMatches': 'symbol | preventedMatchId orderId fromPreventedMatchId limit',
  'GET /api/v3/myTrades': 'symbol | orderId startTime endTime fromId limit',
  'GET /api/v3/openOrderList': '',
  'GET /api/v3/openOrders': '| symbol',
  'GET /api/v3/order': 'symbol | orderId origClientOrderId',
  'GET /api/v3/order/amendments': 'symbol orderId | fromExecutionId limit',
  'GET /api/v3/orderList': '| orderListId origClientOrderId',
  'GET /api/v3/rateLimit/order': '',
};

/** Takes orders away, and nothing else. */
const CANCEL: Readonly<Record<string, string>> = {
  'DELETE /api/v3/openOrders': 'symbol',
  'DELETE /api/v3/order': 'symbol | orderId origClientOrderId newClientOrderId cancelRestrictions',
  'DELETE /api/v3/orderList': 'symbol | orderListId listClientOrderId newClientOrderId',
};

const TRADE: Readonly<Record<string, string>> = {
  'POST /api/v3/order':
    'symbol side type | timeInForce quantity quoteOrderQty price newClientOrderId strategyId strategyType stopPrice trailingDelta icebergQty newOrderRespType selfTradePreventionMode pegPriceType pegOffsetValue pegOffsetType',
  'PUT /api/v3/order/amend/keepPriority':
    'symbol newQty | orderId origClientOrderId newClientOrderId',
  'POST /api/v3/order/cancelReplace':
    'symbol side type cancelReplaceMode | timeInForce quantity quoteOrderQty price cancelNewClientOrderId cancelOrigClientOrderId cancelOrderId newClientOrderId strategyId strategyType stopPrice trailingDelta icebergQty newOrderRespType selfTradePreventionMode cancelRestrictions orderRateLimitExceededMode pegPriceType pegOffsetValue pegOffsetType',
  'POST /api/v3/order/oco':
    'symbol side quantity price stopPrice | listClientOrderId limitClientOrderId limitStrategyId limitStrategyType limitIcebergQty trailingDelta stopClientOrderId stopStrategyId stopStrategyType stopLimitPrice stopIcebergQty stopLimitTimeInForce newOrderRespType selfTradePreventionMode',
  'POST /api/v3/order/test':
    'symbol side type | computeCommissionRates timeInForce quantity quoteOrderQty price newClientOrderId strategyId strategyType stopPrice trailingDelta icebergQty newOrderRespType selfTradePreventionMode pegPriceType pegOffsetValue pegOffsetType',
  'POST /api/v3/orderList/oco':
    'symbol side quantity aboveType belowType | listClientOrderId aboveClientOrderId aboveIcebergQty abovePrice aboveStopPrice aboveTrailingDelta aboveTimeInForce aboveStrategyId aboveStrategyType abovePegPriceType abovePegOffsetType abovePegOffsetValue belowClientOrderId belowIcebergQty belowPrice belowStopPrice belowTrailingDelta belowTimeInForce belowStrategyId belowStrategyType belowPegPriceType belowPegOffsetType belowPegOffsetValue newOrderRespType selfTradePreventionMode',
  'POST /api/v3/orderList/opo':
    'symbol workingType workingSide workingPrice workingQuantity pendingType pendingSide | listClientOrderId newOrderRespType selfTradePreventionMode workingClientOrderId workingIcebergQty workingTimeInForce workingStrategyId workingStrategyType workingPegPriceType workingPegOffsetType workingPegOffsetValue pendingClientOrderId pendingPrice pendingStopPrice pendingTrailingDelta pendingIcebergQty pendingTimeInForce pendingStrategyId pendingStrategyType pendingPegPriceType pendingPegOffsetType pendingPegOffsetValue',
  'POST /api/v3/orderList/opoco':
    'symbol workingType workingSide workingPrice workingQuantity pendingSide pendingAboveType | listClientOrderId newOrderRespType selfTradePreventionMode workingClientOrderId workingIcebergQty workingTimeInForce workingStrategyId workingStrategyType workingPegPriceType workingPegOffsetType workingPegOffsetValue pendingAboveClientOrderId pendingAbovePrice pendingAboveStopPrice pendingAboveTrailingDelta pendingAboveIcebergQty pendingAboveTimeInForce pendingAboveStrategyId pendingAboveStrategyType pendingAbovePegPriceType pendingAbovePegOffsetType pendingAbovePegOffsetValue pendingBelowType pendingBelowClientOrderId pendingBelowPrice pendingBelowStopPrice pendingBelowTrailingDelta pendingBelowIcebergQty pendingBelowTimeInForce pendingBelowStrategyId pendingBelowStrategyType pendingBelowPegPriceType pendingBelowPegOffsetType pendingBelowPegOffsetValue',
  'POST /api/v3/orderList/oto':
    'symbol workingType workingSide workingPrice workingQuantity pendingType pendingSide pendingQuantity | listClientOrderId newOrderRespType selfTradePreventionMode workingClientOrderId workingIcebergQty workingTimeInForce workingStrategyId workingStrategyType workingPegPriceType workingPegOffsetType workingPegOffsetValue pendingClientOrderId pendingPrice pendingStopPrice pendingTrailingDelta pendingIcebergQty pendingTimeInForce pendingStrategyId pendingStrategyType pendingPegPriceType pendingPegOffsetType pendingPegOffsetValue',
  'POST /api/v3/orderList/otoco':
    'symbol workingType workingSide workingPrice workingQuantity pendingSide pendingQuantity pendingAboveType | listClientOrderId newOrderRespType selfTradePreventionMode workingClientOrderId workingIcebergQty workingTimeInForce workingStrategyId workingStrategyType workingPegPriceType workingPegOffsetType workingPegOffsetValue pendingAboveClientOrderId pendingAbovePrice pendingAboveStopPrice pendingAboveTrailingDelta pendingAboveIcebergQty pendingAboveTimeInForce pendingAboveStrategyId pendingAboveStrategyType pendingAbovePegPriceType pendingAbovePegOffsetType pendingAbovePegOffsetValue pendingBelowType pendingBelowClientOrderId pendingBelowPrice pendingBelowStopPrice pendingBelowTrailingDelta pendingBelowIcebergQty pendingBelowTimeInForce pendingBelowStrategyId pendingBelowStrategyType pendingBelowPegPriceType pendingBelowPegOffsetType pendingBelowPegOffsetValue',
  'POST /api/v3/sor/order':
    'symbol side type quantity | timeInForce price newClientOrderId strategyId strategyType icebergQty newOrderRespType selfTradePreventionMode',
  'POST /api/v3/sor/order/test':
    'symbol side type quantity | computeCommissionRates timeInForce price newClientOrderId strategyId strategyType icebergQty newOrderRespType selfTradePreventionMode',
};

export const BINANCE_SPOT: readonly Endpoint[] = [
  ...endpoints('read', ['query', 'form'], READ),
  ...endpoints('cancel', ['query', 'form'], CANCEL),
  ...endpoints('trade', ['query', 'form'], TRADE),
];
