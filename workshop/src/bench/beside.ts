/**
 * A load in slices, with slices of what it is held against between them: the machine changes by a factor of three from
 * hour to hour and by a third from minute to minute, so that only what was measured next to each other compares.
 */
import { costOf, runLoad, type LoadJob, type LoadMeasurement, type Watched } from './load.js';
import { percentilesOf } from './percentiles.js';
import { orderOfRound, ratioInterval, type RatioInterval } from './ratio-interval.js';
import type { Reference, ReferenceSlice } from './references.js';
import { sumOfWork } from './server-work.js';

export interface Beside {
  readonly perSecond: number;
  readonly costUs: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** The load's processor time per request by this one's, slice by slice. */
  readonly costRatio?: RatioInterval;
  readonly rateRatio?: RatioInterval;
}

export interface Sliced {
  readonly load: LoadMeasurement;
  /** By name of what it was held against. */
  readonly beside: Readonly<Record<string, Beside>>;
}

/** `job.seconds`: of all slices together. */
export async function measureSliced(
  job: LoadJob,
  watched: Watched,
  references: readonly Reference[],
  rounds: number,
): Promise<Sliced> {
  const sliceJob = { ...job, seconds: job.seconds / rounds };
  const loads: LoadMeasurement[] = [];
  const slices = new Map<string, ReferenceSlice[]>(references.map(({ name }) => [name, []]));
  const turns = [
    async () => void loads.push(await runLoad(sliceJob, watched)),
    ...references.map(
      (one) => async () => void slices.get(one.name)!.push(await one.slice(sliceJob)),
    ),
  ];
  for (let round = 0; round < rounds; round++) {
    for (const takeTurn of orderOfRound(turns, round)) await takeTurn();
  }
  const beside = references.map(({ name }) => [name, heldAgainst(loads, slices.get(name)!)]);
  return {
    load: mergeLoads(loads),
    beside: Object.fromEntries(beside) as Record<string, Beside>,
  };
}

function heldAgainst(loads: readonly LoadMeasurement[], slices: readonly ReferenceSlice[]): Beside {
  const costs = loads.map((load, at) => [costOf(load), slices[at]!.costUs] as const);
  const rates = loads.map(
    (load, at) => [load.answers / load.seconds, slices[at]!.perSecond] as const,
  );
  const costRatio = ratioInterval(costs);
  const rateRatio = ratioInterval(rates);
  const latencies = slices.some(({ p50Ms }) => p50Ms !== undefined)
    ? {
        p50Ms: mean(slices.map(({ p50Ms }) => p50Ms!)),
        p99Ms: mean(slices.map(({ p99Ms }) => p99Ms!)),
      }
    : {};
  return {
    perSecond: mean(slices.map(({ perSecond }) => perSecond)),
    costUs: mean(slices.map(({ costUs }) => costUs)),
    ...latencies,
    ...(costRatio !== undefined && { costRatio }),
    ...(rateRatio !== undefined && { rateRatio }),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** As if it had been one. */
function mergeLoads(loads: readonly LoadMeasurement[]): LoadMeasurement {
  const latenciesMs = loads.flatMap((load) => load.latenciesMs);
  const works = loads.flatMap(({ work }) => (work === undefined ? [] : [work]));
  const total = (of: (load: LoadMeasurement) => number) =>
    loads.reduce((sum, load) => sum + of(load), 0);
  return {
    answers: total(({ answers }) => answers),
    seconds: total(({ seconds }) => seconds),
    othersUs: total(({ othersUs }) => othersUs),
    stolenUs: total(({ stolenUs }) => stolenUs),
    latenciesMs,
    ...percentilesOf(latenciesMs),
    statuses: sumOfCounts(loads.map(({ statuses }) => statuses)),
    cpuUs: sumOfCounts(loads.map(({ cpuUs }) => cpuUs)),
    mainThreadUs: sumOfCounts(loads.map(({ mainThreadUs }) => mainThreadUs)),
    wakes: sumOfCounts(loads.map(({ wakes }) => wakes)),
    ...(works.length > 0 && { work: sumOfWork(works) }),
  };
}

function sumOfCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
