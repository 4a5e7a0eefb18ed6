/** What an operator loads into Prometheus: its own tool reads it, and it collects what the rules go by. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { hasPrometheus } from '../support/monitoring-tools.ts';
import { runWhere } from '../support/run-where.ts';

const FOLDER = 'infra/monitoring';
const read = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8');

describe('infra/monitoring/alerts.yml', () => {
  const namesIn = (text: string) => [...new Set(text.match(/\bCountersign[A-Z]\w+/g))].toSorted();

  it('has no rule that is tried nowhere: on series, or in a running vault', () => {
    const slow = readFileSync('workshop/slow/alerts.slow.ts', 'utf8');
    const tried = namesIn(read('alerts.tests.yml') + slow.match(/expectFiring\('\w+/g)!.join(' '));
    const rules = [...read('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    expect(rules.filter((name) => !tried.includes(name))).toEqual([]);
  });
});

describe('infra/monitoring/prometheus.yml', () => {
  it('has each job that rules and dashboard name', () => {
    const jobs = [...read('prometheus.yml').matchAll(/job_name: (\S+)/g)].map(([, job]) => job);
    expect(jobs).toEqual(
      ['gateway', 'signer', 'notifier', 'prices'].map((name) => `countersign-${name}`),
    );
    const named = (text: string) => text.match(/\bcountersign-[a-z]+\b/g) ?? [];
    const used = [...named(read('alerts.yml')), ...named(read('grafana-dashboard.json'))];
    const unknown = used.filter((job) => !jobs.includes(job));
    expect(unknown).toEqual([]);
  });

  runWhere(
    describe,
    hasPrometheus,
    'needs prometheus and promtool',
  )('promtool', () => {
    it.each([
      ['config', 'prometheus.yml'],
      ['rules', 'alerts.yml'],
    ])('check %s takes %s', (kind, file) => {
      const args = ['check', kind, `${FOLDER}/${file}`];
      const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
      expect(`${status} ${stdout}${stderr}`).toMatch(/^0 /);
      expect(stdout).toContain('SUCCESS');
    });

    it('test rules: each fires for its reason, not before its time, and names its page', () => {
      const args = ['test', 'rules', 'alerts.tests.yml'];
      const { status, stdout, stderr } = spawnSync('promtool', args, {
        cwd: FOLDER,
        encoding: 'utf8',
      });
      expect(`${status} ${stdout}${stderr}`).toMatch(/^0 /);
    });
  });
});
