import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WHEN_TOLD } from './run-program.js';

const RUN_PROGRAM = new URL('../../dist/process/run-program.js', import.meta.url).href;
/** Says what it loaded with and what it was started with. */
const PROGRAM = `
  import { runProgram } from '${RUN_PROGRAM}';
  process.send({ loaded: true });
  void runProgram('sample', process.env, async ({ SETTING }) => {
    process.send({ SETTING });
    process.disconnect();
  });
`;
/** Forks the program named in its argument, and waits for ever. */
const PARENT = `
  import { fork } from 'node:child_process';
  const child = fork(process.argv[2], ['${WHEN_TOLD}'], { stdio: 'inherit' });
  child.once('message', () => console.log(child.pid));
`;

let folder: string;
let program: string;
const messages: object[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-program-'));
  program = join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  writeFileSync(join(folder, 'parent.mjs'), PARENT);
});

afterAll(() => rmSync(folder, { recursive: true }));

function start(...args: string[]): ChildProcess {
  messages.length = 0;
  const env = { SETTING: 'own' };
  return fork(program, args, { env }).on(
    'message',
    (message: object) => void messages.push(message),
  );
}

describe('a program', () => {
  it('starts at once with the environment that it has', async () => {
    await once(start(), 'exit');
    expect(messages).toEqual([{ loaded: true }, { SETTING: 'own' }]);
  });

  it('that is to wait starts when it is told its environment', async () => {
    const child = start(WHEN_TOLD);
    await once(child, 'message');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(messages).toEqual([{ loaded: true }]);
    child.send({ SETTING: 'told' });
    await once(child, 'exit');
    expect(messages).toEqual([{ loaded: true }, { SETTING: 'told' }]);
  });

  it('that waits ends with whoever was to tell it', async () => {
    const parent = spawn(process.execPath, [join(folder, 'parent.mjs'), program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    parent.kill('SIGKILL');
    // the program has it for its standard output as well, as long as it lives
    await once(parent.stdout, 'close', { signal: AbortSignal.timeout(3_000) }).catch(() =>
      process.kill(Number(pid)),
    );
    expect(parent.stdout.closed).toBe(true);
  });
});
