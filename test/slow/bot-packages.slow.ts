/**
 * `npm run test:slow -- test/slow/bot-packages.slow.ts`: what `npm pack` and a built wheel have in them is installed in clean folders and used.
 * It needs the npm registry for the packages of others, and a Python (PYTHON names one) with cryptography and a setuptools that makes
 * wheels: 70.1 or later, or an older one with `wheel`.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { findPython } from '../support/python.ts';

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
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bot-packages-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

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
  const program = [
    "import { throughVault } from '@countersign/ccxt/through-vault.js';",
    "import { readdirSync } from 'node:fs';",
    "const names = readdirSync('node_modules/@countersign/ccxt');",
    "console.log(typeof throughVault, names.sort().join(' '));",
  ].join('\n');
  writeFileSync(join(clean, 'program.mjs'), program);
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: clean });
  expect(stdout).toBe('function README.md dist examples package.json\n');
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
  const program = [
    'import countersign.client, countersign.ccxt_exchange as hook',
    'print(hook.__file__)',
  ].join('\n');
  const { stdout } = await run(python, ['-c', program], { cwd: folder, env: { PYTHONPATH: site } });
  expect(stdout.trim()).toBe(join(site, 'countersign', 'ccxt_exchange.py'));
});
