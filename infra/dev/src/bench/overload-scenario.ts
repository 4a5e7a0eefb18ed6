/** Twice as many requests as the vault can sign: what it still signs, and how long anybody waits. */
import { prepareTraffic, type OpenVault } from './bench-vault.js';
import type { LoadJob } from './load-job.js';
import { runLoad, type LoadMeasurement } from './load.js';
import type { Measured } from './measured.js';

const PEAK_CONNECTIONS = 256;
/** Room for all that is neither answered nor refused at a time. */
const OVERLOAD_CONNECTIONS = 1_024;
const WARM_UP = { connections: 64, seconds: 6 };

export async function measureOverload(open: OpenVault, seconds: number): Promise<Measured[]> {
  const traffic = await prepareTraffic(open, 'overload');
  const load = (options: Pick<LoadJob, 'connections' | 'seconds' | 'rate'>) =>
    runLoad({ port: open.port, kind: 'sign', ...traffic, ...options }, open);
  await load(WARM_UP);
  const peak = await load({ connections: PEAK_CONNECTIONS, seconds });
  const capacity = signed(peak) / peak.seconds;
  const rate = Math.round(2 * capacity);
  const over = await load({ connections: OVERLOAD_CONNECTIONS, seconds, rate });
  const goodput = signed(over) / over.seconds;
  return [
    { name: `raw-sign, closed loop, c=${PEAK_CONNECTIONS}`, load: peak },
    { name: 'raw-sign at twice capacity', load: over },
    {
      name: 'at twice capacity',
      figures: {
        peak_per_second: capacity,
        signed_per_second: goodput,
        signed_by_peak: goodput / capacity,
        oldest_ms: over.maxMs,
        refused_early: over.statuses['504'] ?? 0,
        answered_later: over.statuses['202'] ?? 0,
      },
    },
  ];
}

function signed({ statuses }: LoadMeasurement): number {
  return statuses['200'] ?? 0;
}
