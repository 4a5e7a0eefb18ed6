/**
 * What a signature costs under a limit for each of sixteen keys beside one under a rule without any: one vault, in
 * turns, by processor time of all its processes. `SECONDS` of each of `ROUNDS` turns. Prints the figures.
 */
import { afterAll, expect, it } from '@jest/globals';
import { createBenchHome } from '../dist/bench/bench-vault.js';
import { measureOffered } from '../dist/bench/offered-load.js';
import { vaultUnderLoad } from '../dist/bench/references.js';
import { prepareTraffic } from '../dist/bench/traffic.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 8);
const SECONDS = Number(process.env['SECONDS'] ?? 4);
/** Counted for each key, and never reached. */
const LIMIT = { limit: '100000000', unit: 'count', window_s: 3_600, per: 'wallet' } as const;

const home = createBenchHome();
afterAll(async () => {
  await home.stop();
  home.remove();
}, 60_000);

it('signs all under a limit that is never reached', async () => {
  const open = await home.open();
  const free = await prepareTraffic(open, 'sign', 'one rule');
  const traffic = await prepareTraffic(open, 'sign', 'limits', { velocity: LIMIT });
  const offered = { name: 'raw-sign under limits', traffic, maths: 'ed25519' } as const;
  const [row] = await measureOffered(open, offered, {
    seconds: SECONDS * ROUNDS,
    rounds: ROUNDS,
    connections: [64],
    rates: [],
    isAlone: true,
    peers: [vaultUnderLoad('one rule', open, free)],
  });
  process.stderr.write(`${JSON.stringify(row!.beside, null, 2)}\n`);
  expect(row!.load!.statuses).toEqual({ 200: row!.load!.answers });
}, 600_000);
