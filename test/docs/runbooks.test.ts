/** Who is called at night finds a page: each alarm and each alert has one, in one form, and none is left over. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ALARM_ADVICE } from '../../gateway/src/watch/alarm-advice.ts';

const FOLDER = 'docs/how-to/runbooks';
const HEADINGS = ['Meaning', 'What is at risk', 'First command', 'When to wake whom'];
/** Somebody reads it who was asleep a minute ago. */
const MOST_WORDS = 150;
/** Where the pages can be read stands before the path, and is the operator's to say. */
const URL_OF_PAGE = /^\{\{ \$externalLabels\.runbook_base \}\}(docs\/how-to\/runbooks\/\w+\.md)$/;

interface Alert {
  readonly name: string;
  readonly text: string;
}

const alerts: Alert[] = readFileSync('infra/monitoring/alerts.yml', 'utf8')
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)![0], text }));
/** Those that a process can raise, and the word for those of another release. */
const kinds = Object.keys(ALARM_ADVICE);
const pages = readdirSync(FOLDER).filter((page) => page !== 'README.md');

test('alerts and alarms are found, and no alert twice', () => {
  expect(kinds).toContain('party_misbehaved');
  expect(alerts.length).toBeGreaterThan(15);
  expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
});

test('every kind of alarm has its runbook', () => {
  expect(kinds.filter((kind) => !pages.includes(`${kind}.md`))).toEqual([]);
});

test('every alert has its runbook', () => {
  expect(alerts.filter(({ name }) => !pages.includes(`${name}.md`))).toEqual([]);
});

test('every runbook belongs to an alarm or an alert', () => {
  const names = [...kinds, ...alerts.map(({ name }) => name)];
  expect(pages.filter((page) => !names.includes(page.replace(/\.md$/, '')))).toEqual([]);
});

test.each(alerts)('$name names its runbook, which is there', ({ name, text }) => {
  const urls = [...text.matchAll(/^ {10}runbook_url: '(.*)'$/gm)].map(([, url]) => url!);
  expect(urls).toEqual([expect.stringMatching(URL_OF_PAGE)]);
  const [, path] = URL_OF_PAGE.exec(urls[0]!)!;
  expect(path).toBe(`${FOLDER}/${name}.md`);
  expect(existsSync(path!)).toBe(true);
});

describe.each(pages)('%s', (page) => {
  const text = readFileSync(`${FOLDER}/${page}`, 'utf8');

  test('has the four headings, in their order, and something under each', () => {
    const [title, ...parts] = text.split(/^## /m);
    expect(title).toMatch(new RegExp(`^# ${page.replace(/\.md$/, '')}\n`));
    expect(parts.map((part) => part.split('\n', 1)[0])).toEqual(HEADINGS);
    expect(parts.filter((part) => part.split('\n').slice(1).join('').trim() === '')).toEqual([]);
  });

  test('is short, and its first command is one', () => {
    expect(text.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(MOST_WORDS);
    const [, command] = /^## First command\n\n```sh\n([\s\S]*?)\n```$/m.exec(text) ?? [];
    expect(command).toMatch(/^(curl|psql) /);
  });

  test('is listed where an operator looks it up', () => {
    expect(readFileSync(`${FOLDER}/README.md`, 'utf8')).toContain(`](${page})`);
  });
});
