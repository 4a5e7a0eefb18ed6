/**
 * `npm run test:slow -- test/slow/bots.slow.ts`: the grid of the examples at every simulated venue at once, for an hour (BOT_SECONDS), under
 * the documented rules; then a withdrawal, and a freeze.
 */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { loadGridBot, openBotDesk, type BotDesk } from '../support/bot-desk.ts';
import { SESSIONS } from '../support/simulated-sessions.ts';
import { expectOk } from '../support/test-vault.ts';

const SECONDS = Number(process.env['BOT_SECONDS'] ?? 3_600);
/** A freeze is asked for, decided and in force at the parties; the bot goes on asking meanwhile. */
const STOPS_WITHIN_MS = 1_000;

jest.setTimeout((SECONDS + 120) * 1_000);

let desk: BotDesk;
beforeAll(async () => {
  desk = await openBotDesk();
}, 120_000);
afterAll(() => desk?.close(), 60_000);

it('not one order fails, no withdrawal leaves, and a freeze stops the bot', async () => {
  const { runGrid } = await loadGridBot();
  const runs = Object.entries(SESSIONS).map(async ([name, { venueId, symbol, options }]) => {
    const exchange = desk.open(venueId, options);
    const report = await runGrid(exchange, { symbol, size: 0.001, durationMs: SECONDS * 1_000 });
    return { name, ...report };
  });
  const reports = await Promise.all(runs);
  console.log(reports.map((report) => JSON.stringify(report)).join('\n'));
  for (const report of reports) {
    expect(report).toMatchObject({ failed: [] });
    expect(report.placed).toBeGreaterThan(SECONDS / 10);
  }
  for (const { venueId, options, withdrawal } of Object.values(SESSIONS)) {
    const exchange = desk.open(venueId, options);
    const asked = exchange.withdraw('BTC', 0.5, ADDRESS, undefined, withdrawal);
    await expect(asked).rejects.toMatchObject({ name: 'PermissionDenied' });
  }
  await freezeStops();
});

const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

/** Every freeze takes effect before it is answered; how long that takes is measured. */
async function freezeStops(): Promise<void> {
  for (const [venueId, { keyId }] of Object.entries(desk.seed.desks)) {
    const exchange = desk.open(venueId);
    await exchange.fetchBalance();
    const askedAt = performance.now();
    await expectOk(desk.vault.admin, 'POST', `/v1/keys/freeze?key_ids=${keyId}`, {});
    await expect(exchange.fetchBalance()).rejects.toMatchObject({ name: 'AccountSuspended' });
    const tookMs = performance.now() - askedAt;
    console.log(`${venueId}: stopped after ${tookMs.toFixed(0)} ms`);
    expect(tookMs).toBeLessThan(STOPS_WITHIN_MS);
  }
}
