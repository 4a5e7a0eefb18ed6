/**
 * Binance /sapi endpoints that read or trade: wallet, margin, sub-accounts, earn, convert, algo orders.
 * Borrowing and repaying count as trade: like leverage they change what an account owes. So do swaps
 * into a staked form of the same coin.
 */
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';

const READ: Readonly<Record<string, string>> = {
  'GET /sapi/v1/account/apiRestrictions': '',
  'GET /sapi/v1/account/apiRestrictions/ipRestriction': '',
  'GET /sapi/v1/account/apiTradingStatus': '',
  'GET /sapi/v1/account/info': '',
  'GET /sapi/v1/account/status': '',
  'GET /sapi/v1/accountSnapshot': 'type | startTime endTime limit',
  'GET /sapi/v1/addressVerify/list': '',
  'GET /sapi/v1/algo/futures/historicalOrders': '| symbol side startTime endTime page pageSize',
  'GET /sapi/v1/algo/futures/openOrders': '',
  'GET /sapi/v1/algo/futures/subOrders': 'algoId | page pageSize',
  'GET /sapi/v1/algo/spot/historicalOrders': '| symbol side startTime endTime page pageSize',
  'GET /sapi/v1/algo/spot/openOrders': '',
  'GET /sapi/v1/algo/spot/subOrders': 'algoId | page pageSize',
  'GET /sapi/v1/asset/assetDetail': '| asset',
  'GET /sapi/v1/asset/assetDividend': '| asset startTime endTime limit',
  'GET /sapi/v1/asset/custody/transfer-history':
    'email startTime endTime | type asset current size',
  'GET /sapi/v1/asset/dribblet': '| accountType startTime endTime',
  'POST /sapi/v1/asset/dust-btc': '| accountType',
  'POST /sapi/v1/asset/dust-convert/query-convertible-assets':
    'targetAsset | dustQuotaAssetToTargetAssetPrice',
  'POST /sapi/v1/asset/get-funding-asset': '| asset needBtcValuation',
  'GET /sapi/v1/asset/ledger-transfer/cloud-mining/queryByPage':
    'startTime endTime | tranId clientTranId asset current size',
  'GET /sapi/v1/asset/tradeFee': '| symbol',
  'GET /sapi/v1/asset/transfer': 'type | startTime endTime current size fromSymbol toSymbol',
  'GET /sapi/v1/asset/wallet/balance': '| quoteAsset',
  'GET /sapi/v1/bnbBurn': '',
  'GET /sapi/v1/broker/info': '',
  'GET /sapi/v1/broker/subAccount': '| subAccountId page size',
  'GET /sapi/v1/c2c/orderMatch/listUserOrderHistory':
    '| tradeType startTimestamp endTimestamp page rows',
  'GET /sapi/v1/capital/config/getall': '',
  'GET /sapi/v1/capital/deposit/address': 'coin | network amount',
  'GET /sapi/v1/capital/deposit/address/list': 'coin | network',
  'GET /sapi/v1/capital/deposit/hisrec':
    '| includeSource coin status startTime endTime offset limit txId',
  'GET /sapi/v1/capital/deposit/subAddress': 'email coin | network amount',
  'GET /sapi/v1/capital/deposit/subHisrec':
    'email | coin status startTime endTime limit offset txId',
  'GET /sapi/v1/capital/withdraw/address/list': '',
  'GET /sapi/v1/capital/withdraw/history':
    '| coin withdrawOrderId status offset limit idList startTime endTime',
  'GET /sapi/v1/capital/withdraw/quota': '',
  'GET /sapi/v1/convert/assetInfo': '',
  'GET /sapi/v1/convert/exchangeInfo': '| fromAsset toAsset',
  'GET /sapi/v1/convert/limit/queryOpenOrders': '',
  'GET /sapi/v1/convert/orderStatus': '| orderId quoteId',
  'GET /sapi/v1/convert/tradeFlow': 'startTime endTime | limit',
  'GET /sapi/v1/dci/product/accounts': '',
  'GET /sapi/v1/dci/product/list': 'optionType exercisedCoin investCoin | pageSize pageIndex',
  'GET /sapi/v1/dci/product/positions': '| status pageSize pageIndex',
  'GET /sapi/v1/eth-staking/eth/history/redemptionHistory': '| startTime endTime current size',
  'GET /sapi/v1/eth-staking/eth/history/stakingHistory': '| startTime endTime current size',
  'GET /sapi/v1/eth-staking/eth/quota': '',
  'GET /sapi/v1/fiat/orders': 'transactionType | beginTime endTime page rows',
  'GET /sapi/v1/fiat/payments': 'transactionType | beginTime endTime page rows',
  'GET /sapi/v1/futures/transfer': 'asset startTime | endTime current size',
  'GET /sapi/v1/loan/ongoing/orders': '| orderId loanCoin collateralCoin current limit',
  'GET /sapi/v1/loan/vip/ongoing/orders':
    '| orderId collateralAccountId loanCoin collateralCoin current limit',
  'GET /sapi/v1/localentity/deposit/history':
    '| trId txId tranId network coin travelRuleStatus pendingQuestionnaire startTime endTime offset limit',
  'GET /sapi/v1/localentity/questionnaire-requirements': '',
  'GET /sapi/v1/localentity/vasp': '',
  'GET /sapi/v1/localentity/withdraw/history':
    '| trId txId withdrawOrderId network coin travelRuleStatus offset limit startTime endTime',
  'GET /sapi/v1/managed-subaccount/accountSnapshot': 'email type | startTime endTime limit',
  'GET /sapi/v1/managed-subaccount/asset': 'email',
  'GET /sapi/v1/managed-subaccount/deposit/address': 'email coin | network',
  'GET /sapi/v1/managed-subaccount/fetch-future-asset': 'email',
  'GET /sapi/v1/managed-subaccount/info': 'email | page limit',
  'GET /sapi/v1/managed-subaccount/marginAsset': 'email',
  'GET /sapi/v1/managed-subaccount/queryTransLogForInvestor':
    'email startTime endTime page limit | transfers transferFunctionAccountType',
  'GET /sapi/v1/managed-subaccount/queryTransLogForTradeParent':
    'email startTime endTime page limit | transfers transferFunctionAccountType',
  'GET /sapi/v1/managed-subaccount/transfer':
    'startTime endTime page limit | transfers transferFunctionAccountType',
  'GET /sapi/v1/margin/account': '',
  'GET /sapi/v1/margin/allAssets': '| asset',
  'GET /sapi/v1/margin/allOrderList': '| isIsolated symbol fromId startTime endTime limit',
  'GET /sapi/v1/margin/allOrders': 'symbol | isIsolated orderId startTime endTime limit',
  'GET /sapi/v1/margin/allPairs': '| symbol',
  'GET /sapi/v1/margin/available-inventory': 'type',
  'GET /sapi/v1/margin/borrow-repay':
    'type | asset isolatedSymbol txId startTime endTime current size',
  'GET /sapi/v1/margin/capital-flow': '| asset symbol type startTime endTime fromId limit',
  'GET /sapi/v1/margin/crossMarginCollateralRatio': '',
  'GET /sapi/v1/margin/crossMarginData': '| vipLevel coin',
  'GET /sapi/v1/margin/delist-schedule': '',
  'GET /sapi/v1/margin/exchange-small-liability': '| startTime endTime',
  'GET /sapi/v1/margin/exchange-small-liability-history': '| startTime endTime',
  'GET /sapi/v1/margin/forceLiquidationRec': '| startTime endTime isolatedSymbol current size',
  'GET /sapi/v1/margin/interestHistory':
    '| asset isolatedSymbol startTime endTime current size archived',
  'GET /sapi/v1/margin/interestRateHistory': 'asset | vipLevel startTime endTime limit',
  'GET /sapi/v1/margin/isolated/account': '| symbols',
  'GET /sapi/v1/margin/isolated/accountLimit': '',
  'GET /sapi/v1/margin/isolated/allPairs': '| symbol',
  'GET /sapi/v1/margin/isolated/transfer':
    'symbol | asset transFrom transTo startTime endTime current size archived',
  'GET /sapi/v1/margin/isolatedMarginData': '| vipLevel symbol',
  'GET /sapi/v1/margin/isolatedMarginTier': 'symbol | tier',
  'GET /sapi/v1/margin/leverageBracket': '',
  'GET /sapi/v1/margin/loan': 'asset | isolatedSymbol txId startTime endTime current size archived',
  'GET /sapi/v1/margin/maxBorrowable': 'asset | isolatedSymbol',
  'GET /sapi/v1/margin/maxTransferable': 'asset | isolatedSymbol',
  'GET /sapi/v1/margin/myTrades': 'symbol | isIsolated orderId startTime endTime fromId limit',
  'GET /sapi/v1/margin/next-hourly-interest-rate': 'assets isIsolated',
  'GET /sapi/v1/margin/openOrderList': '| isIsolated symbol',
  'GET /sapi/v1/margin/openOrders': '| symbol isIsolated',
  'GET /sapi/v1/margin/order': 'symbol | isIsolated orderId origClientOrderId',
  'GET /sapi/v1/margin/orderList': '| isIsolated symbol orderListId origClientOrderId',
  'GET /sapi/v1/margin/priceIndex': 'symbol',
  'GET /sapi/v1/margin/rateLimit/order': '| isIsolated symbol',
  'GET /sapi/v1/margin/repay':
    'asset | isolatedSymbol txId startTime endTime current size archived',
  'GET /sapi/v1/margin/tradeCoeff': '',
  'GET /sapi/v1/margin/transfer':
    '| asset type startTime endTime current size isolatedSymbol archived',
  'GET /sapi/v1/pay/transactions': '| startTime endTime limit',
  'GET /sapi/v1/portfolio/account': '',
  'GET /sapi/v1/portfolio/asset-index-price': '| asset',
  'GET /sapi/v1/portfolio/balance': '| asset',
  'GET /sapi/v1/portfolio/collateralRate': '',
  'GET /sapi/v1/portfolio/delta-mode': '',
  'GET /sapi/v1/portfolio/earn-asset-balance': 'asset transferType',
  'GET /sapi/v1/portfolio/interest-history': '| asset startTime endTime size',
  'GET /sapi/v1/portfolio/margin-asset-leverage': '',
  'GET /sapi/v1/portfolio/margin-call-level': '',
  'GET /sapi/v1/portfolio/pmLoan': '',
  'GET /sapi/v1/portfolio/pmloan-history': '| startTime endTime size current',
  'GET /sapi/v1/portfolio/repay-futures-switch': '',
  'GET /sapi/v1/rebate/taxQuery': '| startTime endTime page',
  'GET /sapi/v1/simple-earn/account': '',
  'GET /sapi/v1/simple-earn/flexible/history/collateralRecord':
    'productId | startTime endTime current size',
  'GET /sapi/v1/simple-earn/flexible/history/rateHistory':
    'productId | startTime endTime current size',
  'GET /sapi/v1/simple-earn/flexible/history/redemptionRecord':
    '| productId redeemId asset startTime endTime current size',
  'GET /sapi/v1/simple-earn/flexible/history/rewardsRecord':
    'type | productId asset startTime endTime',
  'GET /sapi/v1/simple-earn/flexible/history/subscriptionRecord':
    '| productId purchaseId asset startTime endTime current size',
  'GET /sapi/v1/simple-earn/flexible/list': '| asset current size',
  'GET /sapi/v1/simple-earn/flexible/personalLeftQuota': 'productId',
  'GET /sapi/v1/simple-earn/flexible/position': '| asset productId current size',
  'GET /sapi/v1/simple-earn/flexible/subscriptionPreview': 'productId amount',
  'GET /sapi/v1/simple-earn/locked/history/redemptionRecord':
    '| positionId redeemId asset startTime endTime current size',
  'GET /sapi/v1/simple-earn/locked/history/rewardsRecord':
    '| positionId asset startTime endTime size',
  'GET /sapi/v1/simple-earn/locked/history/subscriptionRecord':
    '| purchaseId asset startTime endTime current size',
  'GET /sapi/v1/simple-earn/locked/list': '| asset current size',
  'GET /sapi/v1/simple-earn/locked/personalLeftQuota': 'projectId',
  'GET /sapi/v1/simple-earn/locked/position': '| asset positionId projectId current size',
  'GET /sapi/v1/simple-earn/locked/subscriptionPreview': 'projectId amount | autoSubscribe',
  'GET /sapi/v1/sol-staking/account': '',
  'GET /sapi/v1/spot/delist-schedule': '',
  'GET /sapi/v1/spot/open-symbol-list': '',
  'GET /sapi/v1/sub-account/futures/account': 'email',
  'GET /sapi/v1/sub-account/futures/accountSummary': '',
  'GET /sapi/v1/sub-account/futures/internalTransfer':
    'email futuresType | startTime endTime page limit',
  'GET /sapi/v1/sub-account/futures/positionRisk': 'email',
  'GET /sapi/v1/sub-account/list': '| email isFreeze page limit',
  'GET /sapi/v1/sub-account/margin/account': 'email',
  'GET /sapi/v1/sub-account/margin/accountSummary': '',
  'GET /sapi/v1/sub-account/spotSummary': '| email page size',
  'GET /sapi/v1/sub-account/status': '| email',
  'GET /sapi/v1/sub-account/sub/transfer/history':
    '| fromEmail toEmail startTime endTime page limit',
  'GET /sapi/v1/sub-account/subAccountApi/ipRestriction': 'email subAccountApiKey',
  'GET /sapi/v1/sub-account/transaction-statistics': 'email',
  'GET /sapi/v1/sub-account/transfer/subUserHistory': '| asset type startTime endTime limit',
  'GET /sapi/v1/sub-account/universalTransfer':
    '| fromEmail toEmail clientTranId startTime endTime page limit',
  'GET /sapi/v2/eth-staking/account': '',
  'GET /sapi/v2/loan/flexible/borrow/history':
    '| loanCoin collateralCoin startTime endTime current limit',
  'GET /sapi/v2/loan/flexible/collateral/data': '| collateralCoin',
  'GET /sapi/v2/loan/flexible/loanable/data': '| loanCoin',
  'GET /sapi/v2/loan/flexible/ongoing/orders': '| loanCoin collateralCoin current limit',
  'GET /sapi/v2/loan/flexible/repay/history':
    '| loanCoin collateralCoin startTime endTime current limit',
  'GET /sapi/v2/localentity/deposit/history':
    '| depositId txId network coin retrieveQuestionnaire startTime endTime offset limit',
  'GET /sapi/v2/localentity/withdraw/history':
    '| trId txId withdrawOrderId network coin travelRuleStatus offset limit startTime endTime',
  'GET /sapi/v2/portfolio/account': '',
  'GET /sapi/v2/portfolio/collateralRate': '',
  'GET /sapi/v2/sub-account/futures/account': 'email futuresType',
  'GET /sapi/v2/sub-account/futures/accountSummary': 'futuresType | page limit',
  'GET /sapi/v2/sub-account/futures/positionRisk': 'email futuresType',
  'POST /sapi/v3/asset/getUserAsset': '| asset needBtcValuation',
  'GET /sapi/v3/sub-account/assets': 'email',
  'GET /sapi/v4/sub-account/assets': 'email',
};

/**
 * Takes orders away. Opening or closing an isolated margin account for a symbol, and renewing a loan by its number,
 * are here too: their signatures are those of a cancellation, so no rule could let one pass and not the other.
 */
const CANCEL: Readonly<Record<string, string>> = {
  'DELETE /sapi/v1/algo/futures/order': 'algoId',
  'DELETE /sapi/v1/algo/spot/order': 'algoId',
  'POST /sapi/v1/convert/limit/cancelOrder': 'orderId',
  'POST /sapi/v1/loan/vip/renew': 'orderId | loanTerm',
  'DELETE /sapi/v1/margin/isolated/account': 'symbol',
  'POST /sapi/v1/margin/isolated/account': 'symbol',
  'DELETE /sapi/v1/margin/openOrders': 'symbol | isIsolated',
  'DELETE /sapi/v1/margin/order': 'symbol | isIsolated orderId origClientOrderId newClientOrderId',
  'DELETE /sapi/v1/margin/orderList':
    'symbol | isIsolated orderListId listClientOrderId newClientOrderId',
};

const TRADE: Readonly<Record<string, string>> = {
  'POST /sapi/v1/algo/futures/newOrderTwap':
    'symbol side quantity duration | positionSide clientAlgoId reduceOnly limitPrice',
  'POST /sapi/v1/algo/futures/newOrderVp':
    'symbol side quantity urgency | positionSide clientAlgoId reduceOnly limitPrice',
  'POST /sapi/v1/algo/spot/newOrderTwap': 'symbol side quantity duration | clientAlgoId limitPrice',
  'POST /sapi/v1/asset/dust': 'asset | accountType',
  'POST /sapi/v1/asset/dust-convert/convert':
    'asset | clientId targetAsset thirdPartyClientId dustQuotaAssetToTargetAssetPrice',
  'POST /sapi/v1/bnbBurn': 'spotBNBBurn/interestBNBBurn',
  'POST /sapi/v1/capital/contract/convertible-coins': 'coin enable',
  'POST /sapi/v1/convert/acceptQuote': 'quoteId',
  'POST /sapi/v1/convert/getQuote': 'fromAsset toAsset | fromAmount toAmount walletType validTime',
  'POST /sapi/v1/convert/limit/placeOrder':
    'baseAsset quoteAsset limitPrice side expiredType | baseAmount quoteAmount walletType',
  'POST /sapi/v1/dci/product/auto_compound/edit-status': 'positionId autoCompoundPlan',
  'POST /sapi/v1/dci/product/subscribe': 'id orderId depositAmount autoCompoundPlan',
  'POST /sapi/v1/loan/adjust/ltv': 'orderId amount direction',
  'POST /sapi/v1/loan/borrow': 'loanCoin collateralCoin loanTerm | loanAmount collateralAmount',
  'POST /sapi/v1/loan/repay': 'orderId amount | type collateralReturn',
  'POST /sapi/v1/loan/vip/borrow':
    'loanAccountId loanCoin loanAmount collateralAccountId collateralCoin isFlexibleRate | loanTerm',
  'POST /sapi/v1/loan/vip/repay': 'orderId amount',
  'POST /sapi/v1/margin/borrow-repay': 'asset amount type | isIsolated symbol',
  'POST /sapi/v1/margin/dust': 'asset',
  'POST /sapi/v1/margin/exchange-small-liability': 'assetNames',
  'POST /sapi/v1/margin/loan': 'asset amount | isIsolated symbol',
  'POST /sapi/v1/margin/max-leverage': 'maxLeverage',
  'POST /sapi/v1/margin/order':
    'symbol side type | isIsolated quantity quoteOrderQty price stopPrice newClientOrderId icebergQty newOrderRespType sideEffectType timeInForce selfTradePreventionMode autoRepayAtCancel',
  'POST /sapi/v1/margin/order/oco':
    'symbol side quantity price stopPrice | isIsolated listClientOrderId limitClientOrderId limitIcebergQty stopClientOrderId stopLimitPrice stopIcebergQty stopLimitTimeInForce newOrderRespType sideEffectType selfTradePreventionMode autoRepayAtCancel',
  'POST /sapi/v1/margin/order/oto':
    'symbol workingType workingSide workingPrice workingQuantity pendingType pendingSide pendingQuantity | isIsolated listClientOrderId newOrderRespType sideEffectType selfTradePreventionMode autoRepayAtCancel workingClientOrderId workingIcebergQty workingTimeInForce pendingClientOrderId pendingPrice pendingStopPrice pendingTrailingDelta pendingIcebergQty pendingTimeInForce',
  'POST /sapi/v1/margin/order/otoco':
    'symbol workingType workingSide workingPrice workingQuantity pendingSide pendingQuantity pendingAboveType | isIsolated sideEffectType autoRepayAtCancel listClientOrderId newOrderRespType selfTradePreventionMode workingClientOrderId workingIcebergQty workingTimeInForce pendingAboveClientOrderId pendingAbovePrice pendingAboveStopPrice pendingAboveTrailingDelta pendingAboveIcebergQty pendingAboveTimeInForce pendingBelowType pendingBelowClientOrderId pendingBelowPrice pendingBelowStopPrice pendingBelowTrailingDelta pendingBelowIcebergQty pendingBelowTimeInForce',
  'POST /sapi/v1/margin/repay': 'asset amount | isIsolated symbol',
  'POST /sapi/v1/portfolio/asset-collection': 'asset',
  'POST /sapi/v1/portfolio/auto-collection': '',
  'POST /sapi/v1/portfolio/delta-mode': 'deltaEnabled',
  'DELETE /sapi/v1/portfolio/margin-call-level': '',
  'POST /sapi/v1/portfolio/margin-call-level': 'marginCallLevel',
  'POST /sapi/v1/portfolio/mint': 'fromAsset targetAsset amount',
  'POST /sapi/v1/portfolio/redeem': 'fromAsset targetAsset amount',
  'POST /sapi/v1/portfolio/repay': '| from',
  'POST /sapi/v1/portfolio/repay-futures-negative-balance': '| from',
  'POST /sapi/v1/portfolio/repay-futures-switch': 'autoRepay',
  'POST /sapi/v1/simple-earn/flexible/setAutoSubscribe': 'productId autoSubscribe',
  'POST /sapi/v1/simple-earn/locked/setAutoSubscribe': 'positionId autoSubscribe',
  'POST /sapi/v1/staking/setAutoStaking': 'product positionId renewable',
  'POST /sapi/v2/loan/flexible/adjust/ltv': 'loanCoin collateralCoin adjustmentAmount direction',
  'POST /sapi/v2/loan/flexible/borrow': 'loanCoin collateralCoin | loanAmount collateralAmount',
  'POST /sapi/v2/loan/flexible/repay':
    'loanCoin collateralCoin repayAmount | collateralReturn fullRepayment repaymentType',
};

/**
 * Staking takes nothing but an `amount`, and a liquidation nothing but a `type`. Listed as transfers, they are found
 * behind every request whose parameters would do for them.
 */
const TRANSFER: Readonly<Record<string, string>> = {
  'POST /sapi/v1/portfolio/bnb-transfer': 'amount transferSide',
  'POST /sapi/v1/eth-staking/eth/redeem': 'amount | asset',
  'POST /sapi/v1/eth-staking/eth/stake': 'amount',
  'POST /sapi/v1/eth-staking/wbeth/wrap': 'amount',
  'POST /sapi/v1/margin/manual-liquidation': 'type | symbol',
  'POST /sapi/v1/sol-staking/sol/redeem': 'amount',
  'POST /sapi/v1/sol-staking/sol/stake': 'amount',
  'POST /sapi/v2/eth-staking/eth/stake': 'amount',
};

export const BINANCE_WALLET: readonly Endpoint[] = [
  ...endpoints('read', ['query', 'form'], READ),
  ...endpoints('cancel', ['query', 'form'], CANCEL),
  ...endpoints('trade', ['query', 'form'], TRADE),
  ...endpoints('transfer', ['query', 'form'], TRANSFER),
];
