/**
 * Bundles each program of a vault into a few files beside its build (`<workspace>/bundle/`). A process that looks for
 * a thousand modules one by one spends a second of processor time on that alone, and a vault has four of them.
 *
 * What is bundled is what `tsc` built, unminified, with source maps; stays apart: what finds files of its own by its
 * place (native code, thread files, pages). A program is one file of CommonJS, which is what V8's code cache is for; `main.js`
 * starts it. What starts a vault (`npm start`) is bundled likewise, for `infra/launch.mjs` to run. With `--if-stale`, only
 * where something is newer than its bundle.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type OutputOptions, type Plugin, type RolldownLog } from 'rolldown';
import { unclonedSpreads } from './spread-literals.js';
import { PROGRAMS, STARTER, isStale } from './stale-bundles.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Each starts with `main`. */
const WORKSPACES = ['gateway', 'signer', 'notifier', 'infra/prices'];

/** As it lies under `dist/` of the runtime. */
const START = 'shared/runtime/dist/process/start-bundle.js';

/** What is started beside a program, by workspace, as it lies under `dist/`: threads lie where their program looks. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  signer: [
    'secrets/create-keys',
    'secrets/signing-thread/signing-thread',
    'secrets/rsa-generation/generation-thread',
  ],
};

/** Of what follows the ledger, by name: it looks for it beside itself, which is the bundle's own folder. */
const FOLLOWERS = ['gateway', 'signer', 'notifier'];
const FOLLOWER_THREADS = { 'word-thread': 'shared/runtime/dist/ledger/word-thread.js' };

const APART = ['libsodium-wrappers-sumo', 'swagger-ui-dist'];

/** Node 20 has no `navigator`: the PostgreSQL client, looking for Cloudflare's, would load all of `fetch` instead. */
const AS_NODE_22 = { navigator: '{ "userAgent": "Node.js" }' };

/**
 * CommonJS that threads need too, and that a start seldom needs. An `import` would have Node read all of it for names: half
 * of a thread's start; and one that runs later finds no loader in a program that came from V8's code cache.
 */
const REQUIRED = ['piscina', 'sodium-native', 'typeorm'];
const REQUIRED_FROM = '\0required:';
const REQUIRED_APART: Plugin = {
  name: 'required-apart',
  resolveId(id, from) {
    if (!REQUIRED.includes(id)) return null;
    return from?.startsWith(REQUIRED_FROM) === true ? { id, external: true } : REQUIRED_FROM + id;
  },
  load: (id) =>
    id.startsWith(REQUIRED_FROM)
      ? `module.exports = require('${id.slice(REQUIRED_FROM.length)}');`
      : null,
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
  const modules = {
    main: START,
    ...Object.fromEntries(beside),
    ...(FOLLOWERS.includes(workspace) && FOLLOWER_THREADS),
  };
  await bundle(modules, { dir: output, format: 'esm' });
  const program = join(output, 'program.cjs');
  await bundleProgram(built('main'), program);
  saveCodeCache(program, NOT_CONFIGURED);
}

async function bundleStarter(): Promise<void> {
  const program = join(ROOT, STARTER.written.replace(/\.cache$/, ''));
  rmSync(dirname(program), { recursive: true, force: true });
  const starter = join(ROOT, 'infra/dev/dist/start/start.js');
  await bundleProgram(starter, program);
  saveCodeCache(program, LOADED);
}

function bundleProgram(from: string, to: string): Promise<void> {
  return bundle({ program: from }, { file: to, format: 'cjs', codeSplitting: false });
}

async function bundle(input: Record<string, string>, output: OutputOptions): Promise<void> {
  const made = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input,
    plugins: [REQUIRED_APART, unclonedSpreads()],
    external: APART.map((name) => new RegExp(`^${name}(/|$)`)),
    transform: { define: AS_NODE_22 },
    checks: { bundlerTimings: false }, // that is `unclonedSpreads`: it reads all of it
    logLevel: 'warn',
    onLog: (level, log, handle) => isKnown(log) || handle(level, log),
  });
  await made.write({ ...output, comments: false, sourcemap: true });
  await made.close();
}

/** The development provider's old `depd` names a wrapped function's parameters by `eval`; no program of a vault has it. */
function isKnown({ code, message }: RolldownLog): boolean {
  return code === 'EVAL' && message.includes('/http-assert/node_modules/depd/');
}

/** Throws where the program cannot even be loaded. */
function saveCodeCache(program: string, expected: number): void {
  const saver = join(import.meta.dirname, 'save-code-cache.js');
  const { status, stderr } = spawnSync(process.execPath, [saver, program], {
    env: {},
    encoding: 'utf8',
  });
  if (status !== expected) throw new Error(`${program} does not load:\n${stderr}`);
}

const isForced = !process.argv.includes('--if-stale');
if (isForced || isStale(ROOT, PROGRAMS)) {
  for (const workspace of WORKSPACES) await bundleWorkspace(workspace);
}
if (isForced || isStale(ROOT, STARTER)) await bundleStarter();
