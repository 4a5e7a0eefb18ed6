/** Looking for secrets in the memory of a running process. Linux alone. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { openFinder } from './find-any.ts';

export type Secrets = ReadonlyMap<string, Buffer>;

/** The readable memory of a process, region by region: heap, buffers, stacks. */
export function* memoryOf(pid: number): Generator<Buffer> {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const line of maps) {
      const match = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
      if (match === null) continue;
      const [start, end] = [Number(`0x${match[1]}`), Number(`0x${match[2]}`)];
      if (end - start > 2 ** 30) continue; // reserved address space, not memory
      const region = Buffer.allocUnsafe(end - start);
      try {
        const length = readSync(memory, region, 0, region.length, start);
        yield region.subarray(0, length);
      } catch {
        // not readable after all
      }
    }
  } finally {
    closeSync(memory);
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
