/**
 * `npm run test:slow -- workshop/slow/bot-packages.slow.ts`: what `npm pack` and a built wheel have in them is installed in clean folders, and
 * runs the first program of its README there. It needs the npm registry for the packages of others, and a Python (PYTHON names one) with cryptography and a setuptools that makes
 * wheels: 70.1 or later, or an older one with `wheel`.
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { findPython } from '../../test/support/python.ts';
import {
  firstBlock,
  JS_README_SAYS,
  openReadmeDesk,
  PYTHON_README_SAYS,
  type ReadmeDesk,
} from '../../test/support/readme-programs.ts';

jest.setTimeout(300_000);

const run = promisify(execFile);
const WORKSPACES = [
  'shared/core',
  'shared/venues',
  'shared/api',
  'shared/custody',
  'client',
  'client/ccxt',
];

let folder: string;
let desk: ReadmeDesk;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bot-packages-'));
  desk = await openReadmeDesk();
});
afterAll(async () => {
  await desk.close();
  rmSync(folder, { recursive: true });
});

it('the npm packages', async () => {
  const packed = join(folder, 'packed');
  const clean = join(folder, 'clean');
  for (const made of [packed, clean]) mkdirSync(made);
  for (const workspace of WORKSPACES) {
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', packed], {
      cwd: workspace,
    });
  }
  const tarballs = readdirSync(packed).map((name) => join(packed, name));
  writeFileSync(join(clean, 'package.json'), '{"type":"module"}');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, ...tarballs], { cwd: clean });
  const installed = join(clean, 'node_modules/@countersign/ccxt');
  expect(readdirSync(installed).toSorted()).toEqual([
    'README.md',
    'dist',
    'examples',
    'package.json',
  ]);
  // the bot's own, which the packages do not bring
  symlinkSync(resolve('node_modules/ccxt'), join(clean, 'node_modules/ccxt'));
  const program = join(clean, 'program.mjs');
  writeFileSync(program, firstBlock(join(installed, 'README.md'), 'js'));
  const { folder: cwd, environment: env } = desk;
  const { stdout } = await run(process.execPath, [program], { cwd, env });
  expect(stdout).toBe(JS_README_SAYS);
});

it('the wheel', async () => {
  const python = findPython();
  if (python === undefined) throw new Error('this needs python3 with cryptography');
  const source = join(folder, 'python');
  cpSync(resolve('client/python'), source, { recursive: true });
  const wheels = join(folder, 'wheels');
  const build = ['-m', 'pip', 'wheel', '--no-deps', '--no-build-isolation', '-w', wheels, source];
  await run(python, build);
  const [wheel] = readdirSync(wheels);
  expect(wheel).toBe('countersign-0.1.0-py3-none-any.whl');
  const site = join(folder, 'site');
  const offline = ['--no-index', '--no-deps', '--target', site, join(wheels, wheel!)];
  await run(python, ['-m', 'pip', 'install', ...offline]);
  const { folder: cwd } = desk;
  const env = { ...desk.environment, PYTHONPATH: site };
  const place = 'import countersign.ccxt_exchange as hook; print(hook.__file__)';
  const imported = await run(python, ['-c', place], { cwd, env });
  expect(imported.stdout.trim()).toBe(join(site, 'countersign', 'ccxt_exchange.py'));
  const program = join(folder, 'program.py');
  writeFileSync(program, firstBlock('client/python/README.md', 'python'));
  const { stdout } = await run(python, [program], { cwd, env });
  expect(stdout).toBe(PYTHON_README_SAYS);
});
