/**
 * What other libraries than ccxt send for a desk's daily work: their method, path, parameter names and spelling, without timestamp, nonce and
 * signature. Written down from their public sources, where these were at hand, and from what they are known to send; none was run.
 */
import type { VenueKey, VenueRequest } from '@countersign/venues/engine/venue.js';

export interface LibraryRequests {
  readonly library: string;
  readonly venueId: string;
  readonly keyType: VenueKey['type'];
  /** The venue's names of the markets in them; of those whose orders count contracts apart. */
  readonly symbols: readonly string[];
  readonly contracts: readonly string[];
  readonly requests: readonly VenueRequest[];
}

/** One request per line: method, path and, where it has any, its parameters: `?` a query, `=` a form, otherwise a JSON body. */
function readLines(text: string): VenueRequest[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').map(readLine);
}

function readLine(line: string): VenueRequest {
  const [method = '', path = '', ...rest] = line.split(' ');
  const stated = rest.join(' ');
  const isQuery = stated.startsWith('? ');
  const body = stated.startsWith('= ') ? stated.slice(2) : stated;
  return {
    method,
    path,
    query: isQuery ? stated.slice(2) : '',
    body: isQuery ? '' : body,
    channel: 'rest',
  };
}

const KINDS = { keyType: 'hmac', contracts: [] } as const;

/** Every order without its optional fields, as empty texts: python-okx leaves none out. */
const OKX_ORDER =
  '{"instId":"BTC-USDT","tdMode":"cash","side":"buy","ordType":"limit","sz":"0.01","ccy":"","clOrdId":"","tag":"","posSide":"","px":"45000","reduceOnly":"","tgtCcy":"","tpTriggerPx":"","tpOrdPx":"","slTriggerPx":"","slOrdPx":"","tpTriggerPxType":"","slTriggerPxType":"","quickMgnType":"","stpId":"","stpMode":"","attachAlgoOrds":null}';
const OKX_ALGO =
  '{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"trigger","sz":"1","ccy":"","posSide":"","reduceOnly":"","tpTriggerPx":"","slTriggerPx":"","tpOrdPx":"","slOrdPx":"","triggerPx":"44000","orderPx":"-1","tgtCcy":"","pxVar":"","szLimit":"","pxLimit":"","timeInterval":"","pxSpread":"","tpTriggerPxType":"","slTriggerPxType":"","callbackRatio":"","callbackSpread":"","activePx":"","tag":"","triggerPxType":"","closeFraction":"","quickMgnType":"","algoClOrdId":""}';

export const LIBRARIES: readonly LibraryRequests[] = [
  {
    ...KINDS,
    library: 'python-binance',
    venueId: 'binance',
    symbols: ['BTCUSDT'],
    contracts: ['BTCUSD_PERP'],
    requests: readLines(`
      POST /api/v3/order = newClientOrderId=x-HNA2TXFJa1&price=45000&quantity=0.01&recvWindow=10000&side=BUY&symbol=BTCUSDT&timeInForce=GTC&type=LIMIT
      POST /api/v3/order = newClientOrderId=x-HNA2TXFJa1&quoteOrderQty=100&recvWindow=10000&side=BUY&symbol=BTCUSDT&type=MARKET
      POST /api/v3/order = newClientOrderId=x-HNA2TXFJa1&price=44000&quantity=0.01&recvWindow=10000&side=SELL&stopPrice=44100&symbol=BTCUSDT&timeInForce=GTC&type=STOP_LOSS_LIMIT
      POST /api/v3/order/test = newClientOrderId=x-HNA2TXFJa1&quantity=0.01&recvWindow=10000&side=BUY&symbol=BTCUSDT&type=MARKET
      POST /api/v3/order/oco = listClientOrderId=x-HNA2TXFJa1&price=52000&quantity=0.01&recvWindow=10000&side=SELL&stopLimitPrice=43900&stopLimitTimeInForce=GTC&stopPrice=44000&symbol=BTCUSDT
      POST /api/v3/orderList/oco = aboveType=LIMIT_MAKER&abovePrice=52000&belowStopPrice=44000&belowType=STOP_LOSS&quantity=0.01&recvWindow=10000&side=SELL&symbol=BTCUSDT
      POST /api/v3/order/cancelReplace = cancelOrderId=1&cancelReplaceMode=STOP_ON_FAILURE&price=45000&quantity=0.01&recvWindow=10000&side=BUY&symbol=BTCUSDT&timeInForce=GTC&type=LIMIT
      GET /api/v3/order ? orderId=1&recvWindow=10000&symbol=BTCUSDT
      GET /api/v3/openOrders ? recvWindow=10000&symbol=BTCUSDT
      GET /api/v3/openOrders ? recvWindow=10000
      GET /api/v3/allOrders ? limit=10&recvWindow=10000&symbol=BTCUSDT
      GET /api/v3/myTrades ? recvWindow=10000&symbol=BTCUSDT
      GET /api/v3/account ? recvWindow=10000
      GET /api/v3/rateLimit/order ? recvWindow=10000
      DELETE /api/v3/order = orderId=1&recvWindow=10000&symbol=BTCUSDT
      DELETE /api/v3/order = origClientOrderId=a1&recvWindow=10000&symbol=BTCUSDT
      DELETE /api/v3/openOrders = recvWindow=10000&symbol=BTCUSDT
      GET /sapi/v1/asset/tradeFee ? recvWindow=10000&symbol=BTCUSDT
      GET /sapi/v1/capital/config/getall ? recvWindow=10000
      GET /sapi/v1/capital/deposit/address ? coin=BTC&recvWindow=10000
      GET /sapi/v1/capital/deposit/hisrec ? coin=BTC&recvWindow=10000
      GET /sapi/v1/capital/withdraw/history ? recvWindow=10000
      POST /fapi/v1/order ? newClientOrderId=x-Cb7ytekJa1&price=45000&quantity=0.01&recvWindow=10000&side=BUY&symbol=BTCUSDT&timeInForce=GTC&type=LIMIT
      POST /fapi/v1/order ? newClientOrderId=x-Cb7ytekJa1&quantity=0.01&recvWindow=10000&reduceOnly=true&side=SELL&symbol=BTCUSDT&type=MARKET
      POST /fapi/v1/order ? closePosition=true&newClientOrderId=x-Cb7ytekJa1&recvWindow=10000&side=SELL&stopPrice=44000&symbol=BTCUSDT&type=STOP_MARKET
      POST /fapi/v1/algoOrder ? algoType=CONDITIONAL&clientAlgoId=x-Cb7ytekJa1&quantity=0.01&recvWindow=10000&side=SELL&symbol=BTCUSDT&triggerPrice=44000&type=STOP_MARKET
      PUT /fapi/v1/order ? orderId=1&price=45001&quantity=0.01&recvWindow=10000&side=BUY&symbol=BTCUSDT
      POST /fapi/v1/batchOrders = batchOrders=%5B%7B%22symbol%22%3A%20%22BTCUSDT%22%2C%20%22side%22%3A%20%22BUY%22%2C%20%22type%22%3A%20%22LIMIT%22%2C%20%22quantity%22%3A%20%220.01%22%2C%20%22price%22%3A%20%2245000%22%7D%5D&recvWindow=10000
      GET /fapi/v1/openOrders ? recvWindow=10000&symbol=BTCUSDT
      GET /fapi/v1/order ? orderId=1&recvWindow=10000&symbol=BTCUSDT
      GET /fapi/v1/allOrders ? recvWindow=10000&symbol=BTCUSDT
      GET /fapi/v1/userTrades ? recvWindow=10000&symbol=BTCUSDT
      GET /fapi/v1/income ? recvWindow=10000
      GET /fapi/v1/leverageBracket ? recvWindow=10000&symbol=BTCUSDT
      GET /fapi/v1/positionSide/dual ? recvWindow=10000
      GET /fapi/v2/balance ? recvWindow=10000
      GET /fapi/v2/account ? recvWindow=10000
      GET /fapi/v3/positionRisk ? recvWindow=10000&symbol=BTCUSDT
      DELETE /fapi/v1/order ? orderId=1&recvWindow=10000&symbol=BTCUSDT
      DELETE /fapi/v1/allOpenOrders ? recvWindow=10000&symbol=BTCUSDT
      DELETE /fapi/v1/batchOrders = orderidlist=[1,%202]&recvWindow=10000&symbol=BTCUSDT
      POST /fapi/v1/countdownCancelAll ? countdownTime=120000&recvWindow=10000&symbol=BTCUSDT
      POST /fapi/v1/leverage ? leverage=3&recvWindow=10000&symbol=BTCUSDT
      POST /fapi/v1/marginType ? marginType=ISOLATED&recvWindow=10000&symbol=BTCUSDT
      POST /fapi/v1/positionSide/dual ? dualSidePosition=true&recvWindow=10000
      POST /dapi/v1/order ? newClientOrderId=x-Cb7ytekJa1&price=45000&quantity=1&recvWindow=10000&side=BUY&symbol=BTCUSD_PERP&timeInForce=GTC&type=LIMIT
      GET /dapi/v1/positionRisk ? recvWindow=10000
      POST /sapi/v1/margin/order = isIsolated=FALSE&newClientOrderId=x-HNA2TXFJa1&price=45000&quantity=0.01&recvWindow=10000&side=BUY&symbol=BTCUSDT&timeInForce=GTC&type=LIMIT
      GET /sapi/v1/margin/account ? recvWindow=10000
      GET /sapi/v1/margin/openOrders ? recvWindow=10000&symbol=BTCUSDT
      POST /sapi/v1/margin/borrow-repay = amount=0.01&asset=BTC&isIsolated=FALSE&recvWindow=10000&symbol=BTCUSDT&type=BORROW
      POST /sapi/v1/asset/transfer = amount=1&asset=USDT&recvWindow=10000&type=MAIN_UMFUTURE
      POST /sapi/v1/capital/withdraw/apply = address=T1&amount=1&coin=USDT&recvWindow=10000
    `),
  },
  {
    ...KINDS,
    library: 'pybit',
    venueId: 'bybit',
    symbols: ['BTCUSDT'],
    requests: readLines(`
      POST /v5/order/create {"category": "linear", "symbol": "BTCUSDT", "side": "Buy", "orderType": "Limit", "qty": "0.01", "price": "45000", "timeInForce": "GTC"}
      POST /v5/order/create {"category": "spot", "symbol": "BTCUSDT", "side": "Buy", "orderType": "Market", "qty": "100", "marketUnit": "quoteCoin"}
      POST /v5/order/create {"category": "linear", "symbol": "BTCUSDT", "side": "Buy", "orderType": "Limit", "qty": "0.01", "price": "45000", "positionIdx": 0, "reduceOnly": true, "orderLinkId": "a1"}
      POST /v5/order/create {"category": "linear", "symbol": "BTCUSDT", "side": "Buy", "orderType": "Limit", "qty": "0.01", "price": "45000", "takeProfit": "52000", "stopLoss": "44000", "tpslMode": "Full"}
      POST /v5/order/create {"category": "linear", "symbol": "BTCUSDT", "side": "Sell", "orderType": "Market", "qty": "0.01", "triggerPrice": "44000", "triggerDirection": 2, "triggerBy": "LastPrice"}
      POST /v5/order/amend {"category": "linear", "symbol": "BTCUSDT", "orderId": "a1", "qty": "0.01", "price": "45001"}
      POST /v5/order/cancel {"category": "linear", "symbol": "BTCUSDT", "orderId": "a1"}
      POST /v5/order/cancel-all {"category": "linear", "symbol": "BTCUSDT"}
      POST /v5/order/cancel-all {"category": "linear", "settleCoin": "USDT"}
      POST /v5/order/create-batch {"category": "linear", "request": [{"symbol": "BTCUSDT", "side": "Buy", "orderType": "Limit", "qty": "0.01", "price": "45000"}]}
      POST /v5/order/amend-batch {"category": "linear", "request": [{"symbol": "BTCUSDT", "orderId": "a1", "qty": "0.01"}]}
      POST /v5/order/cancel-batch {"category": "linear", "request": [{"symbol": "BTCUSDT", "orderId": "a1"}]}
      POST /v5/order/disconnected-cancel-all {"timeWindow": 40}
      GET /v5/order/realtime ? category=linear&limit=10&openOnly=0&symbol=BTCUSDT
      GET /v5/order/history ? category=linear&limit=10
      GET /v5/execution/list ? category=linear&limit=10
      GET /v5/order/spot-borrow-check ? category=spot&side=Buy&symbol=BTCUSDT
      GET /v5/position/list ? category=linear&symbol=BTCUSDT
      GET /v5/position/closed-pnl ? category=linear&limit=10
      POST /v5/position/set-leverage {"category": "linear", "symbol": "BTCUSDT", "buyLeverage": "3", "sellLeverage": "3"}
      POST /v5/position/switch-isolated {"category": "linear", "symbol": "BTCUSDT", "tradeMode": 1, "buyLeverage": "3", "sellLeverage": "3"}
      POST /v5/position/switch-mode {"category": "linear", "symbol": "BTCUSDT", "mode": 0}
      POST /v5/position/trading-stop {"category": "linear", "symbol": "BTCUSDT", "takeProfit": "52000", "stopLoss": "44000", "positionIdx": 0}
      POST /v5/position/set-auto-add-margin {"category": "linear", "symbol": "BTCUSDT", "autoAddMargin": 1}
      GET /v5/account/wallet-balance ? accountType=UNIFIED
      GET /v5/account/info
      GET /v5/account/fee-rate ? category=linear&symbol=BTCUSDT
      GET /v5/account/transaction-log ? accountType=UNIFIED&limit=10
      GET /v5/account/collateral-info ? currency=BTC
      GET /v5/account/borrow-history ? currency=BTC
      GET /v5/asset/coin-greeks ? baseCoin=BTC
      POST /v5/account/set-margin-mode {"setMarginMode": "REGULAR_MARGIN"}
      GET /v5/asset/transfer/query-account-coins-balance ? accountType=UNIFIED&coin=BTC,ETH
      GET /v5/asset/deposit/query-record ? coin=BTC
      GET /v5/asset/withdraw/query-record ? coin=BTC
      GET /v5/asset/coin/query-info ? coin=BTC
      GET /v5/user/query-api
      POST /v5/asset/transfer/inter-transfer {"transferId": "6f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b90", "coin": "USDT", "amount": "1", "fromAccountType": "UNIFIED", "toAccountType": "FUND"}
      POST /v5/asset/withdraw/create {"coin": "USDT", "chain": "TRX", "address": "T1", "amount": "1", "timestamp": 1, "forceChain": 0, "accountType": "FUND"}
    `),
  },
  {
    ...KINDS,
    library: 'python-okx',
    venueId: 'okx',
    symbols: ['BTC-USDT'],
    contracts: ['BTC-USDT-SWAP'],
    requests: readLines(`
      POST /api/v5/trade/order ${OKX_ORDER}
      POST /api/v5/trade/order-algo ${OKX_ALGO}
      POST /api/v5/trade/batch-orders [{"instId":"BTC-USDT","tdMode":"cash","side":"buy","ordType":"limit","sz":"0.01","px":"45000"}]
      POST /api/v5/trade/cancel-order {"instId":"BTC-USDT","ordId":"1","clOrdId":""}
      POST /api/v5/trade/cancel-batch-orders [{"instId":"BTC-USDT","ordId":"1"}]
      POST /api/v5/trade/amend-order {"instId":"BTC-USDT","cxlOnFailc":"","ordId":"1","clOrdId":"","reqId":"","newSz":"0.01","newPx":"45001","newTpTriggerPx":"","newTpOrdPx":"","newSlTriggerPx":"","newSlOrdPx":"","newTpTriggerPxType":"","newSlTriggerPxType":"","attachAlgoOrds":""}
      POST /api/v5/trade/amend-batch-orders [{"instId":"BTC-USDT","ordId":"1","newSz":"0.01"}]
      POST /api/v5/trade/close-position {"instId":"BTC-USDT-SWAP","mgnMode":"cross","posSide":"","ccy":"","autoCxl":"","clOrdId":"","tag":""}
      POST /api/v5/trade/cancel-algos [{"algoId":"1","instId":"BTC-USDT-SWAP"}]
      POST /api/v5/trade/cancel-advance-algos [{"algoId":"1","instId":"BTC-USDT-SWAP"}]
      POST /api/v5/trade/amend-algos {"instId":"BTC-USDT-SWAP","algoId":"1","algoClOrdId":"","cxlOnFail":"","reqId":"","newSz":"1","newTpTriggerPx":"","newTpOrdPx":"","newSlTriggerPx":"","newSlOrdPx":"","newTpTriggerPxType":"","newSlTriggerPxType":""}
      GET /api/v5/trade/order ? instId=BTC-USDT&ordId=1&clOrdId=
      GET /api/v5/trade/orders-pending ? instType=SPOT&uly=&instId=&ordType=&state=&after=&before=&limit=&instFamily=
      GET /api/v5/trade/orders-history ? instType=SPOT&uly=&instId=&ordType=&state=&after=&before=&begin=&end=&limit=&instFamily=
      GET /api/v5/trade/fills ? instType=SPOT&uly=&instId=&ordId=&after=&before=&limit=&instFamily=
      GET /api/v5/trade/fills-history ? instType=SPOT&uly=&instId=&ordId=&after=&before=&limit=&instFamily=
      GET /api/v5/trade/orders-algo-pending ? ordType=trigger&algoId=&instType=&instId=&after=&before=&limit=&algoClOrdId=
      GET /api/v5/trade/order-algo ? algoId=1&algoClOrdId=
      GET /api/v5/account/balance
      GET /api/v5/account/balance ? ccy=BTC,USDT
      GET /api/v5/account/positions ? instType=&instId=
      GET /api/v5/account/config
      GET /api/v5/account/max-size ? instId=BTC-USDT&tdMode=cash&ccy=&px=
      GET /api/v5/account/trade-fee ? instType=SPOT&instId=&uly=&category=&instFamily=
      GET /api/v5/account/leverage-info ? instId=BTC-USDT-SWAP&mgnMode=cross
      GET /api/v5/account/bills ? instType=&ccy=&mgnMode=&ctType=&type=&subType=&after=&before=&limit=
      POST /api/v5/account/set-leverage {"lever":"3","mgnMode":"cross","instId":"BTC-USDT-SWAP","ccy":"","posSide":""}
      POST /api/v5/account/set-position-mode {"posMode":"net_mode"}
      GET /api/v5/asset/balances ? ccy=
      GET /api/v5/asset/deposit-address ? ccy=BTC
      POST /api/v5/asset/transfer {"ccy":"USDT","amt":"1","from":"6","to":"18","type":"0","subAcct":"","instId":"","toInstId":"","loanTrans":""}
      POST /api/v5/asset/withdrawal {"ccy":"USDT","amt":"1","dest":"4","toAddr":"T1","fee":"1","chain":"USDT-TRC20","areaCode":"","clientId":""}
    `),
  },
  {
    ...KINDS,
    library: 'cbpro',
    venueId: 'coinbase_exchange',
    symbols: ['BTC-USD'],
    requests: readLines(`
      GET /accounts/
      GET /accounts/6f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b90
      GET /accounts/6f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b90/ledger ? limit=100
      GET /accounts/6f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b90/holds
      POST /orders {"product_id": "BTC-USD", "side": "buy", "type": "limit", "price": "45000", "size": "0.01"}
      POST /orders {"product_id": "BTC-USD", "side": "buy", "type": "market", "funds": "100"}
      POST /orders {"product_id": "BTC-USD", "side": "sell", "type": "limit", "price": "43900", "size": "0.01", "stop": "loss", "stop_price": "44000"}
      POST /orders {"product_id": "BTC-USD", "side": "buy", "type": "limit", "price": "45000", "size": "0.01", "overdraft_enabled": false}
      DELETE /orders/6f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b90
      DELETE /orders ? product_id=BTC-USD
      GET /orders/6f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b90
      GET /orders ? status=open&status=pending&status=active
      GET /fills ? product_id=BTC-USD
      GET /payment-methods
      GET /coinbase-accounts
      GET /users/self/trailing-volume
      GET /fees
      POST /conversions {"from": "USDC", "to": "USD", "amount": "1"}
      POST /position/close {"repay_only": true}
      POST /withdrawals/crypto {"amount": "1", "currency": "BTC", "crypto_address": "bc1q"}
    `),
  },
  {
    ...KINDS,
    library: 'coinbase-advanced-py',
    venueId: 'coinbase_advanced',
    keyType: 'ed25519',
    symbols: [],
    requests: readLines(`
      GET /api/v3/brokerage/accounts ? limit=50
      GET /api/v3/brokerage/accounts/6f1f7b2e-3c1d-4b7a-9a57-0d2f4c8e1b90
      POST /api/v3/brokerage/orders {"client_order_id": "a1", "product_id": "BTC-USD", "side": "BUY", "order_configuration": {"limit_limit_gtc": {"base_size": "0.01", "limit_price": "45000", "post_only": false}}}
      POST /api/v3/brokerage/orders/batch_cancel {"order_ids": ["a1"]}
      POST /api/v3/brokerage/orders/edit {"order_id": "a1", "size": "0.01", "price": "45001"}
      POST /api/v3/brokerage/orders/preview {"product_id": "BTC-USD", "side": "BUY", "order_configuration": {}}
      GET /api/v3/brokerage/orders/historical/batch ? product_ids=BTC-USD&order_status=OPEN
      GET /api/v3/brokerage/orders/historical/a1
      GET /api/v3/brokerage/orders/historical/fills ? order_ids=a1
      GET /api/v3/brokerage/transaction_summary
      GET /api/v3/brokerage/portfolios
      GET /api/v3/brokerage/key_permissions
      POST /api/v3/brokerage/portfolios/move_funds {"funds": {"value": "1", "currency": "USD"}}
    `),
  },
  {
    ...KINDS,
    library: 'python-kraken-sdk',
    venueId: 'kraken',
    symbols: ['XBTUSD'],
    requests: readLines(`
      POST /0/private/AddOrder = ordertype=limit&type=buy&volume=0.01&pair=XBTUSD&price=45000&stptype=cancel-newest&validate=False&oflags=post
      POST /0/private/AddOrder = ordertype=stop-loss&type=sell&volume=0.01&pair=XBTUSD&price=44000&trigger=last&userref=1
      POST /0/private/AddOrder = ordertype=limit&type=buy&volume=0.01&pair=XBTUSD&price=45000&close%5Bordertype%5D=limit&close%5Bprice%5D=52000
      POST /0/private/AddOrderBatch {"orders":[{"ordertype":"limit","type":"buy","volume":"0.01","price":"45000"}],"pair":"XBTUSD","validate":false}
      POST /0/private/AmendOrder = txid=OABC&order_qty=0.01&limit_price=45001
      POST /0/private/EditOrder = txid=OABC&volume=0.01&pair=XBTUSD&price=45001&validate=False
      POST /0/private/CancelOrder = txid=OABC
      POST /0/private/CancelAll
      POST /0/private/CancelAllOrdersAfter = timeout=60
      POST /0/private/CancelOrderBatch {"orders":["OABC"]}
      POST /0/private/Balance
      POST /0/private/BalanceEx
      POST /0/private/TradeBalance = asset=ZUSD
      POST /0/private/OpenOrders = trades=False
      POST /0/private/ClosedOrders = trades=False&closetime=both
      POST /0/private/QueryOrders = txid=OABC&trades=False
      POST /0/private/QueryOrders = txid=OABC%2CODEF&trades=False
      POST /0/private/TradesHistory = type=all&trades=False
      POST /0/private/QueryTrades = txid=TABC&trades=False
      POST /0/private/OpenPositions = docalcs=False
      POST /0/private/Ledgers = asset=all&aclass=currency&type=all
      POST /0/private/TradeVolume = pair=XBTUSD
      POST /0/private/GetWebSocketsToken
      POST /0/private/Withdraw = asset=XBT&key=cold&amount=0.01
    `),
  },
  {
    ...KINDS,
    library: 'python-kraken-sdk (futures)',
    venueId: 'kraken_futures',
    symbols: ['PF_XBTUSD'],
    contracts: ['PI_XBTUSD'],
    requests: readLines(`
      POST /derivatives/api/v3/sendorder = orderType=lmt&side=buy&size=0.01&symbol=PF_XBTUSD&limitPrice=45000
      POST /derivatives/api/v3/sendorder = orderType=mkt&side=buy&size=1&symbol=pi_xbtusd
      POST /derivatives/api/v3/sendorder = orderType=stp&side=sell&size=0.01&symbol=PF_XBTUSD&stopPrice=44000&triggerSignal=mark&reduceOnly=true
      POST /derivatives/api/v3/editorder = orderId=a1&limitPrice=45001
      POST /derivatives/api/v3/cancelorder = order_id=a1
      POST /derivatives/api/v3/cancelallorders = symbol=PF_XBTUSD
      POST /derivatives/api/v3/cancelallordersafter = timeout=60
      POST /derivatives/api/v3/batchorder = json=%7B%22batchOrder%22%3A%5B%7B%22order%22%3A%22send%22%2C%22order_tag%22%3A%221%22%2C%22orderType%22%3A%22lmt%22%2C%22symbol%22%3A%22PF_XBTUSD%22%2C%22side%22%3A%22buy%22%2C%22size%22%3A0.01%2C%22limitPrice%22%3A45000%7D%5D%7D
      GET /derivatives/api/v3/accounts
      GET /derivatives/api/v3/openorders
      GET /derivatives/api/v3/openpositions
      GET /derivatives/api/v3/fills
      POST /derivatives/api/v3/orders/status = orderIds=a1
      PUT /derivatives/api/v3/leveragepreferences ? symbol=PF_XBTUSD&maxLeverage=3
      POST /derivatives/api/v3/withdrawal = currency=xbt&amount=1
    `),
  },
  {
    ...KINDS,
    library: 'bitfinex-api-py',
    venueId: 'bitfinex',
    symbols: ['tBTCUSD'],
    requests: readLines(`
      POST /v2/auth/w/order/submit {"type":"EXCHANGE LIMIT","symbol":"tBTCUSD","amount":"0.01","price":"45000"}
      POST /v2/auth/w/order/submit {"type":"EXCHANGE LIMIT","symbol":"tBTCUSD","amount":"0.01","price":"45000","flags":4096,"cid":1}
      POST /v2/auth/w/order/update {"id":1,"amount":"0.01","price":"45001"}
      POST /v2/auth/w/order/cancel {"id":1}
      POST /v2/auth/w/order/cancel/multi {"id":[1,2]}
      POST /v2/auth/r/wallets
      POST /v2/auth/r/orders
      POST /v2/auth/r/orders/tBTCUSD {"id":[1]}
      POST /v2/auth/r/orders/hist {"limit":10}
      POST /v2/auth/r/trades/tBTCUSD/hist {"limit":10}
      POST /v2/auth/r/positions
      POST /v2/auth/r/info/user
      POST /v2/auth/w/transfer {"from":"exchange","to":"margin","currency":"BTC","currency_to":"BTC","amount":"1"}
    `),
  },
  {
    ...KINDS,
    library: 'gateapi-python',
    venueId: 'gate',
    // a pair and a contract have one name: the rule that bounds contracts bounds both
    symbols: [],
    contracts: ['BTC_USDT', 'BTC_USD'],
    requests: readLines(`
      POST /api/v4/spot/orders {"currency_pair": "BTC_USDT", "type": "limit", "account": "spot", "side": "buy", "amount": "0.01", "price": "45000", "time_in_force": "gtc"}
      POST /api/v4/spot/orders {"currency_pair": "BTC_USDT", "type": "market", "account": "spot", "side": "buy", "amount": "100", "time_in_force": "ioc"}
      POST /api/v4/spot/batch_orders [{"text": "t-1", "currency_pair": "BTC_USDT", "type": "limit", "account": "spot", "side": "buy", "amount": "0.01", "price": "45000", "time_in_force": "gtc"}]
      PATCH /api/v4/spot/orders/1 {"amount": "0.01", "price": "45001", "currency_pair": "BTC_USDT"}
      DELETE /api/v4/spot/orders/1 ? currency_pair=BTC_USDT
      DELETE /api/v4/spot/orders ? currency_pair=BTC_USDT&account=spot
      POST /api/v4/spot/cancel_batch_orders [{"currency_pair": "BTC_USDT", "id": "1"}]
      POST /api/v4/spot/countdown_cancel_all {"timeout": 60, "currency_pair": "BTC_USDT"}
      POST /api/v4/spot/price_orders {"trigger": {"price": "44000", "rule": "<=", "expiration": 3600}, "put": {"type": "limit", "side": "sell", "price": "43900", "amount": "0.01", "account": "normal", "time_in_force": "gtc"}, "market": "BTC_USDT"}
      GET /api/v4/spot/orders ? currency_pair=BTC_USDT&status=open&page=1&limit=100
      GET /api/v4/spot/open_orders
      GET /api/v4/spot/accounts ? currency=BTC
      GET /api/v4/spot/my_trades ? currency_pair=BTC_USDT&limit=10
      GET /api/v4/wallet/fee
      POST /api/v4/futures/usdt/orders {"contract": "BTC_USDT", "size": 1, "iceberg": 0, "price": "45000", "close": false, "reduce_only": false, "tif": "gtc", "text": "t-1"}
      DELETE /api/v4/futures/usdt/orders/1
      DELETE /api/v4/futures/usdt/orders ? contract=BTC_USDT
      PUT /api/v4/futures/usdt/orders/1 {"size": 1, "price": "45001"}
      GET /api/v4/futures/usdt/orders ? contract=BTC_USDT&status=open
      GET /api/v4/futures/usdt/accounts
      GET /api/v4/futures/usdt/positions
      GET /api/v4/futures/usdt/positions/BTC_USDT
      POST /api/v4/futures/usdt/positions/BTC_USDT/leverage ? leverage=3
      POST /api/v4/wallet/transfers {"currency": "USDT", "from": "spot", "to": "futures", "amount": "1", "settle": "usdt"}
      POST /api/v4/withdrawals {"currency": "USDT", "amount": "1", "address": "T1", "chain": "TRX"}
    `),
  },
  {
    ...KINDS,
    library: 'kucoin-universal-sdk',
    venueId: 'kucoin',
    symbols: ['BTC-USDT'],
    contracts: ['XBTUSDTM'],
    requests: readLines(`
      POST /api/v1/hf/orders {"clientOid":"a1","side":"buy","symbol":"BTC-USDT","type":"limit","price":"45000","size":"0.01","timeInForce":"GTC"}
      POST /api/v1/hf/orders {"clientOid":"a1","side":"buy","symbol":"BTC-USDT","type":"market","funds":"100"}
      POST /api/v1/hf/orders/sync {"clientOid":"a1","side":"buy","symbol":"BTC-USDT","type":"limit","price":"45000","size":"0.01"}
      POST /api/v1/hf/orders/multi {"orderList":[{"clientOid":"a1","symbol":"BTC-USDT","type":"limit","side":"buy","price":"45000","size":"0.01"}]}
      POST /api/v1/hf/orders/alter {"symbol":"BTC-USDT","orderId":"1","newPrice":"45001","newSize":"0.01"}
      POST /api/v1/stop-order {"clientOid":"a1","side":"sell","symbol":"BTC-USDT","type":"limit","price":"43900","size":"0.01","stopPrice":"44000"}
      DELETE /api/v1/hf/orders/1 ? symbol=BTC-USDT
      DELETE /api/v1/hf/orders/client-order/a1 ? symbol=BTC-USDT
      DELETE /api/v1/hf/orders ? symbol=BTC-USDT
      DELETE /api/v1/hf/orders/cancelAll
      GET /api/v1/hf/orders/active ? symbol=BTC-USDT
      GET /api/v1/hf/orders/1 ? symbol=BTC-USDT
      GET /api/v1/hf/fills ? symbol=BTC-USDT
      GET /api/v1/accounts ? currency=BTC&type=trade
      GET /api/v1/trade-fees ? symbols=BTC-USDT
      GET /api/v1/account-overview ? currency=USDT
      POST /api/v1/orders {"clientOid":"a1","side":"buy","symbol":"XBTUSDTM","leverage":3,"type":"limit","price":"45000","size":1,"marginMode":"CROSS"}
      POST /api/v1/orders/multi [{"clientOid":"a1","side":"buy","symbol":"XBTUSDTM","leverage":3,"type":"limit","price":"45000","size":1}]
      DELETE /api/v1/orders/1
      DELETE /api/v1/orders/multi-cancel {"clientOidsList":[{"clientOid":"a1","symbol":"XBTUSDTM"}]}
      DELETE /api/v3/orders ? symbol=XBTUSDTM
      GET /api/v1/positions ? currency=USDT
      POST /api/v2/changeCrossUserLeverage {"symbol":"XBTUSDTM","leverage":"3"}
      POST /api/v3/accounts/universal-transfer {"clientOid":"a1","currency":"USDT","amount":"1","type":"INTERNAL","fromAccountType":"MAIN","toAccountType":"TRADE"}
      POST /api/v1/bullet-private
    `),
  },
  {
    ...KINDS,
    library: 'bitget-python-sdk-api',
    venueId: 'bitget',
    symbols: ['BTCUSDT'],
    requests: readLines(`
      POST /api/v2/spot/trade/place-order {"symbol": "BTCUSDT", "side": "buy", "orderType": "limit", "force": "gtc", "price": "45000", "size": "0.01"}
      POST /api/v2/spot/trade/place-order {"symbol": "BTCUSDT", "side": "buy", "orderType": "market", "force": "gtc", "size": "100"}
      POST /api/v2/spot/trade/batch-orders {"symbol": "BTCUSDT", "orderList": [{"side": "buy", "orderType": "limit", "force": "gtc", "price": "45000", "size": "0.01"}]}
      POST /api/v2/spot/trade/cancel-order {"symbol": "BTCUSDT", "orderId": "1"}
      POST /api/v2/spot/trade/cancel-symbol-order {"symbol": "BTCUSDT"}
      GET /api/v2/spot/trade/unfilled-orders ? symbol=BTCUSDT
      GET /api/v2/spot/trade/fills ? symbol=BTCUSDT
      GET /api/v2/spot/account/assets
      POST /api/v2/mix/order/place-order {"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed", "marginCoin": "USDT", "size": "0.01", "price": "45000", "side": "buy", "tradeSide": "open", "orderType": "limit", "force": "gtc"}
      POST /api/v2/mix/order/cancel-order {"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "orderId": "1"}
      POST /api/v2/mix/order/modify-order {"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "orderId": "1", "newClientOid": "a2", "newSize": "0.01", "newPrice": "45001"}
      GET /api/v2/mix/order/orders-pending ? productType=USDT-FUTURES
      GET /api/v2/mix/position/all-position ? productType=USDT-FUTURES&marginCoin=USDT
      GET /api/v2/mix/account/accounts ? productType=USDT-FUTURES
      POST /api/v2/mix/account/set-leverage {"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT", "leverage": "3"}
      POST /api/v2/spot/wallet/transfer {"fromType": "spot", "toType": "usdt_futures", "amount": "1", "coin": "USDT"}
    `),
  },
  {
    ...KINDS,
    library: 'gemini-python',
    venueId: 'gemini',
    symbols: ['btcusd'],
    requests: readLines(`
      POST /v1/order/new {"symbol":"BTCUSD","amount":"0.01","price":"45000","side":"buy","options":["maker-or-cancel"],"type":"exchange limit"}
      POST /v1/order/cancel {"order_id":"1"}
      POST /v1/order/cancel/all
      POST /v1/order/cancel/session
      POST /v1/order/status {"order_id":"1"}
      POST /v1/orders
      POST /v1/mytrades {"symbol":"BTCUSD","limit_trades":50}
      POST /v1/tradevolume
      POST /v1/balances
      POST /v1/heartbeat
      POST /v1/withdraw/btc {"address":"bc1q","amount":"1"}
    `),
  },
  {
    ...KINDS,
    library: 'bpx-py',
    venueId: 'backpack',
    keyType: 'ed25519',
    symbols: ['BTC_USDC'],
    requests: readLines(`
      POST /api/v1/order {"orderType":"Limit","side":"Bid","symbol":"BTC_USDC","price":"45000","quantity":"0.01","timeInForce":"GTC","postOnly":true}
      POST /api/v1/order {"orderType":"Market","side":"Bid","symbol":"BTC_USDC","quoteQuantity":"100"}
      DELETE /api/v1/order {"orderId":"1","symbol":"BTC_USDC"}
      DELETE /api/v1/orders {"symbol":"BTC_USDC"}
      GET /api/v1/order ? orderId=1&symbol=BTC_USDC
      GET /api/v1/orders ? symbol=BTC_USDC
      GET /api/v1/capital
      GET /api/v1/account
      GET /wapi/v1/history/orders ? symbol=BTC_USDC&limit=10
      GET /wapi/v1/history/fills ? symbol=BTC_USDC&limit=10
      GET /api/v1/position
      POST /wapi/v1/capital/withdrawals {"address":"T1","blockchain":"Solana","quantity":"1","symbol":"USDC"}
    `),
  },
];
