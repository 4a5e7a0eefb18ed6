/**
 * Binance futures and options: signed REST endpoints under /fapi, /dapi and /eapi. Names from the venue's
 * own connectors and ccxt's endpoint lists.
 */
import { isRefusal } from '@countersign/core/errors.js';
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';
import { ordersIn } from '../engine/nested-orders.js';
import { parseJson } from '../engine/request-body.js';
import type { ReadEntries } from '../engine/request-facts.js';
import { invalid } from '../engine/wire-form.js';

const READ: Readonly<Record<string, string>> = {
  'GET /dapi/v1/account': '',
  'GET /dapi/v1/adlQuantile': '| symbol',
  'GET /dapi/v1/allOrders': '| symbol pair orderId startTime endTime limit',
  'GET /dapi/v1/balance': '',
  'GET /dapi/v1/commissionRate': 'symbol',
  'GET /dapi/v1/forceOrders': '| symbol autoCloseType startTime endTime limit',
  'GET /dapi/v1/income': '| symbol incomeType startTime endTime page limit',
  'GET /dapi/v1/income/asyn': 'startTime endTime',
  'GET /dapi/v1/income/asyn/id': '| downloadId',
  'GET /dapi/v1/leverageBracket': '| pair',
  'GET /dapi/v1/openAlgoOrders': '| algoType symbol algoId',
  'GET /dapi/v1/openOrder': 'symbol | orderId origClientOrderId',
  'GET /dapi/v1/openOrders': '| symbol pair',
  'GET /dapi/v1/order': 'symbol | orderId origClientOrderId',
  'GET /dapi/v1/order/asyn': 'startTime endTime',
  'GET /dapi/v1/order/asyn/id': 'downloadId',
  'GET /dapi/v1/orderAmendment': 'symbol | orderId origClientOrderId startTime endTime limit',
  'GET /dapi/v1/pmAccountInfo': 'asset',
  'GET /dapi/v1/positionMargin/history': 'symbol | type startTime endTime limit',
  'GET /dapi/v1/positionRisk': '| marginAsset pair',
  'GET /dapi/v1/positionSide/dual': '',
  'GET /dapi/v1/trade/asyn': 'startTime endTime',
  'GET /dapi/v1/trade/asyn/id': 'downloadId',
  'GET /dapi/v1/userTrades': '| symbol pair orderId startTime endTime fromId limit',
  'GET /dapi/v2/leverageBracket': '| symbol',
  'GET /eapi/v1/account': '',
  'GET /eapi/v1/bill': 'currency | recordId startTime endTime limit',
  'GET /eapi/v1/exerciseRecord': '| symbol startTime endTime limit',
  'GET /eapi/v1/historyOrders': 'symbol | orderId startTime endTime limit',
  'GET /eapi/v1/marginAccount': '',
  'GET /eapi/v1/openOrders': '| symbol orderId startTime endTime limit',
  'GET /eapi/v1/order': 'symbol | orderId clientOrderId',
  'GET /eapi/v1/position': '| symbol',
  'GET /eapi/v1/userTrades': '| symbol fromId startTime endTime limit',
  'GET /fapi/v1/account': '',
  'GET /fapi/v1/accountConfig': '',
  'GET /fapi/v1/adlQuantile': '| symbol',
  'GET /fapi/v1/algoOrder': 'algoId/clientAlgoId/algoid/clientalgoid | symbol',
  'GET /fapi/v1/allAlgoOrders': 'symbol | algoId startTime endTime limit',
  'GET /fapi/v1/allOrders': '| symbol orderId startTime endTime limit',
  'GET /fapi/v1/apiTradingStatus': '| symbol',
  'GET /fapi/v1/balance': '',
  'GET /fapi/v1/commissionRate': 'symbol',
  'GET /fapi/v1/convert/exchangeInfo': '| fromAsset toAsset',
  'GET /fapi/v1/convert/orderStatus': '| orderId quoteId',
  'GET /fapi/v1/feeBurn': '',
  'GET /fapi/v1/forceOrders': '| symbol autoCloseType startTime endTime limit',
  'GET /fapi/v1/income': '| symbol incomeType startTime endTime page limit',
  'GET /fapi/v1/income/asyn': 'startTime endTime',
  'GET /fapi/v1/income/asyn/id': 'downloadId',
  'GET /fapi/v1/leverageBracket': '| symbol',
  'GET /fapi/v1/multiAssetsMargin': '',
  'GET /fapi/v1/openAlgoOrders': '| algoType symbol algoId',
  'GET /fapi/v1/openOrder': 'symbol | orderId origClientOrderId',
  'GET /fapi/v1/openOrders': '| symbol',
  'GET /fapi/v1/order': 'symbol | orderId origClientOrderId',
  'GET /fapi/v1/order/asyn': 'startTime endTime',
  'GET /fapi/v1/order/asyn/id': 'downloadId',
  'GET /fapi/v1/orderAmendment': 'symbol | orderId origClientOrderId startTime endTime limit',
  'GET /fapi/v1/pmAccountInfo': 'asset',
  'GET /fapi/v1/positionMargin/history': 'symbol | type startTime endTime limit',
  'GET /fapi/v1/positionRisk': '| symbol',
  'GET /fapi/v1/positionSide/dual': '',
  'GET /fapi/v1/rateLimit/order': '',
  'GET /fapi/v1/symbolConfig': '| symbol',
  'GET /fapi/v1/trade/asyn': 'startTime endTime',
  'GET /fapi/v1/trade/asyn/id': 'downloadId',
  'GET /fapi/v1/userTrades': 'symbol | orderId startTime endTime fromId limit',
  'GET /fapi/v2/account': '',
  'GET /fapi/v2/balance': '',
  'GET /fapi/v2/positionRisk': '| symbol',
  'GET /fapi/v3/account': '',
  'GET /fapi/v3/balance': '',
  'GET /fapi/v3/positionRisk': '| symbol',
};

/** Takes orders away, and nothing else. */
const CANCEL: Readonly<Record<string, string>> = {
  'DELETE /dapi/v1/algoOrder': 'algoId/clientAlgoId/algoid/clientalgoid | symbol',
  'DELETE /dapi/v1/allOpenOrders': 'symbol',
  'DELETE /dapi/v1/batchOrders':
    'symbol | orderIdList origClientOrderIdList orderidlist origclientorderidlist',
  'POST /dapi/v1/countdownCancelAll': 'symbol countdownTime',
  'DELETE /dapi/v1/order': 'symbol | orderId origClientOrderId',
  'DELETE /eapi/v1/allOpenOrders': 'symbol',
  'DELETE /eapi/v1/allOpenOrdersByUnderlying': 'underlying',
  'DELETE /eapi/v1/batchOrders': 'symbol | orderIds clientOrderIds',
  'DELETE /eapi/v1/order': 'symbol | orderId clientOrderId',
  'DELETE /fapi/v1/algoOpenOrders': 'symbol',
  'DELETE /fapi/v1/algoOrder': 'algoId/clientAlgoId/algoid/clientalgoid | symbol',
  'DELETE /fapi/v1/allOpenOrders': 'symbol',
  'DELETE /fapi/v1/batchOrders':
    'symbol | orderIdList origClientOrderIdList orderidlist origclientorderidlist',
  'POST /fapi/v1/countdownCancelAll': 'symbol countdownTime',
  'DELETE /fapi/v1/order': 'symbol | orderId origClientOrderId',
};

const TRADE: Readonly<Record<string, string>> = {
  'POST /dapi/v1/algoOrder':
    'algoType symbol side type | positionSide timeInForce quantity price triggerPrice workingType priceMatch closePosition priceProtect reduceOnly activatePrice callbackRate clientAlgoId newOrderRespType selfTradePreventionMode goodTillDate activationPrice newClientOrderId',
  'POST /dapi/v1/leverage': 'symbol leverage',
  'POST /dapi/v1/marginType': 'symbol marginType',
  'POST /dapi/v1/order':
    'symbol side type | positionSide timeInForce quantity reduceOnly price newClientOrderId stopPrice closePosition activationPrice callbackRate workingType priceProtect newOrderRespType priceMatch selfTradePreventionMode',
  'PUT /dapi/v1/order':
    'symbol side | orderId origClientOrderId clientOrderId quantity price priceMatch',
  'POST /dapi/v1/positionMargin': 'symbol amount type | positionSide',
  'POST /dapi/v1/positionSide/dual': 'dualSidePosition',
  'POST /eapi/v1/order':
    'symbol side type quantity | price timeInForce reduceOnly postOnly newOrderRespType clientOrderId newClientOrderId isMmp selfTradePreventionMode',
  'POST /fapi/v1/algoOrder':
    'algoType symbol side type | positionSide timeInForce quantity price triggerPrice workingType priceMatch closePosition priceProtect reduceOnly activatePrice callbackRate clientAlgoId newOrderRespType selfTradePreventionMode goodTillDate activationPrice newClientOrderId',
  'POST /fapi/v1/convert/acceptQuote': 'quoteId',
  'POST /fapi/v1/convert/getQuote': 'fromAsset toAsset | fromAmount toAmount validTime',
  'POST /fapi/v1/feeBurn': 'feeBurn',
  'POST /fapi/v1/leverage': 'symbol leverage',
  'POST /fapi/v1/marginType': 'symbol marginType',
  'POST /fapi/v1/multiAssetsMargin': 'multiAssetsMargin',
  'POST /fapi/v1/order':
    'symbol side type | positionSide timeInForce quantity reduceOnly price newClientOrderId newOrderRespType priceMatch selfTradePreventionMode goodTillDate stopPrice closePosition activationPrice callbackRate workingType priceProtect',
  'PUT /fapi/v1/order':
    'symbol side | quantity price orderId origClientOrderId clientOrderId priceMatch modifyId reduceOnly',
  'POST /fapi/v1/order/test':
    'symbol side type | positionSide timeInForce quantity reduceOnly price newClientOrderId newOrderRespType priceMatch selfTradePreventionMode goodTillDate stopPrice closePosition activationPrice callbackRate workingType priceProtect',
  'POST /fapi/v1/positionMargin': 'symbol amount type | positionSide',
  'POST /fapi/v1/positionSide/dual': 'dualSidePosition',
  'POST /fapi/v1/stock/contract': '',
};

/** To the venue, a batch of new orders and one of amendments are the same text. */
const BATCHED_ORDER =
  'symbol side positionSide type timeInForce quantity reduceOnly price newClientOrderId ' +
  'newOrderRespType priceMatch selfTradePreventionMode goodTillDate stopPrice closePosition ' +
  'activationPrice callbackRate workingType priceProtect orderId origClientOrderId modifyId';
const BATCHED_OPTION_ORDER =
  'symbol side type quantity price timeInForce reduceOnly postOnly newOrderRespType ' +
  'clientOrderId isMmp selfTradePreventionMode';

/** Orders in a parameter with the JSON text of a list. */
function ordersInText(name: string, names: string): ReadEntries {
  const read = ordersIn(name, names);
  return (parameters) => {
    const text = parameters[name];
    const parsed = typeof text === 'string' ? parseJson(text) : invalid(`${name} is missing`);
    return isRefusal(parsed) ? parsed : read({ ...parameters, [name]: parsed.json });
  };
}

const BATCH: Readonly<Record<string, string>> = {
  'POST /dapi/v1/batchOrders': 'batchOrders',
  'PUT /dapi/v1/batchOrders': 'batchOrders',
  'POST /fapi/v1/batchOrders': 'batchOrders',
  'PUT /fapi/v1/batchOrders': 'batchOrders',
};

const OPTION_BATCH: Readonly<Record<string, string>> = {
  'POST /eapi/v1/batchOrders': 'orders',
};

const TRANSFER: Readonly<Record<string, string>> = {
  'POST /eapi/v1/transfer': 'currency type amount',
};

export const BINANCE_FUTURES: readonly Endpoint[] = [
  ...endpoints('read', ['query', 'form'], READ),
  ...endpoints('cancel', ['query', 'form'], CANCEL),
  ...endpoints('trade', ['query', 'form'], TRADE),
  ...endpoints('trade', ['query', 'form'], BATCH, {
    entries: ordersInText('batchOrders', BATCHED_ORDER),
  }),
  ...endpoints('trade', ['query', 'form'], OPTION_BATCH, {
    entries: ordersInText('orders', BATCHED_OPTION_ORDER),
  }),
  ...endpoints('transfer', ['query', 'form'], TRANSFER),
];
