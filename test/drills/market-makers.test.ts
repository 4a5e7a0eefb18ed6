/** A bot in Python at every simulated venue through a vault, under the documented rules, by each way of sending. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { swingingPrice } from '../../workshop/dist/lab/exchange/markets.js';
import type { Order } from '../../workshop/dist/lab/exchange/orders.js';
import { openBotDesk, type BotDesk } from '../support/bot-desk.ts';
import {
  libraryWire,
  MAKER_MARKETS,
  startMaker,
  writeLabFile,
  type MakerOptions,
  type MakerReport,
  type RunningMaker,
} from '../support/market-makers.ts';
import { findPython, PYTHON_NEEDS } from '../support/python.ts';
import { runWhere } from '../support/run-where.ts';
import { eventually, expectOk } from '../support/test-vault.ts';

jest.setTimeout(60_000);

const python = findPython();
const MARKETS = Object.keys(MAKER_MARKETS);
/** Prices move as fast in the seconds of a test as otherwise in a minute: orders fill, and others are left behind. */
const HASTE = 10;

runWhere(
  describe,
  python !== undefined,
  PYTHON_NEEDS,
)('a market maker in Python at every venue', () => {
  let desk: BotDesk;
  let folder: string;
  let labFile: string;
  beforeAll(async () => {
    desk = await openBotDesk((market, now) => swingingPrice(market, now * HASTE));
    folder = mkdtempSync(join(tmpdir(), 'market-makers-'));
    labFile = writeLabFile(desk, folder);
  }, 120_000);
  const started: RunningMaker[] = [];
  function start(market: string, options: MakerOptions): RunningMaker {
    const maker = startMaker(python!, labFile, market, options);
    started.push(maker);
    return maker;
  }
  afterAll(async () => {
    for (const maker of started) maker.kill();
    rmSync(folder, { recursive: true, force: true });
    await desk?.close();
  }, 60_000);

  const ordersOf = (market: string): readonly Order[] => {
    const { venueId, kind } = MAKER_MARKETS[market]!;
    const orders = desk.venue(venueId).exchange.orders('desk');
    return orders.filter(({ terms }) => terms.market.kind === kind);
  };
  const ordersAt = (market: string): number => ordersOf(market).length;

  /** Each market has more orders than before, more than two of them, and one of them was cancelled. */
  async function haveTraded(before: ReadonlyMap<string, number>): Promise<void> {
    const hasTraded = (market: string): boolean => {
      const since = ordersOf(market).slice(before.get(market));
      return since.length > 2 && since.some(({ status }) => status === 'cancelled');
    };
    await eventually(() => MARKETS.every(hasTraded), 40_000);
  }

  function expectTraded(report: MakerReport, orders: number): void {
    expect(report).toMatchObject({ failed: [], interrupted: [], withdrawal: 'forbidden' });
    expect(report.placed).toBeGreaterThan(2);
    expect(orders).toBe(report.placed);
    const { venueId } = MAKER_MARKETS[report.market]!;
    expect(desk.venue(venueId).exchange.withdrawals('desk')).toEqual([]);
  }

  it('trades by the package alone, and not one of its orders fails', async () => {
    const before = new Map(MARKETS.map((market) => [market, ordersAt(market)]));
    const makers = MARKETS.map((market) => start(market, { seconds: 50 }));
    await haveTraded(before);
    for (const maker of makers) maker.stop();
    const reports = await Promise.all(makers.map(({ report }) => report));
    for (const report of reports) {
      expectTraded(report, ordersAt(report.market) - before.get(report.market)!);
      expect(report.cancelled).toBeGreaterThan(0);
      expect(report).not.toHaveProperty('stopped');
    }
  });

  const hooks = (market: string) => libraryWire(python!, market);

  it('trades by turns by the package alone and by the hooks, until its key is frozen', () =>
    tradeUntilFrozen(async (market, at) => (at % 2 === 0 ? 'own' : hooks(market))));

  it('trades by the hooks, where requests and httpx are installed, until its key is frozen', () =>
    tradeUntilFrozen(hooks));

  type Wire = NonNullable<MakerOptions['wire']>;

  async function tradeUntilFrozen(
    wireOf: (market: string, at: number) => Promise<Wire>,
  ): Promise<void> {
    const before = new Map(MARKETS.map((market) => [market, ordersAt(market)]));
    const wires = await Promise.all(MARKETS.map(wireOf));
    const makers = MARKETS.map((market, at) => start(market, { seconds: 50, wire: wires[at]! }));
    await Promise.all(makers.map(({ trading }) => trading));
    await haveTraded(before);
    const ids = Object.values(desk.seed.desks).map(({ keyId }) => keyId);
    const target = `/v1/keys/freeze?key_ids=${ids.join(',')}`;
    await expectOk(desk.vault.admin, 'POST', target, {});
    for (const report of await Promise.all(makers.map((maker) => maker.report))) {
      expectTraded(report, ordersAt(report.market) - before.get(report.market)!);
      expect(report.stopped).toMatch(/^forbidden: the key is frozen/);
    }
    await expectOk(desk.vault.admin, 'POST', target.replace('/freeze', '/unfreeze'), {});
  }
});
