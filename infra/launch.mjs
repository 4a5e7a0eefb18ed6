// What every npm script goes through: on a machine with only Node and npm it installs and builds what is
// missing, then runs the command. Plain JavaScript, because nothing is built yet.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Countersign needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

function run(command, args, environment = {}) {
  const result = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
    shell: process.platform === 'win32',
  });
  if (result.error !== undefined) throw result.error;
  return result.status ?? 1;
}

function runOrExit(command, args, environment) {
  const status = run(command, args, environment);
  if (status !== 0) process.exit(status);
}

function install() {
  const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  const stamp = join('node_modules', '.countersign-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.log('installing packages (once) ...');
  runOrExit('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, lock);
}

// The programs alone: the types of the tests are `npm run check`'s business.
const WORKSPACES = ['gateway', 'signer', 'signer/bench', 'client', 'infra/admin', 'infra/dev'];

function build() {
  runOrExit(process.execPath, [
    join('node_modules', 'typescript', 'bin', 'tsc'),
    '-b',
    ...WORKSPACES,
  ]);
}

const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  join('node_modules', 'jest', 'bin', 'jest.js'),
];

const [command, ...rest] = process.argv.slice(2);
install();
build();
switch (command) {
  case 'start':
    process.exit(run(process.execPath, ['infra/dev/dist/start/start.js', ...rest]));
    break;
  case 'test':
    process.exit(run(process.execPath, [...JEST, ...rest]));
    break;
  case 'bench':
    process.exit(run(process.execPath, ['infra/dev/dist/bench/bench.js', ...rest]));
    break;
  case 'check':
    process.exit(run(process.execPath, ['infra/dev/dist/check/check.js', ...rest]));
    break;
  case 'countersign':
    process.exit(run(process.execPath, ['infra/admin/dist/countersign.js', ...rest]));
    break;
  case 'import-key':
    process.exit(run(process.execPath, ['client/dist/import-key/import-key.js', ...rest]));
    break;
  case 'slow':
    process.exit(
      run(
        process.execPath,
        [
          ...JEST,
          '--testMatch',
          '**/test/slow/*.slow.ts',
          '--testMatch',
          '**/ceremony-outage.test.ts',
          ...rest,
        ],
        { EVERY_STEP: '1' },
      ),
    );
    break;
  default:
    console.error(`unknown command ${String(command)}`);
    process.exit(2);
}
