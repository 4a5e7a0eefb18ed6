/** What a load is held against, slice by slice: the maths alone, the obvious server, and other systems. */
import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { programPath } from '@countersign/dev/stack/programs.js';
import type { LoadCaller, LoadJob } from './load-job.js';
import { costOf, runLoad } from './load.js';
import { nextMessageOf } from './program-messages.js';

export type Maths = 'ed25519' | 'hmac' | 'rsa2048' | 'rsa4096';

export interface ReferenceSlice {
  readonly perSecond: number;
  /** Microseconds of processor time of one. */
  readonly costUs: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

export interface Reference {
  readonly name: string;
  /** The same load as `job` offers, or, where nothing is asked, work for as long as one core has. */
  slice(job: LoadJob): Promise<ReferenceSlice>;
  close(): void;
}

export interface BareMaths extends Reference {
  slice(job: Pick<LoadJob, 'seconds'>): Promise<ReferenceSlice>;
  /** So many a second in all, each at its time, with sleep in between: what the maths takes where little is asked. */
  paced(seconds: number, perSecond: number): Promise<ReferenceSlice>;
}

/** The maths of a FROST signature, by which every cost is told: 1.0 b. */
export const BARE_SIGNING = 'bare signing';
export const LIMIT = 'limit';
export const BARE_SERVER = 'bare server';

/** Longer slices of it say no more. */
const MATHS_SECONDS = 1;

interface MathsRun {
  readonly signatures: number;
  readonly seconds: number;
  readonly cpuUs: number;
}

/** One process per core, so that rate and cost are those of a machine that does nothing else. */
export async function openBareMaths(name: string, maths: Maths): Promise<BareMaths> {
  const program = programPath('signer', 'bench-bare', 'bench-dist');
  const children = Array.from({ length: availableParallelism() }, () => fork(program, [maths]));
  await Promise.all(children.map((child) => nextMessageOf(child, name)));
  async function run(order: { readonly seconds: number; readonly everyMs?: number }) {
    const runs = await Promise.all(
      children.map(async (child) => {
        child.send(order);
        return nextMessageOf<MathsRun>(child, name);
      }),
    );
    return {
      perSecond: runs.reduce((sum, one) => sum + one.signatures / one.seconds, 0),
      costUs: runs.reduce((sum, one) => sum + one.cpuUs, 0) / runs.length,
    };
  }

  return {
    name,
    slice: ({ seconds }) => run({ seconds: Math.min(seconds, MATHS_SECONDS) }),
    paced: (seconds, perSecond) => run({ seconds, everyMs: (1_000 * children.length) / perSecond }),
    close: () => children.forEach(disconnect),
  };
}

/** Verify and sign in one Express process: no parties, no queue, nothing durable. */
export async function openBareServer(
  maths: Maths,
  callers: readonly LoadCaller[],
): Promise<Reference> {
  const child = fork(programPath('gateway', 'bench-server', 'bench-dist'));
  child.send({ maths, callers });
  const { port } = await nextMessageOf<{ port: number }>(child, BARE_SERVER);
  const groups = { server: { pids: [child.pid!] } };
  return {
    name: BARE_SERVER,
    async slice(job) {
      const load = await runLoad({ ...job, port }, { groups });
      const failed = load.answers - (load.statuses['200'] ?? 0);
      if (failed > 0) throw new Error(`the bare server failed ${failed} of ${load.answers}`);
      return sliceOf(load);
    },
    close: () => disconnect(child),
  };
}

type Load = Awaited<ReturnType<typeof runLoad>>;

export function sliceOf(load: Load): ReferenceSlice {
  const { p50Ms, p99Ms } = load;
  return { perSecond: load.answers / load.seconds, costUs: costOf(load), p50Ms, p99Ms };
}

function disconnect(child: ChildProcess): void {
  if (child.connected) child.disconnect();
}
