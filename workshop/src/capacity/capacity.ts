/** `npm run capacity`: how many processes and cores a rate of signatures takes, from what one was measured to cost. */
import { parseArgs } from 'node:util';
import { TRAFFICS, type Traffic } from './measured-costs.js';
import { planLines, plansOf } from './plan-table.js';

const OPTIONS = {
  rate: { type: 'string', multiple: true },
  traffic: { type: 'string', multiple: true },
} as const;
const RATES = ['1000', '10000', '100000'];

/** Throws an Error that says what is wrong. */
function readOptions(args: readonly string[]): { rates: number[]; traffics: Traffic[] } {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const rates = (values.rate ?? RATES).map(Number);
  if (!rates.every((rate) => rate > 0 && Number.isFinite(rate))) {
    throw new Error('--rate is a number of signatures a second, above 0');
  }
  const asked: readonly string[] = values.traffic ?? TRAFFICS;
  const traffics = TRAFFICS.filter((name) => asked.includes(name));
  if (traffics.length !== asked.length) {
    throw new Error(`--traffic is one of ${TRAFFICS.join(', ')}`);
  }
  return { rates, traffics };
}

try {
  const { rates, traffics } = readOptions(process.argv.slice(2));
  process.stdout.write(`${planLines(plansOf(rates, traffics)).join('\n')}\n`);
} catch (error) {
  process.stderr.write(`capacity: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
