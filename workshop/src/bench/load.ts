/** Runs the load generator and says what each process spent meanwhile, and what the servers did. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PeerRequest } from './peer-endpoint.js';
import { percentilesOf, type Percentiles } from './percentiles.js';
import { nextMessageOf } from './program-messages.js';
import { readCpu, spentBetween, type CpuSpent, type ProcessGroups } from './process-times.js';
import { workBetween, type ServerWork, type WorkReader } from './server-work.js';

const PROGRAM = fileURLToPath(new URL('load-generator.js', import.meta.url));

export const LOAD_GENERATOR = 'load generator';

export interface LoadCaller {
  readonly apiKey: string;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
}

/** What is asked for. */
export interface Traffic {
  /** Each request a new signed one: raw-sign of a wallet, of a key, or an order for a key to sign. */
  readonly kind: 'sign' | 'key' | 'venue';
  readonly callers: readonly LoadCaller[];
  /** Used in turn. */
  readonly targets: readonly string[];
  /** Signatures in one request, one when absent; more: `targets` take batches. */
  readonly itemsEach?: number;
}

/** How it is asked for. */
export interface Offer {
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, whatever comes back; absent: each connection asks again once it is answered. */
  readonly rate?: number | undefined;
}

export interface LoadJob extends Traffic, Offer {
  /** This host itself by default. */
  readonly host?: string;
  readonly port: number;
  /** Asked instead of `targets`. */
  readonly peer?: PeerRequest;
}

export interface LoadResult {
  /** Answered requests; signatures where each asks for several. */
  readonly answers: number;
  readonly seconds: number;
  /** One for each request, unanswered ones too; at a given rate from the time that it was due. */
  readonly latenciesMs: readonly number[];
  /** Requests by status; 0: the connection broke; `unanswered`; 207: an item of a batch was not signed. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** What a load is measured by. */
export interface Watched {
  readonly groups: ProcessGroups;
  /** Absent where the servers are not known. */
  readonly servers?: WorkReader | undefined;
}

export interface LoadMeasurement extends LoadResult, CpuSpent, Percentiles {
  readonly work?: ServerWork | undefined;
}

/** `onGo`: when its requests are signed and the first of them leave. */
export async function runLoad(
  job: LoadJob,
  { groups, servers }: Watched,
  onGo: () => void = () => undefined,
): Promise<LoadMeasurement> {
  const child = fork(PROGRAM, [], { execArgv: [] });
  try {
    const all = { ...groups, [LOAD_GENERATOR]: { pids: [child.pid!] } };
    const ready = nextMessageOf(child, LOAD_GENERATOR);
    child.send(job);
    await ready;
    const workBefore = await servers?.read();
    const before = await readCpu(all);
    const done = nextMessageOf<LoadResult>(child, LOAD_GENERATOR);
    child.send('go');
    onGo();
    const result = await done;
    const spent = spentBetween(before, await readCpu(all));
    const workAfter = await servers?.read();
    const work = workBefore && workAfter && workBetween(workBefore, workAfter);
    return { ...result, ...percentilesOf(result.latenciesMs), ...spent, work };
  } finally {
    child.kill();
  }
}

/** Microseconds of processor time that a request costs what answers it. */
export function costOf({ cpuUs, answers }: Pick<LoadMeasurement, 'cpuUs' | 'answers'>): number {
  const all = Object.entries(cpuUs).filter(([name]) => name !== LOAD_GENERATOR);
  return all.reduce((sum, [, us]) => sum + us, 0) / answers;
}
