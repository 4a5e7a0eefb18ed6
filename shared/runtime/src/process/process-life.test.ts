import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';

// Signals and exits are those of a process of its own, which runs built code.
const BUILT = new URL('../../dist/process/process-life.js', import.meta.url).href;

const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL'); // one that did not end would keep the run waiting
  running.clear();
});

/** How a process ends that is told to stop, once it is up, and has these steps for it. */
async function endOf(
  steps: string,
  stopWithinMs: number,
  tellToStop = (child: ChildProcess): unknown => child.kill('SIGTERM'),
  beforeItListens = '',
) {
  const program = `
    import { openProcessLife } from '${BUILT}';
    ${beforeItListens};
    const say = (entry) => console.log(entry.event);
    const life = openProcessLife({ info: say, warn: say, error: say, fatal: say }, ${stopWithinMs});
    for (const step of [${steps}]) life.onStop(step);
    setInterval(() => undefined, 1_000);
    console.log('up');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  running.add(child);
  const said: string[] = [];
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said.push(...text.trim().split('\n'));
    if (text.includes('up')) tellToStop(child);
  });
  const [[code]] = (await Promise.all([once(child, 'exit'), once(child.stdout!, 'close')])) as [
    [number | null],
    unknown,
  ];
  return { code, said };
}

describe('a process that is told to stop', () => {
  it('does its steps, the last one first, and ends with 0 though one fails', async () => {
    const steps = `() => console.log('first'), () => { throw new Error('x') }, async () => console.log('last')`;
    expect(await endOf(steps, 10_000)).toEqual({
      code: 0,
      said: ['up', 'stopping', 'last', 'stop_step_failed', 'first'],
    });
  });

  it('does not wait for ever for a step that hangs', async () => {
    const steps = `() => console.log('never'), () => new Promise(() => undefined)`;
    expect(await endOf(steps, 100)).toEqual({ code: 1, said: ['up', 'stopping', 'stop_timeout'] });
  });
});

describe('a process whose starter is gone', () => {
  const steps = `() => console.log('step')`;

  it('stops as if it were told to', async () => {
    expect(await endOf(steps, 10_000, (child) => child.disconnect())).toEqual({
      code: 0,
      said: ['up', 'stopping', 'step'],
    });
  });

  it('stops when that happened before it could listen', async () => {
    const hasGone = `await new Promise((done) => process.once('disconnect', done).disconnect())`;
    expect(await endOf(steps, 10_000, () => undefined, hasGone)).toEqual({
      code: 0,
      said: ['stopping'],
    });
  });
});
