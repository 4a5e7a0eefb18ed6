/**
 * The ledger's promises, in runs of the product's own fold, pins, primary replicas and signing roles: two gateways, three parties, a
 * store and a Redis that lie, restarts at any moment.
 */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { run, seedsFrom, shrink, stepsOf, useModelTime, type Setting } from './explore.js';
import { createModelVault, type ModelVault } from './model-vault.js';

const RUNS = Number(process.env['MODEL_RUNS'] ?? 25);
const FIRST_SEED = Number(process.env['MODEL_SEED'] ?? 1);

let vault: ModelVault;

beforeAll(() => {
  vault = createModelVault();
  useModelTime();
});
afterAll(() => {
  jest.useRealTimers();
});

/** Runs until a promise is broken: then what happened, in as few steps as show it. */
async function explore(setting: Setting): Promise<Record<string, number>> {
  const reached: Record<string, number> = {};
  for (const seed of seedsFrom(FIRST_SEED, RUNS)) {
    const steps = stepsOf(seed);
    const { broken, reached: now } = await run(steps, setting);
    if (broken.length > 0) {
      const { broken: faults, trace } = await shrink(steps, setting);
      throw new Error([`seed ${seed}: ${faults.join('; ')}`, ...trace].join('\n'));
    }
    for (const [name, count] of Object.entries(now)) reached[name] = (reached[name] ?? 0) + count;
  }
  return reached;
}

/** A model in which nothing happens keeps every promise. */
function expectEventful(reached: Record<string, number>): void {
  for (const [name, count] of Object.entries(reached))
    expect([name, count > 0]).toEqual([name, true]);
}

it('gateways, Redis and the store lie, all parties are honest: nothing untimely, two-faced or forgotten takes effect, and no pair signs against an answered freeze', async () => {
  expectEventful(await explore({ vault }));
}, 86_400_000);

it('one party lies besides: no forged right, no time that no honest clock showed, and no honest party signs against a freeze that it said it obeys (a party that is cut off from the freeze still may, with the liar)', async () => {
  expectEventful(await explore({ vault, liar: 3 }));
}, 86_400_000);
