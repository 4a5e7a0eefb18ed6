/** What an operator loads into Prometheus: its own tool reads it, and it collects what the rules go by. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { hasPrometheus } from '../support/monitoring-tools.ts';
import { runWhere } from '../support/run-where.ts';

const FOLDER = 'infra/monitoring';
const read = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8');

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
  });
});
