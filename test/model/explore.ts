/** Runs of the model: at random by a seed, or all that there are within bounds. */
import { jest } from '@jest/globals';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { rowsUpTo } from './lying-store.js';
import { MOVES } from './moves.js';
import { World, type Pick, type WorldOptions } from './model-world.js';
import { brokenPromises } from './promises.js';

export interface Run {
  readonly broken: readonly string[];
  readonly trace: readonly string[];
  readonly reached: Reached;
  /** The branch that most were shown. */
  readonly log: readonly EntryRow[];
}

/** That a run came to something: a model in which nothing happens keeps every promise. */
export interface Reached {
  signed: number;
  answered: number;
  frozen: number;
  effective: number;
  refused: number;
  forks: number;
}

const STEPS = 70;

/** Xorshift: the same numbers on every machine. */
export function pickBySeed(seed: number): Pick {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  state ^= state >>> 15;
  state = Math.imul(state, 0x85ebca6b) | 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

/** Timers ring when the world lets time pass; what waits for nothing goes on by itself. */
export function useModelTime(): void {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
}

export type Setting = Omit<WorldOptions, 'pick' | 'interruptions'>;

/** The steps of a run: each is a seed of its own, so that the others mean the same when one is left out. */
export function stepsOf(seed: number): readonly number[] {
  return Array.from({ length: STEPS }, (_, step) => seed * STEPS + step);
}

export async function run(steps: readonly number[], setting: Setting): Promise<Run> {
  let pick = pickBySeed(steps[0] ?? 0);
  const world = new World({ ...setting, pick: (n) => pick(n), interruptions: 6 });
  await world.open();
  for (const step of steps) {
    pick = pickBySeed(step);
    await MOVES[pick(MOVES.length)]!(world);
  }
  world.close();
  const { trace, main } = world;
  return { broken: brokenPromises(world), trace, reached: reachedBy(world), log: rowsUpTo(main) };
}

/** The same fault in as few steps as leaving some out makes it. */
export async function shrink(steps: readonly number[], setting: Setting): Promise<Run> {
  let shortest = [...steps];
  for (let size = shortest.length >> 1; size > 0; size >>= 1) {
    for (let at = 1; at < shortest.length;) {
      const shorter = shortest.toSpliced(at, size);
      if ((await run(shorter, setting)).broken.length > 0) shortest = shorter;
      else at += size;
    }
  }
  return run(shortest, setting);
}

function reachedBy({ happened, store }: World): Reached {
  const { inOrder, judged } = happened;
  const count = (kind: string) => inOrder.filter((one) => one.kind === kind).length;
  return {
    signed: count('signed'),
    answered: count('answered'),
    frozen: inOrder.filter((one) => one.kind === 'answered' && one.request.stops).length,
    effective: judged.filter(({ outcome }) => outcome.refusal === undefined).length,
    refused: judged.filter(({ outcome }) => outcome.refusal !== undefined).length,
    forks: store.ends.length - 1,
  };
}

export function* seedsFrom(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed += 1) yield seed;
}
