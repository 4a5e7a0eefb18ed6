/** What goes on inside the processes of a vault: they are asked by the probe that each was started with. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ProcessGroups } from './process-times.js';

/** Of a main thread. */
export interface InsideReading {
  readonly allocatedBytes: number;
  readonly collectingUs: number;
  /** How much later than due a timer fired. */
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

export function probeSocket(folder: string, pid: number): string {
  return `${folder}/${pid}.socket`;
}

/** By the process's name. */
export type Inside = Readonly<Record<string, InsideReading>>;

/** What a process is started with that is to be asked. `folder`: for sockets, short enough for their names. */
export function probeArguments(folder: string): string[] {
  const url = new URL('process-probe.js', import.meta.url);
  url.searchParams.set('folder', folder);
  return ['--import', url.href];
}

/** Since they were asked before, of those of the groups that have a probe: servers have none. */
export async function askInside(groups: ProcessGroups, folder: string): Promise<Inside> {
  const asked = Object.entries(groups).map(async ([name, { pids }]) => {
    const said = await text(connect(probeSocket(folder, pids[0]!))).catch(() => undefined);
    return said === undefined ? [] : [[name, JSON.parse(said) as InsideReading] as const];
  });
  return Object.fromEntries((await Promise.all(asked)).flat());
}

/** As if it had been one time: delays are those of the worst. */
export function mergeInside(parts: readonly Inside[]): Inside {
  const names = new Set(parts.flatMap((part) => Object.keys(part)));
  return Object.fromEntries(
    [...names].map((name) => [name, merged(parts.map((part) => part[name]))]),
  );
}

function merged(given: readonly (InsideReading | undefined)[]): InsideReading {
  const parts = given.filter((part) => part !== undefined);
  const sum = (of: (part: InsideReading) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  return {
    allocatedBytes: sum(({ allocatedBytes }) => allocatedBytes),
    collectingUs: sum(({ collectingUs }) => collectingUs),
    delayP99Ms: Math.max(...parts.map(({ delayP99Ms }) => delayP99Ms)),
    delayMaxMs: Math.max(...parts.map(({ delayMaxMs }) => delayMaxMs)),
  };
}
