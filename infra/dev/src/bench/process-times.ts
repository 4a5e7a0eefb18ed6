/** Processor time of processes, from Linux' /proc; all zero elsewhere. */
import { readdir, readFile } from 'node:fs/promises';

/** Linux tells times in hundredths of a second, whatever the kernel's own tick. */
const TICK_US = 10_000;

export interface ProcessGroup {
  readonly pids: readonly number[];
  /** Count their children too, those that ended included. */
  readonly withChildren?: boolean;
}

/** By name. */
export type ProcessGroups = Readonly<Record<string, ProcessGroup>>;

export interface CpuReading {
  readonly groups: Readonly<Record<string, number>>;
  /** The whole machine's busy time. */
  readonly machine: number;
}

export interface CpuSpent {
  /** Microseconds of processor time by group. */
  readonly cpuUs: Readonly<Record<string, number>>;
  /** What everything else on the machine used, microseconds. */
  readonly othersUs: number;
}

/** Microseconds since each process started. */
export async function readCpu(groups: ProcessGroups): Promise<CpuReading> {
  const entries = await Promise.all(
    Object.entries(groups).map(async ([name, group]) => [name, await timeOf(group)] as const),
  );
  return { groups: Object.fromEntries(entries), machine: await machineTime() };
}

export function spentBetween(before: CpuReading, after: CpuReading): CpuSpent {
  const cpuUs = Object.fromEntries(
    Object.entries(after.groups).map(([name, time]) => [name, time - (before.groups[name] ?? 0)]),
  );
  const ours = Object.values(cpuUs).reduce((sum, time) => sum + time, 0);
  return { cpuUs, othersUs: Math.max(after.machine - before.machine - ours, 0) };
}

/** The process with this pid's parent, or undefined. */
export async function parentOf(pid: number): Promise<number | undefined> {
  return (await readStat(pid))?.parent;
}

async function timeOf({ pids, withChildren = false }: ProcessGroup): Promise<number> {
  const wanted = new Set(pids);
  const all = withChildren ? (await readdir('/proc').catch(() => [])).map(Number) : [...pids];
  const stats = await Promise.all(all.filter((pid) => pid > 0).map(readStat));
  return stats.reduce((sum, stat) => {
    if (stat === undefined) return sum;
    if (wanted.has(stat.pid)) return sum + stat.own + (withChildren ? stat.endedChildren : 0);
    return withChildren && wanted.has(stat.parent) ? sum + stat.own : sum;
  }, 0);
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** All threads, user and system. */
  readonly own: number;
  readonly endedChildren: number;
}

async function readStat(pid: number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in parentheses may hold anything: count from its end. Field 3 of proc(5) comes first.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const field = (number: number) => fields[number - 3] ?? 0;
  return {
    pid,
    parent: field(4),
    own: (field(14) + field(15)) * TICK_US,
    endedChildren: (field(16) + field(17)) * TICK_US,
  };
}

async function machineTime(): Promise<number> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = text
    .slice(0, text.indexOf('\n'))
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) * TICK_US;
}
