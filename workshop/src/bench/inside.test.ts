import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { askInside, mergeInside, probeArguments, probeSocket } from './inside.js';

/**
 * Does what it is told: `[bytes to allocate, ms to hold the event loop]`. Delays are measured from one tick of the probe to
 * the next, and not before the first since it was asked: timers that are due later than a tick come after it.
 */
const PROGRAM = `process.on('message', ([bytes, ms]) => setTimeout(() => {
  for (let made = 0; made < bytes; made += 8_000) new Array(1_000).fill(made);
  for (const end = Date.now() + ms; Date.now() < end; );
  setTimeout(() => process.send('done'), 30);
}, 30));`;

const folder = mkdtempSync(join(tmpdir(), 'probe-'));
let child: ChildProcess | undefined;
afterAll(() => {
  child?.kill();
  rmSync(folder, { recursive: true });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(10);
}

it('a process tells how late its loop was and what it allocated since it was asked last', async () => {
  const program = join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  // the test runs from the sources, the probe from what was built of them
  const built = fileURLToPath(new URL('../../dist/bench/process-probe.js', import.meta.url));
  const execArgv = probeArguments(folder).map((one) =>
    one.startsWith('file:') ? `file://${built}${new URL(one).search}` : one,
  );
  child = fork(program, { execArgv });
  const pid = child.pid!;
  await until(() => existsSync(probeSocket(folder, pid)));
  const groups = { busy: { pids: [pid] }, server: { pids: [1] } };
  const work = async (bytes: number, ms: number) => {
    child!.send([bytes, ms]);
    await once(child!, 'message');
    return askInside(groups, folder);
  };
  await askInside(groups, folder);
  const { busy, server } = await work(64e6, 300);
  expect(server).toBeUndefined();
  expect(busy!.allocatedBytes).toBeGreaterThan(60e6);
  expect(busy!.delayMaxMs).toBeGreaterThan(250);
  const { busy: after } = await work(0, 0);
  expect(after!.allocatedBytes).toBeLessThan(10e6);
  expect(after!.delayMaxMs).toBeLessThan(busy!.delayMaxMs);
});

it('parts of a load come to their sum, and to the worst delay', () => {
  const reading = { allocatedBytes: 5, collectingUs: 7, delayP99Ms: 2, delayMaxMs: 9 };
  const other = { allocatedBytes: 1, collectingUs: 1, delayP99Ms: 3, delayMaxMs: 4 };
  expect(mergeInside([{ gateway: reading }, { gateway: other }])).toEqual({
    gateway: { allocatedBytes: 6, collectingUs: 8, delayP99Ms: 3, delayMaxMs: 9 },
  });
});
