/**
 * `npm run test:slow -- workshop/slow/python-bots.slow.ts`: the market maker of the Python examples at seven markets of the simulated venues at
 * once, for an hour (BOT_MINUTES; a round every BOT_PAUSE_MS at each), under the documented rules, by `requests` or `httpx` where the venue's
 * library goes by it and it is installed; then a freeze of the key of a bot that is trading, at each.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { openBotDesk, type BotDesk } from '../../test/support/bot-desk.ts';
import {
  libraryWire,
  MAKER_MARKETS,
  startMaker,
  writeLabFile,
  type MakerOptions,
  type RunningMaker,
} from '../../test/support/market-makers.ts';
import { findPython } from '../../test/support/python.ts';
import { expectOk } from '../../test/support/test-vault.ts';

const MINUTES = Number(process.env['BOT_MINUTES'] ?? 60);
const PAUSE_S = Number(process.env['BOT_PAUSE_MS'] ?? 1_000) / 1_000;
/** From the question for a freeze to the end of the bot's process. */
const STOPS_WITHIN_MS = 1_000;
/** An unanswered question in so many rounds; an unanswered order is a failure. */
const ROUNDS_PER_INTERRUPTION = 100;

jest.setTimeout((MINUTES * 60 + 180) * 1_000);

let desk: BotDesk;
let folder: string;
let labFile: string;
const started: RunningMaker[] = [];
beforeAll(async () => {
  desk = await openBotDesk();
  folder = mkdtempSync(join(tmpdir(), 'python-bots-'));
  labFile = writeLabFile(desk, folder);
}, 120_000);
afterAll(async () => {
  for (const maker of started) maker.kill();
  rmSync(folder, { recursive: true, force: true });
  await desk?.close();
}, 60_000);

async function start(market: string, options: MakerOptions): Promise<RunningMaker> {
  const python = findPython();
  if (python === undefined) throw new Error('this needs python3 with cryptography');
  const wire = await libraryWire(python, market);
  const maker = startMaker(python, labFile, market, { ...options, wire });
  started.push(maker);
  return maker;
}

it('not one order fails, no withdrawal leaves, and a freeze stops the bot', async () => {
  const markets = Object.keys(MAKER_MARKETS);
  const options = { seconds: MINUTES * 60, pauseS: PAUSE_S };
  const running = await Promise.all(markets.map((market) => start(market, options)));
  const reports = await Promise.all(running.map(({ report }) => report));
  console.log(reports.map((report) => JSON.stringify(report)).join('\n'));
  for (const report of reports) {
    expect(report).toMatchObject({ failed: [], withdrawal: 'forbidden' });
    expect(report.placed).toBeGreaterThan(report.rounds / 10);
    expect(report.interrupted.length).toBeLessThanOrEqual(report.rounds / ROUNDS_PER_INTERRUPTION);
  }
  for (const market of markets) await freezeStops(market);
});

async function freezeStops(market: string): Promise<void> {
  const { venueId } = MAKER_MARKETS[market]!;
  const { keyId } = desk.seed.desks[venueId]!;
  const maker = await start(market, { seconds: 60 });
  await maker.trading;
  const askedAt = performance.now();
  await expectOk(desk.vault.admin, 'POST', `/v1/keys/freeze?key_ids=${keyId}`, {});
  const report = await maker.report;
  const tookMs = performance.now() - askedAt;
  console.log(`${market}: stopped after ${tookMs.toFixed(0)} ms`);
  expect(report).toMatchObject({ failed: [], withdrawal: 'forbidden' });
  expect(report.stopped).toMatch(/^forbidden: the key is frozen/);
  expect(tookMs).toBeLessThan(STOPS_WITHIN_MS);
  await expectOk(desk.vault.admin, 'POST', `/v1/keys/unfreeze?key_ids=${keyId}`, {});
}
