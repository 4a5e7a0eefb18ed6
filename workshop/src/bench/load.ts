/** Runs the load generator and says what each process spent meanwhile, and what the servers did. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { askInside, type Inside } from './inside.js';
import type { LoadJob, LoadMessage, LoadResult } from './load-job.js';
import { percentilesOf, type Percentiles } from './percentiles.js';
import { nextMessageOf } from './program-messages.js';
import { readCpu, spentBetween, type CpuSpent, type ProcessGroups } from './process-times.js';
import { workBetween, type ServerWork, type WorkReader } from './server-work.js';

const PROGRAM = fileURLToPath(new URL('load-generator.js', import.meta.url));

export const LOAD_GENERATOR = 'load generator';

/** What a load is measured by. */
export interface Watched {
  readonly groups: ProcessGroups;
  /** Absent where the servers are not known. */
  readonly servers?: WorkReader | undefined;
  /** Where its processes tell what goes on inside them; absent where they do not. */
  readonly insideFolder?: string | undefined;
}

export interface LoadMeasurement extends LoadResult, CpuSpent, Percentiles {
  readonly work?: ServerWork | undefined;
  readonly inside?: Inside | undefined;
}

/** `onGo`: when its requests are signed and the first of them leave. */
export async function runLoad(
  job: LoadJob,
  { groups, servers, insideFolder }: Watched,
  onGo: () => void = () => undefined,
): Promise<LoadMeasurement> {
  const lookInside = async () =>
    insideFolder === undefined ? undefined : askInside(groups, insideFolder);
  const child = fork(PROGRAM, [], { execArgv: [] });
  try {
    const all = { ...groups, [LOAD_GENERATOR]: { pids: [child.pid!] } };
    const ready = nextMessage(child, 'ready');
    child.send(job);
    await ready;
    const workBefore = await servers?.read();
    await lookInside();
    const before = await readCpu(all);
    const done = nextMessage(child, 'done');
    child.send('go');
    onGo();
    const { result } = (await done) as Extract<LoadMessage, { event: 'done' }>;
    const spent = spentBetween(before, await readCpu(all));
    const inside = await lookInside();
    const workAfter = await servers?.read();
    const work =
      workBefore === undefined || workAfter === undefined
        ? undefined
        : workBetween(workBefore, workAfter);
    return { ...result, ...percentilesOf(result.latenciesMs), ...spent, work, inside };
  } finally {
    child.kill();
  }
}

/** Microseconds of processor time that a request costs what answers it. */
export function costOf({ cpuUs, answers }: Pick<LoadMeasurement, 'cpuUs' | 'answers'>): number {
  const all = Object.entries(cpuUs).filter(([name]) => name !== LOAD_GENERATOR);
  return all.reduce((sum, [, us]) => sum + us, 0) / answers;
}

async function nextMessage(
  child: ReturnType<typeof fork>,
  event: LoadMessage['event'],
): Promise<LoadMessage> {
  const message = await nextMessageOf<LoadMessage>(child, LOAD_GENERATOR);
  if (message.event !== event) throw new Error(`the load generator said ${message.event}`);
  return message;
}
