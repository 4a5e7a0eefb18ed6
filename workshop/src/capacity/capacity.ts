/** `npm run capacity`: how many processes and cores a rate of signatures takes, from what one was measured to cost. */
import { parseArgs } from 'node:util';
import { MEASURED_COSTS, TRAFFICS, type Traffic } from './measured-costs.js';
import { planCapacity } from './plan-capacity.js';
import { planLines } from './plan-table.js';

const OPTIONS = {
  rate: { type: 'string', multiple: true },
  traffic: { type: 'string', default: 'raw-sign' },
} as const;
const RATES = ['1000', '10000', '100000'];

/** Throws an Error that says what is wrong. */
function readOptions(args: readonly string[]): { rates: number[]; traffic: Traffic } {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const rates = (values.rate ?? RATES).map(Number);
  if (!rates.every((rate) => rate > 0 && Number.isFinite(rate))) {
    throw new Error('--rate is a number of signatures a second, above 0');
  }
  const traffic = TRAFFICS.find((name) => name === values.traffic);
  if (traffic === undefined) throw new Error(`--traffic is one of ${TRAFFICS.join(', ')}`);
  return { rates, traffic };
}

try {
  const { rates, traffic } = readOptions(process.argv.slice(2));
  const plans = rates.map((rate) => ({
    rate,
    traffic,
    plan: planCapacity(rate, MEASURED_COSTS[traffic]),
  }));
  process.stdout.write(`${planLines(plans).join('\n')}\n`);
} catch (error) {
  process.stderr.write(`capacity: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
