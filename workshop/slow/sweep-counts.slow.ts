/** `npm run test:slow -- workshop/slow/sweep-counts.slow.ts`: the whole sweep, row by row as sweep-counts.md has it (20 s of a core). */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { countedRows } from '../../test/support/sweep-tables.ts';

const run = promisify(execFile);

it('comes to the counts that are written down, and docs/reference/venue-coverage.md has their sum', async () => {
  const page = readFileSync('docs/reference/venue-coverage.md', 'utf8');
  const sweep = await run(process.execPath, ['workshop/dist/sweep/sweep.js']);
  const counted = countedRows(sweep.stdout, '| venue | requests |');
  const head = '| venue | requests | signed |';
  const documented = countedRows(readFileSync('workshop/slow/sweep-counts.md', 'utf8'), head);
  expect(counted.size).toBe(15);
  const told = [...counted].map(([name, numbers]) => {
    const [requests, signed, , , orders, class_, noSize = 0, size = 0, ...reasons] = numbers;
    return [name, [requests, signed, orders, class_, noSize + size, ...reasons]];
  });
  expect(told).toEqual([...documented]);
  const [, cases = ''] = /^(\d+) cases/.exec(sweep.stdout) ?? [];
  const [calls, requests, signed, orders] = [cases, ...documented.get('all')!].map((count) =>
    Number(count).toLocaleString('en'),
  );
  expect(page.replaceAll('\n', ' ')).toContain(
    `${calls} calls come to ${requests} requests that differ; ${signed} are signed, of which ${orders} are orders`,
  );
}, 300_000);
