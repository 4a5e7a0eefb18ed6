/**
 * Bybit v5: signed endpoints. GET carries a query, POST a JSON object. Names from the venue's documents
 * and ccxt's endpoint lists. Borrowing and repaying count as trade: like leverage they change what the
 * account owes. `deposit-to-account` only chooses which own account deposits arrive in.
 */
import { isRefusal } from '@countersign/core/errors.js';
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';
import { ordersIn } from '../engine/nested-orders.js';
import { parseSide, type Entry, type ReadEntries } from '../engine/request-facts.js';

const READ: Readonly<Record<string, string>> = {
  'GET /v5/account/borrow-history': '| currency startTime endTime limit cursor',
  'GET /v5/account/collateral-info': '| currency',
  'GET /v5/account/contract-transaction-log':
    '| currency baseCoin type startTime endTime limit cursor',
  'GET /v5/account/fee-rate': 'category | symbol baseCoin',
  'GET /v5/account/info': '',
  'GET /v5/account/instruments-info': '| category symbol limit cursor',
  'GET /v5/account/mmp-state': 'baseCoin',
  'GET /v5/account/option-asset-info': '| coin baseCoin',
  'GET /v5/account/pay-info': '| coin',
  'GET /v5/account/query-dcp-info': '',
  'GET /v5/account/smp-group': '',
  'GET /v5/account/trade-info-for-analysis': 'symbol | startTime endTime',
  'GET /v5/account/transaction-log':
    '| accountType category currency baseCoin type transSubType startTime endTime limit cursor',
  'GET /v5/account/user-setting-config': '',
  'GET /v5/account/wallet-balance': 'accountType | coin',
  'GET /v5/account/withdrawal': 'coinName',
  'GET /v5/affiliate/aff-user-list': '| size cursor needDeposit need30 need365 startDate endDate',
  'GET /v5/affiliate/affiliate-sub-list': '| cursor size startDate endDate subAffId',
  'GET /v5/asset/asset-overview': '| memberId valuationCurrency accountType',
  'GET /v5/asset/coin-greeks': '| baseCoin',
  'GET /v5/asset/coin/query-info': '| coin',
  'GET /v5/asset/covert/small-balance-history':
    '| accountType quoteId startTime endTime cursor size',
  'GET /v5/asset/covert/small-balance-list': 'accountType | fromCoin',
  'GET /v5/asset/delivery-record': 'category | symbol startTime endTime expDate limit cursor',
  'GET /v5/asset/deposit/query-address': 'coin | chainType',
  'GET /v5/asset/deposit/query-allowed-list': '| coin chain limit cursor',
  'GET /v5/asset/deposit/query-internal-record': '| txID startTime endTime coin cursor limit',
  'GET /v5/asset/deposit/query-record': '| id txID coin startTime endTime limit cursor',
  'GET /v5/asset/deposit/query-sub-member-address': 'coin chainType subMemberId',
  'GET /v5/asset/deposit/query-sub-member-record':
    'subMemberId | id txID coin startTime endTime limit cursor',
  'GET /v5/asset/exchange/convert-result-query': 'quoteTxId accountType',
  'GET /v5/asset/exchange/order-record': '| fromCoin toCoin limit cursor',
  'GET /v5/asset/exchange/query-coin-list': 'accountType | coin side',
  'GET /v5/asset/exchange/query-convert-history': '| accountType index limit',
  'GET /v5/asset/fundinghistory': '| createTimeFrom createTimeTo limit cursor',
  'GET /v5/asset/portfolio-margin': '| baseCoin',
  'GET /v5/asset/settlement-record': 'category | symbol startTime endTime limit cursor',
  'GET /v5/asset/total-members-assets': '| coin',
  'GET /v5/asset/transfer/query-account-coin-balance':
    'accountType coin | memberId toMemberId toAccountType withBonus withTransferSafeAmount withLtvTransferSafeAmount',
  'GET /v5/asset/transfer/query-account-coins-balance': 'accountType | memberId coin withBonus',
  'GET /v5/asset/transfer/query-asset-info': 'accountType | coin',
  'GET /v5/asset/transfer/query-inter-transfer-list':
    '| transferId coin status startTime endTime limit cursor',
  'GET /v5/asset/transfer/query-sub-member-list': '',
  'GET /v5/asset/transfer/query-transfer-coin-list': 'fromAccountType toAccountType',
  'GET /v5/asset/transfer/query-universal-transfer-list':
    '| transferId coin status startTime endTime limit cursor fromMemberId toMemberId',
  'GET /v5/asset/withdraw/query-address': '| coin chain addressType limit cursor',
  'GET /v5/asset/withdraw/query-record':
    '| withdrawID txID coin withdrawType startTime endTime limit cursor',
  'GET /v5/asset/withdraw/vasp/list': '',
  'GET /v5/asset/withdraw/withdrawable-amount': 'coin',
  'GET /v5/broker/account-info': '',
  'GET /v5/broker/asset/query-sub-member-deposit-record':
    '| id txID subMemberId coin startTime endTime limit cursor',
  'GET /v5/broker/earning-record': '| bizType startTime endTime limit cursor',
  'GET /v5/broker/earnings-info': '| bizType begin end uid limit cursor',
  'GET /v5/crypto-loan-common/adjustment-history': '| adjustId collateralCurrency limit cursor',
  'GET /v5/crypto-loan-common/max-collateral-amount': 'currency',
  'GET /v5/crypto-loan-common/position': '',
  'GET /v5/crypto-loan-fixed/available-inventory': 'currency term annualRate',
  'GET /v5/crypto-loan-fixed/borrow-contract-info':
    '| orderId loanId orderCurrency term limit cursor',
  'GET /v5/crypto-loan-fixed/borrow-order-info': '| orderId orderCurrency state term limit cursor',
  'GET /v5/crypto-loan-fixed/renew-info': '| orderId orderCurrency limit cursor',
  'GET /v5/crypto-loan-fixed/repayment-history': '| repayId loanCurrency limit cursor',
  'GET /v5/crypto-loan-fixed/supply-contract-info':
    '| orderId supplyId supplyCurrency term limit cursor',
  'GET /v5/crypto-loan-fixed/supply-order-info': '| orderId orderCurrency state term limit cursor',
  'GET /v5/crypto-loan-flexible/available-inventory': 'currency',
  'GET /v5/crypto-loan-flexible/borrow-history': '| orderId loanCurrency limit cursor',
  'GET /v5/crypto-loan-flexible/ongoing-coin': '| loanCurrency',
  'GET /v5/crypto-loan-flexible/repayment-history': '| repayId loanCurrency limit cursor',
  'GET /v5/crypto-loan/adjustment-history': '| orderId adjustId collateralCurrency limit cursor',
  'GET /v5/crypto-loan/borrow-history': '| orderId loanCurrency collateralCurrency limit cursor',
  'GET /v5/crypto-loan/borrowable-collateralisable-number': 'loanCurrency collateralCurrency',
  'GET /v5/crypto-loan/max-collateral-amount': 'orderId',
  'GET /v5/crypto-loan/ongoing-orders':
    '| orderId loanCurrency collateralCurrency loanTermType loanTerm limit cursor',
  'GET /v5/crypto-loan/repayment-history': '| orderId repayId loanCurrency limit cursor',
  'GET /v5/earn/hourly-yield': 'category | productId startTime endTime limit cursor',
  'GET /v5/earn/order': 'category | orderId orderLinkId productId startTime endTime limit cursor',
  'GET /v5/earn/position': 'category | productId coin',
  'GET /v5/earn/product': 'category | coin',
  'GET /v5/earn/yield': 'category | productId startTime endTime limit cursor',
  'GET /v5/execution/list':
    'category | symbol orderId orderLinkId baseCoin settleCoin startTime endTime execType limit size cursor',
  'GET /v5/ins-loan/coin-delta-amount': '| coin',
  'GET /v5/ins-loan/ensure-tokens': '| productId',
  'GET /v5/ins-loan/ensure-tokens-convert': '| productId',
  'GET /v5/ins-loan/loan-order': '| orderId startTime endTime limit',
  'GET /v5/ins-loan/ltv': '',
  'GET /v5/ins-loan/ltv-convert': '',
  'GET /v5/ins-loan/product-infos': '| productId',
  'GET /v5/ins-loan/repaid-history': '| startTime endTime limit',
  'GET /v5/lending/account': 'coin',
  'GET /v5/lending/history-order': '| coin orderId startTime endTime limit orderType',
  'GET /v5/lending/info': '| coin',
  'GET /v5/market/instruments-info': 'category | symbol status baseCoin limit cursor',
  'GET /v5/order/history':
    'category | symbol baseCoin settleCoin orderId orderLinkId orderFilter orderStatus startTime endTime limit cursor',
  'GET /v5/order/realtime':
    'category | symbol baseCoin settleCoin orderId orderLinkId openOnly orderFilter orderStatus limit cursor',
  'GET /v5/order/spot-borrow-check': 'category symbol side',
  'GET /v5/position/closed-pnl': 'category | symbol startTime endTime limit cursor',
  'GET /v5/position/get-closed-positions': 'category | symbol startTime endTime limit cursor',
  'GET /v5/position/list': 'category | symbol baseCoin settleCoin limit cursor',
  'GET /v5/position/move-history':
    '| category symbol startTime endTime status blockTradeId limit cursor',
  'GET /v5/position/symbol-info': 'category | symbol',
  'GET /v5/pre-upgrade/account/transaction-log':
    'category | baseCoin type startTime endTime limit cursor',
  'GET /v5/pre-upgrade/asset/delivery-record': 'category | symbol expDate limit cursor',
  'GET /v5/pre-upgrade/asset/settlement-record': 'category | symbol limit cursor',
  'GET /v5/pre-upgrade/execution/list':
    'category | symbol orderId orderLinkId baseCoin startTime endTime execType limit cursor',
  'GET /v5/pre-upgrade/order/history':
    'category | symbol baseCoin orderId orderLinkId orderFilter orderStatus startTime endTime limit cursor',
  'GET /v5/pre-upgrade/position/closed-pnl': 'category symbol | startTime endTime limit cursor',
  'GET /v5/spot-cross-margin-trade/account': '',
  'GET /v5/spot-cross-margin-trade/loan-info': 'coin',
  'GET /v5/spot-cross-margin-trade/orders': '| startTime endTime coin status limit',
  'GET /v5/spot-cross-margin-trade/repay-history': '| startTime endTime coin limit',
  'GET /v5/spot-lever-token/order-record':
    '| ltCoin orderId startTime endTime limit ltOrderType serialNo',
  'GET /v5/spot-margin-trade/coinstate': '| currency',
  'GET /v5/spot-margin-trade/currency-data': '| currency',
  'GET /v5/spot-margin-trade/fixed-available-inventory': 'currency term annualRate',
  'GET /v5/spot-margin-trade/fixedborrow-contract-info':
    '| orderId orderCurrency term limit cursor',
  'GET /v5/spot-margin-trade/fixedborrow-order-info':
    '| orderId orderCurrency state term limit cursor',
  'GET /v5/spot-margin-trade/fixedborrow-order-quote': 'orderCurrency | term orderBy sort limit',
  'GET /v5/spot-margin-trade/flexible-available-inventory': 'currency',
  'GET /v5/spot-margin-trade/get-auto-repay-mode': '| currency',
  'GET /v5/spot-margin-trade/interest-rate-history': 'currency | vipLevel startTime endTime',
  'GET /v5/spot-margin-trade/liability': 'currency',
  'GET /v5/spot-margin-trade/max-borrowable': 'currency',
  'GET /v5/spot-margin-trade/position-tiers': '| currency',
  'GET /v5/spot-margin-trade/repayment-available-amount': 'currency',
  'GET /v5/spot-margin-trade/state': '',
  'GET /v5/spread/execution/list': '| symbol orderId orderLinkId startTime endTime limit cursor',
  'GET /v5/spread/max-qty': 'symbol side orderPrice',
  'GET /v5/spread/order/history':
    '| symbol baseCoin orderId orderLinkId startTime endTime limit cursor',
  'GET /v5/spread/order/realtime': '| symbol baseCoin orderId orderLinkId limit cursor',
  'GET /v5/user/aff-customer-info': 'uid | coin business',
  'GET /v5/user/escrow_sub_members': '| pageSize nextCursor',
  'GET /v5/user/get-member-type': 'memberIds',
  'GET /v5/user/invitation/code': '',
  'GET /v5/user/invitation/referrals': '| status size cursor',
  'GET /v5/user/query-api': '',
  'GET /v5/user/query-sub-members': '',
  'GET /v5/user/sub-apikeys': 'subMemberId | limit cursor',
  'GET /v5/user/submembers': '| pageSize nextCursor',
};

const READ_BY_POST: Readonly<Record<string, string>> = {
  'POST /v5/broker/award/distribution-record': 'accountId awardId specCode | withUsedAmount',
  'POST /v5/broker/award/info': 'id',
  'POST /v5/crypto-loan-common/max-loan': 'currency | collateralList',
};

/**
 * freqtrade states `position_idx`, while the venue reads `positionIdx`; ccxt leaves its own name `clientOrderId`
 * behind.
 */
const ORDER =
  'symbol side orderType qty | isLeverage marketUnit slippageToleranceType slippageTolerance price ' +
  'triggerDirection orderFilter triggerPrice triggerBy orderIv timeInForce positionIdx orderLinkId ' +
  'takeProfit stopLoss tpTriggerBy slTriggerBy reduceOnly closeOnTrigger smpType mmp tpslMode ' +
  'tpLimitPrice slLimitPrice tpOrderType slOrderType bboSideType bboLevel rpiTakerAccess position_idx';
/** Ours, in an entry: the side of the stops that its order attaches. No endpoint takes a parameter of this name. */
export const CLOSING_SIDE = 'side of attached stops';

/** A stop that an order attaches trades on the other side, and as a part of a position it is as large as the order. */
const withClosingSide = (order: Entry): Entry => {
  const side = parseSide(order['side']);
  const hasStop = ['takeProfit', 'stopLoss'].some((name) => Object.hasOwn(order, name));
  if (side === undefined || !hasStop) return order;
  return { ...order, [CLOSING_SIDE]: side === 'buy' ? 'sell' : 'buy' };
};

const ordersInRequest: ReadEntries = (parameters) => {
  const orders = ordersIn('request', ORDER)(parameters);
  return isRefusal(orders) ? orders : orders.map(withClosingSide);
};

/** Without a new value it changes nothing, and could not be told from a cancellation. */
const AMENDMENT =
  'symbol orderIv/triggerPrice/qty/price/tpslMode/takeProfit/stopLoss/tpTriggerBy/slTriggerBy/triggerBy/' +
  'tpLimitPrice/slLimitPrice | orderId orderLinkId clientOrderId position_idx';
const BATCHED_AMENDMENT =
  'symbol orderId orderLinkId orderIv triggerPrice qty price tpslMode takeProfit stopLoss ' +
  'tpTriggerBy slTriggerBy triggerBy tpLimitPrice slLimitPrice';

/**
 * Takes orders away, orders for loans too. A pending risk limit is confirmed by the parameters of a cancellation, so
 * no rule could let one pass and not the other.
 */
const CANCEL: Readonly<Record<string, string>> = {
  'POST /v5/crypto-loan-fixed/borrow-order-cancel': 'orderId',
  'POST /v5/crypto-loan-fixed/supply-order-cancel': 'orderId | refundedAccount',
  'POST /v5/order/cancel': 'category symbol | orderId orderLinkId orderFilter clientOrderId',
  'POST /v5/order/cancel-all': 'category | symbol baseCoin settleCoin orderFilter stopOrderType',
  'POST /v5/order/disconnected-cancel-all': 'timeWindow | product',
  'POST /v5/position/confirm-pending-mmr': 'category symbol',
  'POST /v5/spread/order/cancel': 'orderId/orderLinkId',
  'POST /v5/spread/order/cancel-all': '| symbol cancelAll',
};

const TRADE: Readonly<Record<string, string>> = {
  'POST /v5/account/borrow': 'coin amount',
  'POST /v5/account/demo-apply-money': '| adjustType utaDemoApplyMoney',
  'POST /v5/account/mmp-modify': 'baseCoin window frozenPeriod qtyLimit deltaLimit | vegaLimit',
  'POST /v5/account/mmp-reset': 'baseCoin',
  'POST /v5/account/no-convert-repay': 'coin | amount repaymentType',
  'POST /v5/account/quick-repayment': '| coin',
  'POST /v5/account/repay': '| coin amount repaymentType',
  'POST /v5/account/set-collateral-switch': 'coin collateralSwitch',
  'POST /v5/account/set-collateral-switch-batch': 'request',
  'POST /v5/account/set-delta-mode': 'deltaEnable',
  'POST /v5/account/set-hedging-mode': 'setHedgingMode',
  'POST /v5/account/set-limit-px-action': 'category modifyEnable',
  'POST /v5/account/set-margin-mode': 'setMarginMode | leverage',
  'POST /v5/account/upgrade-to-uta': '',
  'POST /v5/asset/covert/get-quote': 'accountType fromCoinList toCoin',
  'POST /v5/asset/covert/small-balance-execute': 'quoteId',
  'POST /v5/asset/deposit/deposit-to-account': 'accountType',
  'POST /v5/asset/exchange/convert-execute': 'quoteTxId',
  'POST /v5/asset/exchange/quote-apply':
    'fromCoin toCoin requestCoin requestAmount accountType | fromCoinType toCoinType requestId paramType paramValue',
  'POST /v5/crypto-loan-common/adjust-ltv': 'currency amount direction',
  'POST /v5/crypto-loan-fixed/borrow':
    'orderCurrency orderAmount annualRate term | autoRepay repayType strategyType collateralList',
  'POST /v5/crypto-loan-fixed/fully-repay': 'loanId/loanCurrency',
  'POST /v5/crypto-loan-fixed/renew': 'loanId | collateralList',
  'POST /v5/crypto-loan-flexible/borrow': 'loanCurrency loanAmount | collateralList',
  'POST /v5/crypto-loan-flexible/repay': 'loanCurrency amount',
  'POST /v5/crypto-loan-flexible/repay-collateral': 'loanCurrency collateralCoin amount',
  'POST /v5/crypto-loan/adjust-ltv': 'orderId amount direction',
  'POST /v5/crypto-loan/borrow':
    'loanCurrency collateralCurrency | loanAmount loanTerm collateralAmount',
  'POST /v5/crypto-loan/repay': 'orderId amount',
  'POST /v5/earn/position/modify': 'category productId positionId autoReinvest',
  'POST /v5/ins-loan/repay-loan': 'token quantity',
  'POST /v5/order/amend': `category ${AMENDMENT}`,
  'POST /v5/position/add-margin': 'category symbol margin | positionIdx',
  'POST /v5/position/set-auto-add-margin': 'category symbol autoAddMargin | positionIdx',
  'POST /v5/position/set-leverage': 'category symbol buyLeverage sellLeverage | position_idx',
  'POST /v5/position/set-risk-limit': 'category symbol riskId | positionIdx',
  'POST /v5/position/set-tpsl-mode': 'category symbol tpSlMode',
  'POST /v5/position/switch-isolated': 'category symbol tradeMode buyLeverage sellLeverage',
  'POST /v5/position/switch-mode': 'category mode | symbol coin',
  'POST /v5/position/trading-stop':
    'category symbol positionIdx | takeProfit stopLoss trailingStop tpTriggerBy slTriggerBy activePrice tpslMode tpSize slSize tpLimitPrice slLimitPrice tpOrderType slOrderType',
  'POST /v5/spot-cross-margin-trade/loan': 'coin qty',
  'POST /v5/spot-cross-margin-trade/repay': 'coin completeRepayment | qty',
  'POST /v5/spot-cross-margin-trade/switch': 'switch',
  'POST /v5/spot-lever-token/purchase': 'ltCoin ltAmount | serialNo',
  'POST /v5/spot-lever-token/redeem': 'ltCoin quantity | serialNo',
  'POST /v5/spot-margin-trade/fixedborrow': 'orderCurrency orderAmount annualRate term | repayType',
  'POST /v5/spot-margin-trade/fixedborrow-renew': 'loanId | qty',
  'POST /v5/spot-margin-trade/set-auto-repay-mode': 'autoRepayMode | currency',
  'POST /v5/spot-margin-trade/set-leverage': 'leverage | currency',
  'POST /v5/spot-margin-trade/switch-mode': 'spotMarginMode',
  'POST /v5/spread/order/amend': 'symbol qty/price | orderId orderLinkId',
  'POST /v5/spread/order/create': 'symbol side orderType qty price orderLinkId timeInForce',
};

/** The parameters by which a cancellation names an order. */
export const BYBIT_ORDER_IDS = 'symbol orderId orderLinkId';

/** Moves funds between own accounts, sub-accounts, and products that lock them. */
const TRANSFER: Readonly<Record<string, string>> = {
  'POST /v5/asset/transfer/inter-transfer': 'transferId coin amount fromAccountType toAccountType',
  'POST /v5/asset/transfer/save-transfer-sub-member': 'subMemberIds',
  'POST /v5/asset/transfer/universal-transfer':
    'transferId coin amount fromAccountType toAccountType | fromMemberId toMemberId',
  'POST /v5/crypto-loan-fixed/supply':
    'orderCurrency orderAmount annualRate term | availableSource',
  'POST /v5/earn/place-order':
    'category orderType amount coin productId | accountType orderLinkId toAccountType redeemPositionId interestCard',
  'POST /v5/earn/pwm/fund-transfer': 'transferId fromUserId toUserId amount coin',
  'POST /v5/lending/purchase': 'coin quantity | serialNo',
  'POST /v5/lending/redeem': 'coin quantity | serialNo',
  'POST /v5/lending/redeem-cancel': 'coin orderId | serialNo',
  'POST /v5/position/move-positions': 'fromUid toUid list',
};

/** Funds leave the account, or reach another user. Whoever may withdraw may also cancel. */
const WITHDRAW: Readonly<Record<string, string>> = {
  'POST /v5/asset/withdraw/cancel': 'id',
  'POST /v5/asset/withdraw/create':
    'coin address amount | timestamp accountType chain tag forceChain feeType requestId transactionPurpose questionnaire beneficiary',
  'POST /v5/broker/award/distribute-award': 'accountId awardId amount | specCode brokerId',
};

const KEY_ADMIN: Readonly<Record<string, string>> = {
  'POST /v5/ins-loan/association-uid': 'uid operate',
  'POST /v5/user/agreement': 'agree | category categoryV2',
  'POST /v5/user/create-demo-member': '',
  'POST /v5/user/create-sub-api': 'subuid | readOnly permissions note ips',
  'POST /v5/user/create-sub-member': 'username memberType | password switch isUta note',
  'POST /v5/user/del-submember': 'subMemberId',
  'POST /v5/user/delete-api': '',
  'POST /v5/user/delete-sub-api': '| apikey',
  'POST /v5/user/frozen-sub-member': 'subuid frozen',
  'POST /v5/user/update-api': 'permissions/readOnly/ips/apikey',
  'POST /v5/user/update-sub-api': 'permissions/readOnly/ips/apikey',
};

export const BYBIT_ENDPOINTS: readonly Endpoint[] = [
  ...endpoints('read', ['query'], READ),
  ...endpoints('read', ['json'], READ_BY_POST),
  ...endpoints('cancel', ['json'], CANCEL),
  ...endpoints('trade', ['json'], TRADE),
  ...endpoints(
    'cancel',
    ['json'],
    { 'POST /v5/order/cancel-batch': 'category request' },
    { entries: ordersIn('request', BYBIT_ORDER_IDS) },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /v5/order/amend-batch': 'category request' },
    { entries: ordersIn('request', BATCHED_AMENDMENT) },
  ),
  ...endpoints(
    'trade',
    ['json'],
    { 'POST /v5/order/create-batch': 'category request' },
    { entries: ordersInRequest },
  ),
  ...endpoints(
    'trade',
    ['json'],
    {
      'POST /v5/order/create': `category ${ORDER}`,
      'POST /v5/order/pre-check': `category ${ORDER}`,
    },
    { entries: (order) => [withClosingSide(order)] },
  ),
  ...endpoints('transfer', ['json'], TRANSFER),
  ...endpoints('withdraw', ['json'], WITHDRAW),
  ...endpoints('key_admin', ['json'], KEY_ADMIN),
  // ccxt lists this one as GET
  ...endpoints('key_admin', ['query'], { 'GET /v5/user/del-submember': 'subMemberId' }),
  ...endpoints('session', ['json'], { auth: '' }, { channel: 'ws' }),
];
