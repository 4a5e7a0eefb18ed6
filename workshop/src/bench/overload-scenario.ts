/** Twice as many requests as the vault can sign: what it still signs, and how long anybody waits. */
import { cpus } from 'node:os';
import type { OpenVault } from './bench-vault.js';
import { LOAD_GENERATOR, runLoad, type LoadMeasurement, type Offer } from './load.js';
import { WARM_UP } from './offered-load.js';
import type { Measured } from './report.js';
import { prepareTraffic } from './traffic.js';

const PEAK_CONNECTIONS = 256;
/** Room for all that is neither answered nor refused at a time. */
const OVERLOAD_CONNECTIONS = 1_024;

export async function measureOverload(open: OpenVault, seconds: number): Promise<Measured[]> {
  const traffic = await prepareTraffic(open, 'sign', 'overload');
  const load = (offer: Offer) => runLoad({ port: open.port, ...traffic, ...offer }, open);
  await load(WARM_UP);
  const before = await load({ connections: PEAK_CONNECTIONS, seconds });
  const rate = Math.round((2 * signed(before)) / before.seconds);
  const over = await load({ connections: OVERLOAD_CONNECTIONS, seconds, rate });
  // once more: what runs warms up on its way, and the machine is not the same from minute to minute
  const after = await load({ connections: PEAK_CONNECTIONS, seconds });
  const peaks = [before, after];
  const capacity = mean(peaks.map((peak) => signed(peak) / peak.seconds));
  const goodput = signed(over) / over.seconds;
  return [
    ...peaks.map((peak) => ({ name: `raw-sign, closed loop, c=${PEAK_CONNECTIONS}`, load: peak })),
    { name: 'raw-sign at twice capacity', load: over },
    {
      name: 'at twice capacity',
      figures: {
        peak_per_second: capacity,
        signed_per_second: goodput,
        signed_by_peak: goodput / capacity,
        signed_by_peak_without_generator: mean(
          peaks.map((peak) => workedRate(over) / workedRate(peak)),
        ),
        oldest_ms: over.maxMs,
        refused_early: over.statuses['504'] ?? 0,
        answered_later: over.statuses['202'] ?? 0,
      },
    },
  ];
}

/** Signatures by the second of processor time that the load generator left on every core. */
function workedRate(load: LoadMeasurement): number {
  const generatorS = (load.cpuUs[LOAD_GENERATOR] ?? 0) / 1e6;
  return signed(load) / (load.seconds * cpus().length - generatorS);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function signed({ statuses }: LoadMeasurement): number {
  return statuses['200'] ?? 0;
}
