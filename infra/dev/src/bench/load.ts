/** Runs the load generator and says what each process spent meanwhile. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadMessage, LoadResult } from './load-job.js';
import { readCpu, spentBetween, type CpuSpent, type ProcessGroups } from './process-times.js';

const PROGRAM = fileURLToPath(new URL('load-generator.js', import.meta.url));

export const LOAD_GENERATOR = 'load generator';

export interface LoadMeasurement extends LoadResult, CpuSpent {}

export async function runLoad(job: LoadJob, groups: ProcessGroups): Promise<LoadMeasurement> {
  const child = fork(PROGRAM, [], { execArgv: [] });
  try {
    const all = { ...groups, [LOAD_GENERATOR]: { pids: [child.pid!] } };
    const ready = nextMessage(child, 'ready');
    child.send(job);
    await ready;
    const before = await readCpu(all);
    const done = nextMessage(child, 'done');
    child.send('go');
    const { result } = (await done) as Extract<LoadMessage, { event: 'done' }>;
    return { ...result, ...spentBetween(before, await readCpu(all)) };
  } finally {
    child.kill();
  }
}

async function nextMessage(
  child: ReturnType<typeof fork>,
  event: LoadMessage['event'],
): Promise<LoadMessage> {
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`the load generator ended (${String(code)})`);
  });
  died.catch(() => undefined);
  const [message] = (await Promise.race([once(child, 'message'), died])) as [LoadMessage];
  if (message.event !== event) throw new Error(`the load generator said ${message.event}`);
  return message;
}
