/**
 * What a signature costs in a vault that has grown (100,000 wallets, 10,000 policies, 10,000,000 stored requests) beside one
 * that has not: both alive, in turns, by processor time of all their processes. `PART` makes the grown one smaller: of
 * `PART=100` it has a hundredth. `STORED` requests instead of that many; `NODE_FLAGS` for its gateway and parties.
 * `SECONDS` of each of `ROUNDS` turns. Prints the figures.
 */
import { afterAll, expect, it } from '@jest/globals';
import {
  createBenchHome,
  type BenchHome,
  type Filling,
  type OpenVault,
} from '../dist/bench/bench-vault.js';
import { measureOffered } from '../dist/bench/offered-load.js';
import { vaultUnderLoad } from '../dist/bench/references.js';
import { prepareTraffic } from '../dist/bench/traffic.js';
import { fillVault } from './large-vault.ts';

const PART = Number(process.env['PART'] ?? 1);
const ROUNDS = Number(process.env['ROUNDS'] ?? 8);
const SECONDS = Number(process.env['SECONDS'] ?? 8);
const SIZE = {
  users: Math.ceil(1_000 / PART),
  wallets: 100_000 / PART,
  policies: 10_000 / PART,
  storedRequests: Number(process.env['STORED'] ?? 10_000_000 / PART),
};
const NODE_FLAGS = process.env['NODE_FLAGS']?.split(' ') ?? [];
const AT_MOST = 1.1;
const HOURS_MS = 3_600_000;

const opened: BenchHome[] = [];
afterAll(async () => {
  for (const home of opened) {
    await home.stop();
    home.remove();
  }
}, 120_000);

async function openHome(filling?: Filling): Promise<OpenVault> {
  const execArgv = filling === undefined ? [] : NODE_FLAGS;
  const home = createBenchHome({ filling, execArgv });
  opened.push(home);
  return home.open();
}

it(
  'a signature costs at most a tenth more where there is much',
  async () => {
    const small = await openHome();
    const grown = await openHome({
      async fill(ownerUrl, prepared) {
        const startedAt = performance.now();
        const say = (what: string) =>
          process.stderr.write(
            `${what}: ${Math.round((performance.now() - startedAt) / 1_000)} s\n`,
          );
        await fillVault({ ownerUrl }, prepared, SIZE, say);
      },
      readyTimeoutMs: HOURS_MS,
    });
    print({ start_seconds: { small: small.startMs / 1_000, grown: grown.startMs / 1_000 } });
    const besideIt = vaultUnderLoad('small', small, await prepareTraffic(small, 'sign'));
    const traffic = await prepareTraffic(grown, 'sign');
    const offered = { name: 'raw-sign, grown', traffic, maths: 'ed25519' } as const;
    const rows = await measureOffered(grown, offered, {
      seconds: SECONDS * ROUNDS,
      rounds: ROUNDS,
      connections: [64, 16],
      rates: [],
      isAlone: true,
      peers: [besideIt],
    });
    print(rows);
    for (const { name, beside } of rows) {
      const { mean } = beside!['small']!.costRatio!;
      expect({ name, tooDear: mean > AT_MOST }).toEqual({ name, tooDear: false });
    }
  },
  2 * HOURS_MS,
);

function print(figures: unknown): void {
  process.stderr.write(`${JSON.stringify(figures, null, 2)}\n`);
}
