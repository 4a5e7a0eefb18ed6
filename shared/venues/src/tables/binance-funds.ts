/**
 * Binance /sapi endpoints that move funds or change what an account or key may do. A smuggled request would need the
 * required names. So a name that is listed as required, but that the venue does not insist on, would open a hole: in
 * doubt a name is optional. Names from the venue's own connectors and documents.
 */
import { endpoints, type Endpoint } from '../engine/endpoint-table.js';

/** Funds leave the account, or reach another user. */
const WITHDRAW: Readonly<Record<string, string>> = {
  'POST /sapi/v1/capital/withdraw/apply':
    'coin address amount | withdrawOrderId network addressTag transactionFeeFlag name walletType',
  'POST /sapi/v1/giftcard/buyCode': 'baseToken faceToken baseTokenAmount | discount',
  'POST /sapi/v1/giftcard/createCode': 'token amount',
  'POST /sapi/v1/localentity/broker/withdraw/apply':
    'address coin amount | withdrawOrderId questionnaire originatorPii addressTag network addressName transactionFeeFlag walletType',
  'POST /sapi/v1/localentity/withdraw/apply':
    'coin address amount questionnaire | withdrawOrderId network addressTag transactionFeeFlag name walletType',
  'POST /sapi/v1/managed-subaccount/withdraw': 'fromEmail asset amount | transferDate',
  'POST /sapi/v1/mining/hash-transfer/config':
    'userName algo endDate startDate toPoolUser hashRate',
  'POST /sapi/v2/fiat/withdraw': 'currency apiPaymentMethod amount | accountInfo ext',
};

/** Moves funds between own accounts, sub-accounts, and products that lock them. */
const TRANSFER: Readonly<Record<string, string>> = {
  'POST /sapi/v1/asset/convert-transfer': 'clientTranId asset amount targetAsset | accountType',
  'POST /sapi/v1/asset/transfer': 'type asset amount | fromSymbol toSymbol',
  'POST /sapi/v1/broker/transfer': 'asset amount | fromId toId clientTranId',
  'POST /sapi/v1/broker/transfer/futures': 'futuresType asset amount | fromId toId clientTranId',
  'POST /sapi/v1/broker/universalTransfer':
    'fromAccountType toAccountType asset amount | fromId toId clientTranId',
  'POST /sapi/v1/capital/deposit/credit-apply': 'depositId/txId | subAccountId subUserId',
  'POST /sapi/v1/futures/transfer': 'asset amount type',
  'POST /sapi/v1/giftcard/redeemCode': 'code | externalUid',
  'POST /sapi/v1/lending/customizedFixed/purchase': 'projectId lot',
  'POST /sapi/v1/lending/daily/purchase': 'productId amount',
  'POST /sapi/v1/lending/daily/redeem': 'productId amount type',
  'POST /sapi/v1/managed-subaccount/deposit': 'toEmail asset amount',
  'POST /sapi/v1/margin/isolated/transfer': 'asset symbol transFrom transTo amount',
  'POST /sapi/v1/margin/transfer': 'asset amount type',
  'POST /sapi/v1/portfolio/earn-asset-transfer': 'asset transferType amount',
  'POST /sapi/v1/simple-earn/flexible/redeem': 'productId | redeemAll amount destAccount',
  'POST /sapi/v1/simple-earn/flexible/subscribe': 'productId amount | autoSubscribe sourceAccount',
  'POST /sapi/v1/simple-earn/locked/redeem': 'positionId',
  'POST /sapi/v1/simple-earn/locked/setRedeemOption': 'positionId redeemOption',
  'POST /sapi/v1/simple-earn/locked/subscribe':
    'projectId amount | autoSubscribe sourceAccount redeemTo',
  'POST /sapi/v1/staking/purchase': 'product productId amount | renewable',
  'POST /sapi/v1/staking/redeem': 'product productId | positionId amount',
  'POST /sapi/v1/sub-account/futures/internalTransfer':
    'fromEmail toEmail futuresType asset amount',
  'POST /sapi/v1/sub-account/futures/transfer': 'email asset amount type',
  'POST /sapi/v1/sub-account/margin/transfer': 'email asset amount type',
  'POST /sapi/v1/sub-account/transfer/subToMaster': 'asset amount',
  'POST /sapi/v1/sub-account/transfer/subToSub': 'toEmail asset amount',
  'POST /sapi/v1/sub-account/universalTransfer':
    'fromAccountType toAccountType asset amount | fromEmail toEmail clientTranId symbol',
};

const KEY_ADMIN: Readonly<Record<string, string>> = {
  'POST /sapi/v1/account/disableFastWithdrawSwitch': '',
  'POST /sapi/v1/account/enableFastWithdrawSwitch': '',
  'POST /sapi/v1/broker/subAccount': '| tag',
  'POST /sapi/v1/broker/subAccount/blvt': 'subAccountId enableBlvt',
  'POST /sapi/v1/broker/subAccount/futures': 'subAccountId futures',
  'POST /sapi/v1/broker/subAccount/margin': 'subAccountId margin',
  'DELETE /sapi/v1/broker/subAccountApi': 'subAccountId subAccountApiKey',
  'POST /sapi/v1/broker/subAccountApi':
    'subAccountId canTrade | marginTrade futuresTrade publicKey',
  'POST /sapi/v1/broker/subAccountApi/commission':
    'subAccountId makerCommission takerCommission | marginMakerCommission marginTakerCommission',
  'POST /sapi/v1/broker/subAccountApi/commission/coinFutures':
    'subAccountId pair makerAdjustment takerAdjustment',
  'POST /sapi/v1/broker/subAccountApi/commission/futures':
    'subAccountId symbol makerAdjustment takerAdjustment',
  'POST /sapi/v1/broker/subAccountApi/ipRestriction': 'subAccountId subAccountApiKey ipRestrict',
  'DELETE /sapi/v1/broker/subAccountApi/ipRestriction/ipList':
    'subAccountId subAccountApiKey ipAddress',
  'POST /sapi/v1/broker/subAccountApi/ipRestriction/ipList':
    'subAccountId subAccountApiKey ipAddress',
  'POST /sapi/v1/broker/subAccountApi/permission':
    'subAccountId subAccountApiKey canTrade marginTrade futuresTrade',
  'POST /sapi/v1/broker/subAccountApi/permission/universalTransfer':
    'subAccountId subAccountApiKey canUniversalTransfer',
  'POST /sapi/v1/broker/subAccountApi/permission/vanillaOptions':
    'subAccountId subAccountApiKey canVanillaOptions',
  'POST /sapi/v1/sub-account/blvt/enable': 'email enableBlvt',
  'POST /sapi/v1/sub-account/eoptions/enable': 'email',
  'POST /sapi/v1/sub-account/futures/enable': 'email',
  'POST /sapi/v1/sub-account/margin/enable': 'email',
  'POST /sapi/v1/sub-account/options/enable': 'email',
  'DELETE /sapi/v1/sub-account/subAccountApi/ipRestriction/ipList':
    'email subAccountApiKey | ipAddress thirdPartyName',
  'POST /sapi/v1/sub-account/subAccountApi/ipRestriction/ipList':
    'email subAccountApiKey ipAddress | thirdPartyName',
  'POST /sapi/v1/sub-account/virtualSubAccount': 'subAccountString',
  'POST /sapi/v2/broker/subAccountApi/ipRestriction':
    'subAccountId subAccountApiKey status | ipAddress',
  'POST /sapi/v2/sub-account/subAccountApi/ipRestriction':
    'email subAccountApiKey status | thirdPartyName',
};

export const BINANCE_FUNDS: readonly Endpoint[] = [
  ...endpoints('withdraw', ['query', 'form'], WITHDRAW),
  ...endpoints('transfer', ['query', 'form'], TRANSFER),
  ...endpoints('key_admin', ['query', 'form'], KEY_ADMIN),
];
