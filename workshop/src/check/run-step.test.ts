import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runStep, runSteps, type Step } from './run-step.js';

const program = (name: string, text: string): Step => ({
  name,
  command: process.execPath,
  args: ['-e', text],
});

describe('a step', () => {
  test('is good when its program ends with 0, and keeps what it said', async () => {
    const text = 'process.stdout.write("one "); process.stderr.write("two")';
    const { isGood, output } = await runStep(program('says', text));
    expect(isGood).toBe(true);
    expect(output.split(' ').toSorted().join(' ')).toBe('one two');
  });

  test('is not good when its program fails, dies or cannot be started', async () => {
    expect((await runStep(program('fails', 'process.exit(3)'))).isGood).toBe(false);
    expect((await runStep(program('dies', 'process.kill(process.pid)'))).isGood).toBe(false);
    const missing = await runStep({ name: 'missing', command: './no-such-program', args: [] });
    expect(missing).toMatchObject({ isGood: false, output: expect.stringContaining('ENOENT') });
  });
});

describe('several steps', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-steps-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('are all run, and told in their order, however and whenever they end', async () => {
    const sign = JSON.stringify(join(folder, 'sign'));
    const steps = [
      // ends only once the second has, which needs a lane beside it
      program('first', `while (!require('fs').existsSync(${sign}));process.exit(1)`),
      program('second', `require('fs').writeFileSync(${sign}, '')`),
      program('third', 'process.exit(1)'),
    ];
    const told: string[] = [];
    const results = await runSteps(steps, 2, ({ name }) => told.push(name));
    expect(told).toEqual(['first', 'second', 'third']);
    expect(results.map(({ isGood }) => isGood)).toEqual([false, true, false]);
  });
});
