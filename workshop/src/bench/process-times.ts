/** Processor time and wakes of processes, from Linux' /proc; all zero elsewhere. */
import { readdir, readFile } from 'node:fs/promises';

/** Linux tells times in hundredths of a second, whatever the kernel's own tick. */
const TICK_US = 10_000;

export interface ProcessGroup {
  readonly pids: readonly number[];
  /** Count all that they started too, and what of it has ended. */
  readonly withChildren?: boolean;
}

/** By name. */
export type ProcessGroups = Readonly<Record<string, ProcessGroup>>;

export interface CpuReading {
  readonly groups: Readonly<Record<string, number>>;
  /** The main thread of each group that is one process without children. */
  readonly mainThreads: Readonly<Record<string, number>>;
  /** How often their threads that live now have waited for something and were woken. */
  readonly wakes: Readonly<Record<string, number>>;
  readonly machine: MachineTimes;
}

export interface MachineTimes {
  /** The whole machine's busy time. */
  readonly busy: number;
  /** What the host below this machine gave to others while something here wanted to run. */
  readonly stolen: number;
}

export interface CpuSpent {
  /** Microseconds of processor time by group. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** The part of it that main threads took, for groups of one process. */
  readonly mainThreadUs: Readonly<Record<string, number>>;
  /** How often threads of the group were woken. */
  readonly wakes: Readonly<Record<string, number>>;
  /** What everything else on the machine used, microseconds. */
  readonly othersUs: number;
  /** What the host gave to others while something here wanted to run, microseconds. */
  readonly stolenUs: number;
}

/** Microseconds since each process started. */
export async function readCpu(groups: ProcessGroups): Promise<CpuReading> {
  const named = Object.entries(groups);
  const single = named.filter(([, { pids, withChildren }]) => pids.length === 1 && !withChildren);
  const [all, mains, machine] = await Promise.all([
    Promise.all(named.map(async ([name, group]) => ({ name, ...(await readGroup(group)) }))),
    Promise.all(single.map(async ([name, { pids }]) => [name, await mainTime(pids[0]!)] as const)),
    machineTimes(),
  ]);
  return {
    groups: Object.fromEntries(all.map(({ name, time }) => [name, time])),
    mainThreads: Object.fromEntries(mains),
    wakes: Object.fromEntries(all.map(({ name, wakes }) => [name, wakes])),
    machine,
  };
}

export function spentBetween(before: CpuReading, after: CpuReading): CpuSpent {
  const cpuUs = differences(before.groups, after.groups);
  const ours = Object.values(cpuUs).reduce((sum, time) => sum + time, 0);
  return {
    cpuUs,
    mainThreadUs: differences(before.mainThreads, after.mainThreads),
    wakes: differences(before.wakes, after.wakes),
    othersUs: Math.max(after.machine.busy - before.machine.busy - ours, 0),
    stolenUs: after.machine.stolen - before.machine.stolen,
  };
}

function differences(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).map(([name, time]) => [name, time - (before[name] ?? 0)]),
  );
}

/** The process with this pid's parent, or undefined. */
export async function parentOf(pid: number): Promise<number | undefined> {
  return (await readStat(String(pid)))?.parent;
}

/** The first thread of a process has its id. */
async function mainTime(pid: number): Promise<number> {
  return (await readStat(`${pid}/task/${pid}`))?.own ?? 0;
}

async function readGroup({
  pids,
  withChildren = false,
}: ProcessGroup): Promise<{ readonly time: number; readonly wakes: number }> {
  const all = withChildren ? (await readdir('/proc').catch(() => [])).map(Number) : [...pids];
  const read = await Promise.all(all.filter((pid) => pid > 0).map((pid) => readStat(String(pid))));
  const stats = read.filter((stat) => stat !== undefined);
  const counted = withChildren ? descendantsOf(pids, stats) : stats;
  const wakes = await Promise.all(counted.map(({ pid }) => wakesOf(pid)));
  return {
    time: sumOf(counted.map(({ own, endedChildren }) => own + (withChildren ? endedChildren : 0))),
    wakes: sumOf(wakes),
  };
}

/** A thread that waits gives up its core of its own accord: proc(5) counts that for each thread. */
async function wakesOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const counts = threads.map(async (thread) => {
    const text = await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8').catch(() => '');
    return Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(text)?.[1] ?? 0);
  });
  return sumOf(await Promise.all(counts));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** The processes with these pids, and all that they started. */
function descendantsOf(pids: readonly number[], stats: readonly Stat[]): Stat[] {
  const known = new Set(pids);
  const found: Stat[] = [];
  let left = [...stats];
  for (;;) {
    const next = left.filter(({ pid, parent }) => known.has(pid) || known.has(parent));
    if (next.length === 0) return found;
    for (const { pid } of next) known.add(pid);
    found.push(...next);
    left = left.filter(({ pid }) => !known.has(pid));
  }
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** All threads, user and system. */
  readonly own: number;
  readonly endedChildren: number;
}

/** `task`: below /proc. */
async function readStat(task: string): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${task}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in parentheses may hold anything: count from its end. Field 3 of proc(5) comes first.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const field = (number: number) => fields[number - 3] ?? 0;
  return {
    pid: Number.parseInt(task, 10),
    parent: field(4),
    own: (field(14) + field(15)) * TICK_US,
    endedChildren: (field(16) + field(17)) * TICK_US,
  };
}

async function machineTimes(): Promise<MachineTimes> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = text
    .slice(0, text.indexOf('\n'))
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return {
    busy: (user + nice + system + irq + softirq) * TICK_US,
    stolen: stolen * TICK_US,
  };
}
