/**
 * `node bench-scale.js TIMES`: what a vault of these times (JSON of `MeasuredTimes`) comes to with ever more gateways and
 * replicas; the rows as JSON.
 */
import { modelVault, type MeasuredTimes, type VaultSize } from './scale-model.js';

/** Gateways, and replicas of each party. */
const SIZES = [1, 2, 4, 8, 16, 32];
const SIGNING_THREADS = 2;
const POSTGRES_CORES = 16;

const times = JSON.parse(process.argv[2] ?? '') as MeasuredTimes;
const rows = SIZES.map((count) => {
  const size: VaultSize = {
    gateways: count,
    replicas: Math.ceil(count / 2),
    threads: SIGNING_THREADS,
    postgresCores: POSTGRES_CORES,
  };
  return { ...size, ...modelVault(times, size) };
});
process.stdout.write(`${JSON.stringify(rows)}\n`);
