import { MEASURED_COSTS, type Traffic } from './measured-costs.js';
import { planCapacity, type CapacityPlan } from './plan-capacity.js';

export interface PlannedRate {
  readonly rate: number;
  readonly traffic: Traffic;
  readonly plan: CapacityPlan;
}

export function plansOf(rates: readonly number[], traffics: readonly Traffic[]): PlannedRate[] {
  return traffics.flatMap((traffic) =>
    rates.map((rate) => ({ rate, traffic, plan: planCapacity(rate, MEASURED_COSTS[traffic]) })),
  );
}

/** A Markdown table, one row a rate. */
export function planLines(plans: readonly PlannedRate[]): string[] {
  return [
    '| signatures a second | asked by | gateways (cores) | replicas of each party (cores) | PostgreSQL cores, log | Redis cores | cells |',
    '|---|---|---|---|---|---|---|',
    ...plans.map(rowOf),
  ];
}

function rowOf({ rate, traffic, plan }: PlannedRate): string {
  const { gateways, replicas, postgresCores, walMegabytes, redisCores, cells } = plan;
  const cellsOf = [
    rate.toLocaleString('en'),
    traffic,
    `${gateways.processes} (${gateways.cores})`,
    `${replicas.processes} (${replicas.cores})`,
    `${postgresCores.toFixed(1)}, ${walMegabytes.toFixed(1)} MB/s`,
    redisCores.toFixed(1),
    cells === 1 ? '1' : `${cells}, by ${plan.bottleneck}`,
  ];
  return `| ${cellsOf.join(' | ')} |`;
}
