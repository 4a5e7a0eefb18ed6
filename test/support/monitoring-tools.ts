import { spawnSync } from 'node:child_process';

/** Whether Prometheus and its tool can be started here: as Debian's package `prometheus` has them. */
export const hasPrometheus = ['prometheus', 'promtool'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);
