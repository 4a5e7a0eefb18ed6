/** Bots trade at the lab's venues through a vault: ccxt's own methods, the documented rules, nobody with a secret. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { findLabVenue } from '../workshop/dist/lab/catalogue/lab-venues.js';
import { decimal } from '../workshop/dist/lab/exchange/exact-decimal.js';
import {
  deskGroup,
  loadGridBot,
  loadSockets,
  openBotDesk,
  type BotDesk,
  type WatchingExchange,
} from './support/bot-desk.ts';
import { openSeenRequests, type SeenRequests } from './support/seen-requests.ts';
import { SESSIONS } from './support/simulated-sessions.ts';
import { expectOk, newMachineKey } from './support/test-vault.ts';
import { trade } from './support/trading-session.ts';

jest.setTimeout(60_000);

let desk: BotDesk;
beforeAll(async () => {
  desk = await openBotDesk(() => decimal('50000'));
}, 120_000);
afterAll(() => desk?.close(), 60_000);

describe.each(Object.entries(SESSIONS))(
  'a bot at %s',
  (_name, { venueId, options, ...session }) => {
    it('orders, amends, cancels, stops and batches under the documented rules', async () => {
      const exchange = desk.open(venueId, options);
      await trade(exchange, { ...session, amendment: session.amendmentUnderRules });
      const venue = desk.venue(venueId);
      const quote = session.symbol.split(/[/:]/)[1]!;
      const booked = venue.exchange.balances('desk').find(({ asset }) => asset === quote)!;
      const seen = (await exchange.fetchBalance())[quote]!.total!;
      expect(BigInt(Math.round(seen * 1e8))).toBe(booked.free + booked.held);
    });

    it('may not withdraw, nor trade more than the rule allows', async () => {
      const exchange = desk.open(venueId, options);
      await exchange.loadMarkets();
      const venue = desk.venue(venueId);
      const orders = venue.exchange.orders('desk').length;
      const large = exchange.createOrder(session.symbol, 'limit', 'buy', 0.02, 45_000);
      // where the venue's signature covers no amount, no rule can
      if (venueId === 'coinbase_advanced') await large;
      else await expect(large).rejects.toMatchObject({ name: 'PermissionDenied' });
      const placed = venueId === 'coinbase_advanced' ? 1 : 0;
      expect(venue.exchange.orders('desk')).toHaveLength(orders + placed);
      const withdrawal = exchange.withdraw('BTC', 0.5, ADDRESS, undefined, session.withdrawal);
      await expect(withdrawal).rejects.toMatchObject({ name: 'PermissionDenied' });
      expect(venue.exchange.withdrawals('desk')).toEqual([]);
    });
  },
);

const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

describe('many at once', () => {
  it.each(['binance', 'kraken'])('all of them come through at %s', async (venueId) => {
    const exchange = desk.open(venueId);
    await exchange.loadMarkets();
    const balances = await Promise.all(Array.from({ length: 12 }, () => exchange.fetchBalance()));
    expect(balances).toHaveLength(12);
  });
});

describe('a ladder of orders by Promise.all', () => {
  let gateway: SeenRequests;
  beforeAll(async () => {
    gateway = await openSeenRequests(desk.vault.baseUrl);
  });
  afterAll(() => gateway?.close());

  /** Without looks at how far a request has come: a machine that is slow to sign makes some. */
  const signingRequests = () => gateway.seen.filter((line) => line.startsWith('POST '));

  async function openLadder(venueId: string) {
    const exchange = desk.open(venueId, {}, { baseUrl: gateway.url });
    await exchange.loadMarkets();
    const { symbol } = findLabVenue(venueId);
    const place = (amount: number, step: number) =>
      exchange.createOrder(symbol, 'limit', 'buy', amount, 45_000 - step);
    const cancel = (id: string) => exchange.cancelOrder(id, symbol);
    // what ccxt asks of a venue once, before its first order
    await cancel((await place(0.001, 0)).id);
    gateway.seen.length = 0;
    const { keyId } = desk.seed.desks[venueId]!;
    return { exchange, place, cancel, symbol, path: `POST /v1/keys/${keyId}` };
  }

  it.each(['binance', 'bybit', 'okx'])('is one request to the vault at %s', async (venueId) => {
    const { exchange, place, cancel, symbol, path } = await openLadder(venueId);
    const steps = Array.from({ length: 20 }, (_, step) => step);
    const placed = await Promise.all(steps.map((step) => place(0.001, step)));
    expect(signingRequests()).toEqual([`${path}/sign-batch`]);
    const open = await exchange.fetchOpenOrders(symbol);
    const prices = new Map(open.map(({ id, price }) => [id, price]));
    // each answer is that of its own order
    expect(placed.map(({ id }) => prices.get(id))).toEqual(steps.map((step) => 45_000 - step));
    gateway.seen.length = 0;
    await Promise.all(placed.map(({ id }) => cancel(id)));
    expect(signingRequests()).toEqual([`${path}/sign-batch`]);
  });

  it('has each order refused for itself', async () => {
    const { place, path } = await openLadder('binance');
    const placed = await Promise.allSettled([place(0.001, 1), place(0.02, 2), place(0.001, 3)]);
    expect(placed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(placed[1]).toMatchObject({ reason: { name: 'PermissionDenied' } });
    expect(signingRequests()).toEqual([`${path}/sign-batch`]);
  });

  it('goes order by order where the numbers of a venue must rise', async () => {
    const { place, path } = await openLadder('kraken');
    await Promise.all([1, 2, 3, 4, 5].map((step) => place(0.001, step)));
    expect(signingRequests()).toEqual(Array.from({ length: 5 }, () => `${path}/sign`));
  });
});

describe('a login on a WebSocket', () => {
  /** What is only told to whom logged in. */
  const WATCHED: Readonly<Record<string, (exchange: WatchingExchange) => Promise<unknown>>> = {
    okx: watchFunds,
    bybit: watchFunds,
    deribit: watchFunds,
    coinbase_advanced: async (exchange) => {
      const { id } = await exchange.createOrder('BTC/USD', 'limit', 'buy', 0.001, 45_000);
      const watched = await exchange.watchOrders('BTC/USD');
      expect(watched.map((order) => order.id)).toContain(id);
      await exchange.cancelOrder(id, 'BTC/USD');
    },
  };
  const venueIds = Object.keys(WATCHED);

  async function watchFunds(exchange: WatchingExchange): Promise<void> {
    const rest = await exchange.fetchBalance();
    const watched = await exchange.watchBalance();
    const [asset = ''] = ['USDT', 'USDC', 'BTC'].filter((name) => name in watched);
    const { total } = watched[asset]!;
    // ccxt puts Deribit's balances one into the other
    expect(typeof total === 'object' ? total[asset] : total).toBe(rest[asset]!.total);
  }

  /** The rule that the documented ones lack: a login opens whatever the key may do. */
  async function allowLogins(venueId: string): Promise<void> {
    const initiators = { user_ids: [desk.seed.botId] };
    const when = { initiators, operation_classes: ['session'] };
    await expectOk(desk.vault.admin, 'POST', '/v1/signing-policies', {
      display_name: `logins ${venueId}`,
      security_group_id: await deskGroup(desk, venueId),
      rules: [{ display_name: 'logins', then: 'allow', when }],
    });
  }

  beforeAll(() => loadSockets(...venueIds), 60_000);

  it.each(venueIds)(
    'is denied under the documented rules, and not by its own: %s',
    async (venueId) => {
      const denied = desk.openSockets(venueId);
      await denied.loadMarkets();
      const login =
        venueId === 'coinbase_advanced' ? denied.watchOrders('BTC/USD') : denied.watchBalance();
      await expect(login).rejects.toMatchObject({ name: 'PermissionDenied' });
      await allowLogins(venueId);
      const exchange = desk.openSockets(venueId);
      await exchange.loadMarkets();
      await WATCHED[venueId]!(exchange);
    },
  );
});

describe('a frozen key', () => {
  it('stops its bot at once, by ccxt’s own word for it, and no other', async () => {
    const exchange = desk.open('bybit');
    const other = desk.open('okx');
    await Promise.all([exchange.loadMarkets(), other.loadMarkets()]);
    const { keyId } = desk.seed.desks['bybit']!;
    await expectOk(desk.vault.admin, 'POST', `/v1/keys/freeze?key_ids=${keyId}`, {});
    const order = exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 45_000);
    await expect(order).rejects.toMatchObject({ name: 'AccountSuspended' });
    await other.fetchBalance();
    await expectOk(desk.vault.admin, 'POST', `/v1/keys/unfreeze?key_ids=${keyId}`, {});
    await exchange.fetchBalance();
  });
});

describe('the bot of the examples', () => {
  it('a grid trades, and not one of its orders fails', async () => {
    const { runGrid } = await loadGridBot();
    const reports = await Promise.all(
      ['binance', 'deribit'].map((venueId) => {
        const { symbol } = findLabVenue(venueId);
        return runGrid(desk.open(venueId), { symbol, size: 0.001, durationMs: 1_000, pauseMs: 50 });
      }),
    );
    for (const report of reports) {
      expect(report).toMatchObject({ failed: [] });
      expect(report.placed).toBeGreaterThan(3);
    }
  });
});

describe('a bot whom the vault does not know', () => {
  it('hears of it as of a wrong API key', async () => {
    const exchange = desk.open('okx', {}, { privateKey: newMachineKey().privateKey });
    await expect(exchange.fetchBalance()).rejects.toMatchObject({ name: 'AuthenticationError' });
  });
});
