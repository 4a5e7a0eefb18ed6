import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { MEASURED_COSTS } from './measured-costs.js';
import { planCapacity } from './plan-capacity.js';
import { planLines } from './plan-table.js';

const RATES = [1_000, 10_000, 100_000];

it('the page on scaling has the table that the command prints', () => {
  const page = readFileSync('docs/explanation/scaling.md', 'utf8');
  const [, table] = /<!-- capacity -->\n([^]*?)\n\n<!-- \/capacity -->/.exec(page) ?? [];
  const plans = RATES.map((rate) => ({
    rate,
    traffic: 'raw-sign' as const,
    plan: planCapacity(rate, MEASURED_COSTS['raw-sign']),
  }));
  expect(table).toBe(planLines(plans).join('\n'));
});
