/** What venues say of an API key of theirs, in one form. One row for each venue that can be asked. */
import { z } from 'zod';

export interface CheckedKey {
  /** In the venue's own words. */
  readonly permissions: readonly string[];
  readonly canWithdraw: boolean;
  /** Addresses that it may be used from. `unlisted`: there are some, and the venue does not say which. */
  readonly addresses: readonly string[] | 'anywhere' | 'unlisted';
  /** ms; undefined if the venue names no end. */
  readonly expiresAt?: number | undefined;
}

export interface CheckableVenue {
  readonly baseUrl: string;
  /** GET; signed by the vault. */
  readonly path: string;
  /** Names of the headers that a signed request has there. */
  readonly ownHeaders: RegExp;
  /** Throws for an answer of another form. */
  readonly read: (answer: unknown) => CheckedKey;
}

/** developers.binance.com/docs/wallet/account/api-key-permission */
const binance = z.object({
  ipRestrict: z.boolean(),
  enableWithdrawals: z.boolean(),
  tradingAuthorityExpirationTime: z.number().optional(),
});

function readBinance(answer: unknown): CheckedKey {
  const said = binance.parse(answer);
  const switches = Object.entries(answer as object).filter(
    ([name, value]) => /^(?:enable|permits)/.test(name) && value === true,
  );
  return {
    permissions: switches.map(([name]) => name),
    canWithdraw: said.enableWithdrawals,
    addresses: said.ipRestrict ? 'unlisted' : 'anywhere',
    expiresAt: said.tradingAuthorityExpirationTime,
  };
}

/**
 * bybit-exchange.github.io/docs/v5/user/apikey-info: `readOnly` 0 is read and write; `Withdraw` under `Wallet`; `ips` has
 * `*` where no address is bound (so the Chinese text of list-sub-apikeys); `expiredAt` is there for keys without a bound
 * address, or after a change of the password. For other keys it is 1970, with `deadlineDay` -2.
 */
const bybit = z.object({
  retCode: z.literal(0),
  result: z.object({
    readOnly: z.union([z.literal(0), z.literal(1)]),
    permissions: z.record(z.string(), z.array(z.string()).nullable()),
    ips: z.array(z.string()),
    expiredAt: z.iso.datetime().optional(),
  }),
});

function readBybit(answer: unknown): CheckedKey {
  const { readOnly, permissions, ips, expiredAt } = bybit.parse(answer).result;
  const listed = Object.entries(permissions).flatMap(([of, words]) =>
    (words ?? []).map((word) => `${of}.${word}`),
  );
  const isAnywhere = ips.length === 0 || ips.includes('*');
  const end = expiredAt === undefined ? 0 : Date.parse(expiredAt);
  return {
    permissions: [readOnly === 1 ? 'read only' : 'read and write', ...listed],
    canWithdraw: readOnly === 0 && listed.includes('Wallet.Withdraw'),
    addresses: isAnywhere ? 'anywhere' : ips,
    expiresAt: end > 0 ? end : undefined,
  };
}

/**
 * www.okx.com/docs-v5/en/#trading-account-rest-api-get-account-configuration: `perm` has `read_only`, `trade` and
 * `withdraw`, `ip` the addresses bound to this key, both after commas; `ip` is empty where none is bound.
 */
const okx = z.object({
  code: z.literal('0'),
  data: z.tuple([z.object({ perm: z.string().min(1), ip: z.string() })]),
});

function readOkx(answer: unknown): CheckedKey {
  const { perm, ip } = okx.parse(answer).data[0];
  const permissions = perm.split(',').map((word) => word.trim());
  return {
    permissions,
    canWithdraw: permissions.includes('withdraw'),
    addresses: ip === '' ? 'anywhere' : ip.split(',').map((address) => address.trim()),
  };
}

export const CHECKABLE_VENUES: Readonly<Record<string, CheckableVenue>> = {
  binance: {
    baseUrl: 'https://api.binance.com',
    path: '/sapi/v1/account/apiRestrictions',
    ownHeaders: /^x-mbx-apikey$/i,
    read: readBinance,
  },
  bybit: {
    baseUrl: 'https://api.bybit.com',
    path: '/v5/user/query-api',
    ownHeaders: /^x-bapi-/i,
    read: readBybit,
  },
  okx: {
    baseUrl: 'https://www.okx.com',
    path: '/api/v5/account/config',
    ownHeaders: /^ok-access-/i,
    read: readOkx,
  },
};

/** Whether a gateway gave the venue's own headers alone: any other could have the request read in another way. */
export function areOwnHeaders(
  { ownHeaders }: CheckableVenue,
  headers: Readonly<Record<string, string>>,
): boolean {
  return Object.keys(headers).every((name) => ownHeaders.test(name));
}

const DAY_MS = 86_400_000;
const WARNED_DAYS = 14;

/** What somebody should change at the venue; empty if nothing. `now`: ms. */
export function warningsAbout(
  { canWithdraw, addresses, expiresAt }: CheckedKey,
  now: number,
): string[] {
  const left = expiresAt === undefined ? Infinity : expiresAt - now;
  return [
    ...(canWithdraw
      ? ['it may withdraw, and this answer names no list of addresses that withdrawals are kept to']
      : []),
    ...(addresses === 'anywhere' ? ['it may be used from any address'] : []),
    ...(left <= 0 ? ['it has expired'] : []),
    ...(left > 0 && left < WARNED_DAYS * DAY_MS
      ? [`it expires in ${Math.ceil(left / DAY_MS)} days`]
      : []),
  ];
}
