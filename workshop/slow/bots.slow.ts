/**
 * `npm run test:slow -- workshop/slow/bots.slow.ts`: the grid of the examples at every simulated venue at once, for an hour (BOT_SECONDS; a round
 * every BOT_PAUSE_MS at each), under the documented rules; then a withdrawal, and a freeze of the key of a bot that is trading.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { findLabVenue } from '../dist/lab/catalogue/lab-venues.js';
import {
  loadGridBot,
  openBotDesk,
  type BotDesk,
  type GridReport,
} from '../../test/support/bot-desk.ts';
import { SESSIONS } from '../../test/support/simulated-sessions.ts';
import { expectOk } from '../../test/support/test-vault.ts';

const SECONDS = Number(process.env['BOT_SECONDS'] ?? 3_600);
const PAUSE_MS = Number(process.env['BOT_PAUSE_MS'] ?? 1_000);
/** From the question for a freeze to the error that ends the bot. */
const STOPS_WITHIN_MS = 1_000;

jest.setTimeout((SECONDS + 120) * 1_000);

let desk: BotDesk;
beforeAll(async () => {
  desk = await openBotDesk();
}, 120_000);
afterAll(() => desk?.close(), 60_000);

it('not one order fails, no withdrawal leaves, and a freeze stops the bot', async () => {
  const reports = await Promise.all(Object.keys(SESSIONS).map(runSession));
  console.log(reports.map((report) => JSON.stringify(report)).join('\n'));
  for (const { venueId, options, withdrawal } of Object.values(SESSIONS)) {
    const exchange = desk.open(venueId, options);
    const asked = exchange.withdraw('BTC', 0.5, ADDRESS, undefined, withdrawal);
    await expect(asked).rejects.toMatchObject({ name: 'PermissionDenied' });
  }
  await freezeStops();
  for (const report of reports) {
    expect(report).toMatchObject({ failed: [] });
    expect(report.placed).toBeGreaterThan(report.rounds / 10);
    expect(report.interrupted.length).toBeLessThanOrEqual(report.rounds / ROUNDS_PER_INTERRUPTION);
  }
});

const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

interface SessionReport extends GridReport {
  readonly name: string;
  /** Questions that were not answered in time, after which the bot began anew, as bots do. */
  readonly interrupted: readonly string[];
}

/** ccxt's errors after which a bot tries again, its `NetworkError` and what is one; `InvalidNonce`: what was signed came too late, on a machine with other work. */
const PASSING = ['NetworkError', 'RequestTimeout', 'ExchangeNotAvailable', 'InvalidNonce'];
/** Of so many rounds. An order that comes too late is no interruption but a failure. */
const ROUNDS_PER_INTERRUPTION = 100;

async function runSession(name: string): Promise<SessionReport> {
  const { runGrid } = await loadGridBot();
  const { venueId, symbol, options } = SESSIONS[name]!;
  const exchange = desk.open(venueId, options);
  const end = Date.now() + SECONDS * 1_000;
  const report = { rounds: 0, placed: 0, cancelled: 0, failed: [] };
  const interrupted: string[] = [];
  while (Date.now() < end) {
    const durationMs = end - Date.now();
    try {
      await runGrid(exchange, { symbol, size: 0.001, durationMs, pauseMs: PAUSE_MS, report });
    } catch (error) {
      const { name: kind, message } = error as Error;
      if (!PASSING.includes(kind)) throw error;
      interrupted.push(`${kind}: ${message}`);
      await pause(PAUSE_MS);
    }
  }
  return { name, ...report, interrupted };
}

/** Every freeze takes effect before it is answered; how long it takes until the bot has stopped is measured. */
async function freezeStops(): Promise<void> {
  const { runGrid } = await loadGridBot();
  for (const [venueId, { keyId }] of Object.entries(desk.seed.desks)) {
    const { symbol } = findLabVenue(venueId);
    let running: Promise<GridReport> | undefined;
    await new Promise<void>((isTrading, fails) => {
      let rounds = 0;
      const isStopped = (): boolean => {
        if (++rounds === 3) isTrading();
        return false;
      };
      const options = { symbol, size: 0.001, durationMs: 60_000, pauseMs: 50, isStopped };
      running = runGrid(desk.open(venueId), options);
      running.catch(fails);
    });
    const askedAt = performance.now();
    await expectOk(desk.vault.admin, 'POST', `/v1/keys/freeze?key_ids=${keyId}`, {});
    const frozen = { name: 'AccountSuspended', message: expect.stringContaining('frozen') };
    await expect(running).rejects.toMatchObject(frozen);
    const tookMs = performance.now() - askedAt;
    console.log(`${venueId}: stopped after ${tookMs.toFixed(0)} ms`);
    expect(tookMs).toBeLessThan(STOPS_WITHIN_MS);
  }
}
