/** docs/how-to/runbooks/README.md names every kind of alarm, and every rule for Prometheus with its severity. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ALARM_KINDS } from '@countersign/core/alarm-statement.js';
import { codesIn, tableRows } from '../support/page-tables.ts';

const PAGE = 'docs/how-to/runbooks/README.md';
const SEVERITIES = ['page', 'warn', 'info'];

const named = (column: string) =>
  tableRows(PAGE, column).map((row) => [codesIn(row[column]!)[0], row['severity']]);

it('each leads to its runbook', () => {
  const cells = ['kind', 'rule'].flatMap((column) =>
    tableRows(PAGE, column).map((row) => row[column]!),
  );
  const linked = cells.filter((cell) => {
    const [name] = codesIn(cell);
    return cell === `[\`${name}\`](${name}.md)`;
  });
  expect(linked).toEqual(cells);
});

describe('docs/how-to/runbooks/README.md', () => {
  it('has every kind of alarm, with a severity', () => {
    const kinds = named('kind');
    expect(kinds.map(([kind]) => kind!).toSorted()).toEqual([...ALARM_KINDS, 'unknown'].toSorted());
    expect(kinds.filter(([, severity]) => !SEVERITIES.includes(severity!))).toEqual([]);
  });

  it('has every rule of infra/monitoring/alerts.yml, with its severity', () => {
    const rules = readFileSync('infra/monitoring/alerts.yml', 'utf8').matchAll(
      /- alert: (\w+)\n[\s\S]*?severity: (\w+)/g,
    );
    expect(named('rule')).toEqual([...rules].map(([, rule, severity]) => [rule, severity]));
  });
});
