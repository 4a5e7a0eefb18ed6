/**
 * What a vault needs for a rate of signatures, from what one signature costs. A pure calculation: it knows no more than the costs
 * that it is given, and takes each tier to grow in proportion to the rate.
 */

/** Of one signature: µs of processor time, bytes of write-ahead log. Measured by `npm run bench`. */
export interface SignatureCost {
  readonly gateway: ProcessCost;
  /** Of one party of three, on average: two of them sign each request. */
  readonly party: ProcessCost;
  /** All on one core: Redis executes commands one after the other. */
  readonly redis: number;
  /** Spread over as many cores as PostgreSQL has connections at work. */
  readonly postgres: number;
  readonly walBytes: number;
}

/** µs. One process works on one core with its main thread, and with its other threads on others. */
export interface ProcessCost {
  readonly all: number;
  readonly mainThread: number;
}

export interface CapacityPlan {
  readonly gateways: Tier;
  /** Replicas of each of the three parties. */
  readonly replicas: Tier;
  readonly redisCores: number;
  readonly postgresCores: number;
  /** Megabytes (10^6 bytes) a second. */
  readonly walMegabytes: number;
  /** Vaults that share nothing. More than one where a part that cannot be multiplied is full. */
  readonly cells: number;
  /** What is full first. */
  readonly bottleneck: 'redis' | 'write-ahead log';
}

/** Of all cells together. */
export interface Tier {
  readonly processes: number;
  readonly cores: number;
}

/** Part of a core, or of a disk, that is planned to be used: the rest is for peaks, restarts and the loss of a host. */
const PLANNED_USE = 0.6;
/** What one disk is taken to write in order, with each commit waited for. A host's own figure: `pg_test_fsync`, `fio`. */
const WAL_MEGABYTES_OF_A_DISK = 200;

const MICROSECONDS = 1_000_000;

/** `rate`: signatures a second, above 0. */
export function planCapacity(rate: number, cost: SignatureCost): CapacityPlan {
  const cores = (microseconds: number) => (rate * microseconds) / MICROSECONDS / PLANNED_USE;
  const walMegabytes = (rate * cost.walBytes) / 1_000_000;
  const redisCores = cores(cost.redis);
  const disks = walMegabytes / WAL_MEGABYTES_OF_A_DISK / PLANNED_USE;
  const tier = ({ all, mainThread }: ProcessCost): Tier => ({
    processes: Math.ceil(cores(mainThread)),
    cores: Math.ceil(cores(all)),
  });
  return {
    gateways: tier(cost.gateway),
    replicas: tier(cost.party),
    redisCores,
    postgresCores: cores(cost.postgres),
    walMegabytes,
    cells: Math.ceil(Math.max(redisCores, disks)),
    bottleneck: redisCores >= disks ? 'redis' : 'write-ahead log',
  };
}
