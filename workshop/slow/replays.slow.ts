/**
 * A million replays of captured requests. `REPLAYS` sets how many, `FIRST_SEED` which: what is drawn is drawn by the seed,
 * what comes first is up to the processes.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { headOf, type BatchHead } from '../../test/support/attacker.ts';
import { runReplays, type Break, type ReplayFigures } from '../../test/support/replay-run.ts';
import { restartableNodes, type RestartableNodes } from '../../test/support/restartable-nodes.ts';
import { openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { openVenueDesk, type VenueDesk } from '../../test/support/venue-desk.ts';

const REPLAYS = Number(process.env['REPLAYS'] ?? 1_000_000);
const SEED = Number(process.env['FIRST_SEED'] ?? 1);
const TIMEOUT_MS = 4 * 3_600_000;
/** Something breaks after so many replays. */
const BREAK_EVERY = 10_000;

let vault: TestVault;
let nodes: RestartableNodes;
let desk: VenueDesk;
let heads: BatchHead[];
/** Second replicas of two parties, without a folder: against a database that forgets, each remembers for itself. */
const seconds = new Map<1 | 2, VaultProcess>();

beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'fatal' });
  nodes = restartableNodes(vault);
  for (const party of [1, 2] as const) await startSecond(party);
  const older = await headOf(vault);
  desk = await openVenueDesk(vault);
  heads = [await headOf(vault), older];
}, 180_000);
afterAll(async () => {
  await Promise.all([...seconds.values()].map((replica) => replica.stop()));
  await nodes?.stopAll();
  await vault?.close();
}, 120_000);

async function startSecond(party: 1 | 2): Promise<void> {
  seconds.set(party, await startSigner(vault.options, party, 'b'));
}

async function restartSecond(party: 1 | 2): Promise<void> {
  seconds.get(party)!.kill('SIGKILL');
  await seconds.get(party)!.exited;
  await startSecond(party);
}

/** Each process in turn, one after the other; two parties at once; and what the stores lose before and after. */
function breaksOf(count: number): Break[] {
  const restarts = [
    () => nodes.killAndStart(1),
    () => restartSecond(2),
    () => nodes.killAndStart(2),
    () => nodes.killAndStart('gateway'),
    () => nodes.killAndStart(3),
    () => restartSecond(1),
    () => Promise.all([nodes.killAndStart(1), nodes.killAndStart(2)]).then(() => undefined),
  ];
  return Array.from({ length: count }, (_, index): Break => {
    const turn = Math.floor(index / 4);
    const restart: Break = { kind: 'restart', run: restarts[turn % restarts.length]! };
    const kinds: Break[] = [{ kind: 'rollback' }, restart, { kind: 'flush' }, { kind: 'rollback' }];
    // no rollback in every other turn: then the rows of requests are there all their life
    const isKept = turn % 2 === 1 && index % 4 !== 1;
    return isKept ? { kind: 'flush' } : kinds[index % 4]!;
  });
}

function print(figures: ReplayFigures): void {
  process.stderr.write(`${new Date().toISOString()} ${JSON.stringify(figures)}\n`);
}

test(
  `a request has one message in ${REPLAYS} replays, or one per replica where the database forgets`,
  async () => {
    const breaks = breaksOf(Math.ceil(REPLAYS / BREAK_EVERY));
    const plan = { seed: SEED, replays: REPLAYS, signed: 21, breaks, onFigures: print };
    const figures = await runReplays(vault, desk, heads, plan);
    print(figures);
    expect(figures.kept).toEqual({ signed: 1, ofParty: 1, ofReplica: 1 });
    expect(figures.forgotten.ofReplica).toBe(1);
    // five replicas: two pairs without one in common
    expect(figures.forgotten.signed).toBeLessThanOrEqual(2);
    expect(figures.forgotten.ofParty).toBeLessThanOrEqual(2);
  },
  TIMEOUT_MS,
);
