import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { TRAFFICS } from './measured-costs.js';
import { planLines, plansOf } from './plan-table.js';

const RATES = [1_000, 10_000, 100_000];

it('the page on scaling has the table that the command prints', () => {
  const page = readFileSync('docs/explanation/scaling.md', 'utf8');
  const [, table] = /<!-- capacity -->\n([^]*?)\n\n<!-- \/capacity -->/.exec(page) ?? [];
  const plans = plansOf(RATES, TRAFFICS);
  expect(table).toBe(planLines(plans).join('\n'));
});
