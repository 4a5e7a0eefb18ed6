// What every npm script goes through: on a machine with only Node and npm it installs and builds what is
// missing, then runs the command, by the pinned Node where a package brings one. Plain JavaScript, because nothing is built yet.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
// not by name: Node 20, which may begin, has no `enableCompileCache`
import nodeModule from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestFiles } from './built-files.mjs';
import { areInstalled } from './installed-packages.mjs';
import { faultOf, pinnedPackage, programOf } from './pinned-node.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

const fault = faultOf();
if (fault !== undefined) {
  console.error(fault);
  process.exit(1);
}

// said by a launcher that another Node runs, to the one that it starts
const isStartedAgain = process.env.COUNTERSIGN_STARTED_AGAIN !== undefined;
delete process.env.COUNTERSIGN_STARTED_AGAIN;

// npm runs its scripts through a shell that passes no signal on: where that shell goes, npm was ended, and so are we.
// A first launcher that is killed passes none on either
if (process.env.npm_lifecycle_event !== undefined || isStartedAgain) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}

/** Exit code of a program, which is told of every signal that ends us: we end after it, and not with 0. */
async function run(command, args, environment = {}) {
  let child;
  let told;
  const onSignal = (signal) => {
    told = signal;
    if (signal !== 'SIGINT') child?.kill(signal); // a terminal's Ctrl-C has reached the child as well
  };
  // before the child is there: it may run before this process goes on, and a signal that nobody hears ends us alone
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of signals) process.on(name, onSignal);
  child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
    shell: process.platform === 'win32',
  });
  const [code, killedBy] = await once(child, 'exit');
  for (const name of signals) process.off(name, onSignal);
  const endedBy = killedBy ?? told;
  if (killedBy !== null) console.error(`${command} was ended by ${killedBy}`);
  return code || (endedBy === undefined ? 0 : 128 + constants.signals[endedBy]);
}

async function runOrExit(command, args, environment) {
  const status = await run(command, args, environment);
  if (status !== 0) process.exit(status);
}

async function install() {
  const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  const stamp = join('node_modules', '.countersign-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  if (!areInstalled()) {
    console.log('installing packages (once) ...');
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await runOrExit('npm', args);
  }
  writeFileSync(stamp, lock);
}

/** Where another Node began, the pinned one does all the rest; this process waits for it. */
async function goOnPinned() {
  const folder = pinnedPackage();
  if (folder === undefined || isStartedAgain) return;
  const program = join(root, programOf(folder));
  if (process.execPath === realpathSync(program)) return;
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(await run(program, args, { COUNTERSIGN_STARTED_AGAIN: '1' }));
}

/** What is asked for by name alone, such as npm and the compiler, is run by the Node that runs this. */
function putFirstOnPath() {
  process.env.PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
}

function tellNode() {
  const folder = pinnedPackage();
  const origin = folder === undefined ? "this machine's own" : folder;
  console.error(`Node ${process.versions.node} (${origin})`);
}

const BUILT_STAMP = join('node_modules', '.countersign-built');

/** Builds what a vault needs, where anything has changed since all of it was built last. */
async function buildAll(hasConsole) {
  const { read, made } = digestFiles();
  if (existsSync(BUILT_STAMP) && readFileSync(BUILT_STAMP, 'utf8') === `${read} ${made}`) return;
  console.error('building what has changed ...');
  await build();
  await runOrExit(process.execPath, ['infra/dev/dist/build/bundle-programs.js', '--if-stale']);
  if (!hasConsole) return;
  await buildConsole();
  // what was read is of before the build: who edits meanwhile has it built the next time
  writeFileSync(BUILT_STAMP, `${read} ${digestFiles().made}`);
}

/** The programs alone: the types of the tests are `npm run check`'s business. */
async function build() {
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-b', '--checkers', '1', 'tsconfig.build.json'];
  await runOrExit(process.execPath, args, { GOGC: '400' });
}

// What the console's bundle is made of, beside packages.
const CONSOLE_SOURCES = [
  'console',
  'client',
  'shared/core',
  'shared/api',
  'shared/venues',
  'shared/vault',
].map((workspace) => join(workspace, 'src'));

/** Bundles the console, where anything in it is newer than what was bundled. */
async function buildConsole() {
  const built = join('console', 'dist', 'index.html');
  const files = ['package-lock.json', 'console/vite.config.ts', 'console/index.html'];
  for (const folder of CONSOLE_SOURCES) {
    for (const name of readdirSync(folder, { recursive: true })) files.push(join(folder, name));
  }
  const newest = Math.max(...files.map((path) => statSync(path).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return;
  const program = join('node_modules', 'vite', 'bin', 'vite.js');
  await runOrExit(process.execPath, [program, 'build', 'console', '--logLevel', 'error']);
}

const JEST = [
  '--experimental-vm-modules',
  // what a test makes is mostly gone before it would be copied
  '--max-semi-space-size=64',
  '--disable-warning=ExperimentalWarning',
  join('node_modules', 'jest', 'bin', 'jest.js'),
];

const [command, ...rest] = process.argv.slice(2);
await install();
await goOnPinned();
putFirstOnPath();
if (['start', 'test', 'check', 'drills', 'slow'].includes(command)) tellNode();
// what needs no server starts none of the vault's programs, and serves no page
const isFast =
  (command === 'check' && rest.includes('--fast')) ||
  (command === 'test' && process.env.COUNTERSIGN_FAST === '1');
if (isFast) await build();
else await buildAll(['start', 'test', 'check', 'drills', 'slow'].includes(command));
switch (command) {
  case 'start': {
    // in this very process: it is the one that npm and an operator know and signal
    if (rest.includes('--lab')) {
      await import('../workshop/dist/lab/start/start-lab.js');
      break;
    }
    const bundle = join(root, 'infra/dev/bundle/start');
    nodeModule.enableCompileCache(join(bundle, 'code-cache'));
    await nodeModule
      .createRequire(import.meta.url)(join(bundle, 'program.cjs'))
      .start(rest);
    break;
  }
  case 'test':
    process.exit(await run(process.execPath, [...JEST, ...rest]));
    break;
  case 'drills': {
    const files = readdirSync('test/drills').map((name) => join('test/drills', name));
    const every = ['--findRelatedTests', 'test/support/drills.ts', ...files];
    const named = rest.length > 0 ? rest : every;
    const args = [...JEST, ...named, '--selectProjects', 'servers'];
    process.exit(await run(process.execPath, args, { COUNTERSIGN_DRILLS: '1' }));
    break;
  }
  case 'bench':
    process.exit(await run(process.execPath, ['workshop/dist/bench/bench.js', ...rest]));
    break;
  case 'capacity':
    process.exit(await run(process.execPath, ['workshop/dist/capacity/capacity.js', ...rest]));
    break;
  case 'check':
    process.exit(await run(process.execPath, ['workshop/dist/check/check.js', ...rest]));
    break;
  case 'pack':
    process.exit(await run(process.execPath, ['workshop/dist/pack/pack.js', ...rest]));
    break;
  case 'release':
    process.exit(await run(process.execPath, ['workshop/dist/release/release.js', ...rest]));
    break;
  case 'coverage':
    process.exit(
      await run(process.execPath, [
        ...JEST,
        '--selectProjects',
        'unit',
        'longer',
        'mocked',
        '--coverage',
        ...rest,
      ]),
    );
    break;
  case 'countersign':
    process.exit(await run(process.execPath, ['infra/admin/dist/countersign.js', ...rest]));
    break;
  case 'slow':
    process.exit(
      await run(process.execPath, [
        ...JEST,
        // first: an option that takes a list would take the name of a file for one of its own
        ...rest,
        '--selectProjects',
        'servers',
        '--testMatch',
        '**/workshop/slow/*.slow.ts',
      ]),
    );
    break;
  default:
    console.error(`unknown command ${String(command)}`);
    process.exit(2);
}
