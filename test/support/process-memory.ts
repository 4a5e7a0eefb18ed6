/** Looking for secrets in the memory of a running process. Linux alone. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { openFinder } from './find-any.ts';

export type Secrets = ReadonlyMap<string, Buffer>;

const PAGE_BYTES = 4_096;
/** What one read takes at most. */
const RUN_PAGES = 4_096;
/** Of a page's eight bytes in `pagemap` the highest: the page is in memory, or swapped out. */
const PRESENT_OR_SWAPPED = 0xc0;

/** The written memory of a process, run by run of pages: heap, buffers, stacks. A runtime reserves far more than it touches. */
export function* memoryOf(pid: number): Generator<Buffer> {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const pagemap = openSync(`/proc/${pid}/pagemap`, 'r');
  try {
    for (const line of maps) {
      const match = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
      if (match === null) continue;
      const [first, end] = [match[1]!, match[2]!].map((at) => Number(`0x${at}`) / PAGE_BYTES);
      yield* runsOf(pagemap, first!, end!).flatMap((run) => readRun(memory, run));
    }
  } finally {
    closeSync(pagemap);
    closeSync(memory);
  }
}

/** A page, and how many from it on are read together. */
type Run = readonly [page: number, count: number];

function runsOf(pagemap: number, first: number, end: number): Run[] {
  const runs: Run[] = [];
  for (let from = first; from < end; from += RUN_PAGES) {
    const entries = Buffer.alloc(Math.min(RUN_PAGES, end - from) * 8);
    const pages = readSync(pagemap, entries, 0, entries.length, from * 8) / 8;
    const isWritten = (page: number) => (entries[page * 8 + 7]! & PRESENT_OR_SWAPPED) !== 0;
    for (let page = 0; page < pages; page += 1) {
      if (!isWritten(page)) continue;
      const start = page;
      while (page < pages && isWritten(page)) page += 1;
      runs.push([from + start, page - start]);
    }
  }
  return runs;
}

function readRun(memory: number, [page, count]: Run): Buffer[] {
  const bytes = Buffer.allocUnsafe(count * PAGE_BYTES);
  try {
    const length = readSync(memory, bytes, 0, bytes.length, page * PAGE_BYTES);
    return [bytes.subarray(0, length)];
  } catch {
    return []; // not readable after all
  }
}

/** Names of the secrets that occur in a process's memory as bytes, hex or base64. Linux alone. */
export function sweepMemory(secrets: Secrets, regions: Iterable<Buffer>): string[] {
  const needles = [...secrets].flatMap(([name, secret]) =>
    [secret, Buffer.from(secret.toString('hex')), Buffer.from(base64Core(secret))].map(
      (needle) => [name, needle] as const,
    ),
  );
  const find = openFinder(needles);
  const found = new Set<string>();
  for (const region of regions) for (const name of find(region)) found.add(name);
  return [...found];
}

/** What base64 of the bytes has wherever they begin a blob. */
function base64Core(secret: Buffer): string {
  return secret.subarray(0, secret.length - (secret.length % 3)).toString('base64');
}
