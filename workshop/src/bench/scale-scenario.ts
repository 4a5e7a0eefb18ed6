/** How far a vault grows with more gateways and replicas: a model, fed with what this machine's own vault was measured to take. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { programPath } from '@countersign/dev/stack/programs.js';
import { prepareTraffic, type OpenVault } from './bench-vault.js';
import { LOAD_GENERATOR, runLoad, type LoadMeasurement } from './load.js';
import type { LoadJob } from './load-job.js';
import type { Measured } from './measured.js';
import type { Plan } from './offered-load.js';

const runFile = promisify(execFile);

const CONNECTIONS = 256;
const WARM_UP_S = 6;
const COMMITS = 200;

/** A row of `gateway/bench/bench-scale.ts`. */
interface ScaleRow {
  readonly gateways: number;
  readonly replicas: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly meanBatch: number;
  readonly utilisation: readonly (readonly [string, number])[];
}

export async function measureScale(open: OpenVault, { seconds }: Plan): Promise<Measured[]> {
  const traffic = await prepareTraffic(open, 'scale');
  const connections = CONNECTIONS;
  const job: LoadJob = { port: open.port, kind: 'sign', ...traffic, connections, seconds };
  await runLoad({ ...job, seconds: WARM_UP_S }, open);
  const times = timesOf(await runLoad(job, open), await commitMs(open));
  const program = programPath('gateway', 'bench-scale', 'bench-dist');
  const { stdout } = await runFile(process.execPath, [program, JSON.stringify(times)]);
  const rows = JSON.parse(stdout) as ScaleRow[];
  return [{ name: 'model: ms of one request', figures: times }, ...rows.map(measuredOf)];
}

/** ms of processor time of one request; `flush`: ms. */
function timesOf({ cpuUs, mainThreadUs, statuses }: LoadMeasurement, flush: number) {
  const signed = statuses['200'] ?? 0;
  const sum = (times: Readonly<Record<string, number>>, names: (name: string) => boolean) =>
    Object.entries(times).reduce((total, [name, us]) => total + (names(name) ? us : 0), 0) /
    signed /
    1_000;
  const isParty = (name: string) => name.startsWith('party');
  const is = (wanted: string) => (name: string) => name === wanted;
  if (sum(cpuUs, (name) => name !== LOAD_GENERATOR) === 0) throw new Error('no processor times');
  return {
    gatewayMain: sum(mainThreadUs, is('gateway')),
    gatewayOther: sum(cpuUs, is('gateway')) - sum(mainThreadUs, is('gateway')),
    partyMain: sum(mainThreadUs, isParty),
    partyThreads: sum(cpuUs, isParty) - sum(mainThreadUs, isParty),
    redis: sum(cpuUs, is('redis')),
    postgres: sum(cpuUs, is('postgres')),
    flush,
  };
}

/** Of a transaction that has to be on the disk, one after the other; the middle one, ms. */
async function commitMs({ vault }: OpenVault): Promise<number> {
  const database = new pg.Client({ connectionString: vault.roleUrls.gateway });
  await database.connect();
  try {
    const took: number[] = [];
    for (let count = 0; count < COMMITS; count++) {
      const begunAt = performance.now();
      await database.query("SELECT pg_logical_emit_message(true, 'bench', 'a commit')");
      took.push(performance.now() - begunAt);
    }
    return took.toSorted((a, b) => a - b)[COMMITS >> 1]!;
  } finally {
    await database.end();
  }
}

/** The three busiest stations are named. */
function measuredOf(row: ScaleRow): Measured {
  const { gateways, replicas, perSecond, p50Ms, p99Ms, meanBatch } = row;
  const busy = row.utilisation.slice(0, 3).map(([kind, share]) => [`busy: ${kind}`, share]);
  return {
    name: `model: ${gateways} gateways, ${replicas} replicas of each party`,
    figures: {
      signatures_per_second: perSecond,
      p50_ms: p50Ms,
      p99_ms: p99Ms,
      mean_batch: meanBatch,
      ...(Object.fromEntries(busy) as Record<string, number>),
    },
  };
}
