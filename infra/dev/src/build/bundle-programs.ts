/**
 * Bundles each program of a vault into a few files beside its build (`<workspace>/bundle/`). A process that looks for
 * a thousand modules one by one spends a second of processor time on that alone, and a vault has four of them.
 *
 * What is bundled is what `tsc` built, unminified, with source maps; stays apart: what finds files of its own by its
 * place (native code, thread files, pages). A program is one file of CommonJS with V8's code of it in a folder beside it; `main.js`
 * starts it. What starts a vault (`npm start`) is bundled likewise, for `infra/launch.mjs` to run. With `--if-stale`, only
 * where something is newer than its bundle.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundle, ROOT } from './bundle.js';
import { PROGRAMS, STARTER, isStale } from './stale-bundles.js';

/** Each starts with `main`. */
const WORKSPACES = ['gateway', 'signer', 'notifier', 'infra/prices'];

/** As it lies under `dist/` of the runtime. */
const START = 'shared/runtime/dist/process/start-bundle.js';

/** What is started beside a program, by workspace, as it lies under `dist/`: threads lie where their program looks. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  signer: [
    'secrets/backup/backup',
    'secrets/create-keys',
    'secrets/rotation/rotate',
    'recovery/remember',
    'secrets/succession/confirm-successor',
    'secrets/signing-thread/signing-thread',
    'secrets/rsa-generation/generation-thread',
  ],
};

/** What a program says that lacks its configuration, and one that is only loaded. */
const NOT_CONFIGURED = 2;
const LOADED = 0;

async function bundleWorkspace(workspace: string): Promise<void> {
  const folder = join(ROOT, workspace);
  const built = (name: string) => join(folder, 'dist', `${name}.js`);
  const output = join(folder, 'bundle');
  rmSync(output, { recursive: true, force: true });
  const beside = (BESIDE[workspace] ?? []).map((name) => [name, built(name)]);
  await bundle({ main: START, ...Object.fromEntries(beside) }, { dir: output, format: 'esm' });
  const program = join(output, 'program.cjs');
  await bundleProgram(built('main'), program);
  loadOnce(program, NOT_CONFIGURED);
}

async function bundleStarter(): Promise<void> {
  const program = join(ROOT, STARTER.written);
  rmSync(dirname(program), { recursive: true, force: true });
  const starter = join(ROOT, 'infra/dev/dist/start/start.js');
  await bundleProgram(starter, program);
  loadOnce(program, LOADED);
}

function bundleProgram(from: string, to: string): Promise<void> {
  return bundle({ program: from }, { file: to, format: 'cjs', codeSplitting: false, strict: true });
}

/**
 * In an environment that says nothing a program tells that it lacks its configuration and ends; the starter does nothing until
 * it is called. Node keeps what V8 has made of it by then. Throws, and leaves no bundle, where it cannot even be loaded.
 */
function loadOnce(program: string, expected: number): void {
  const folder = dirname(program);
  const { status, stderr } = spawnSync(process.execPath, [program], {
    env: { NODE_COMPILE_CACHE: join(folder, 'code-cache') },
    encoding: 'utf8',
  });
  if (status === expected) return;
  rmSync(folder, { recursive: true });
  throw new Error(`${program} does not load:\n${stderr}`);
}

const isForced = !process.argv.includes('--if-stale');
if (isForced || isStale(ROOT, PROGRAMS)) {
  for (const workspace of WORKSPACES) await bundleWorkspace(workspace);
}
if (isForced || isStale(ROOT, STARTER)) await bundleStarter();
