import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const MODULE = fileURLToPath(new URL('../../../installed-packages.mjs', import.meta.url));
const ASK = `
  import { areInstalled } from '${MODULE}';
  console.log(areInstalled('node_modules/own-node'));
`;

type Packages = Record<string, object>;

const PINNED = { version: '1.0.0', integrity: 'sha512-a' };
const WANTED: Packages = {
  '': { workspaces: ['shared/core'] },
  'shared/core': { version: '0.1.0' },
  'node_modules/@countersign/core': { resolved: 'shared/core', link: true },
  'node_modules/a': PINNED,
  'shared/core/node_modules/a': { version: '2.0.0', integrity: 'sha512-b' },
  'node_modules/of-another-machine': { ...PINNED, optional: true },
  'node_modules/own-node': { ...PINNED, optional: true },
};
/** As npm writes it. */
const INSTALLED: Packages = {
  'node_modules/@countersign/core': { resolved: 'shared/core', link: true },
  'node_modules/a': PINNED,
  'node_modules/own-node': PINNED,
  'shared/core': { version: '0.1.0' },
  'shared/core/node_modules/a': { version: '2.0.0', integrity: 'sha512-b' },
};
const { 'node_modules/own-node': _node, ...WITHOUT_NODE } = INSTALLED;

let root: string;

function write(path: string, packages: Packages): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ packages }));
}

function areInstalled(installed: Packages | undefined): boolean {
  write('package-lock.json', WANTED);
  if (installed !== undefined) write('node_modules/.package-lock.json', installed);
  const args = ['--input-type=module', '-e', ASK];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-installed-'));
});

afterEach(() => rmSync(root, { recursive: true }));

test.each<[string, Packages | undefined, boolean]>([
  ['all but what is of another machine', INSTALLED, true],
  ['nothing', undefined, false],
  ['all but the Node of this machine', WITHOUT_NODE, false],
  ['no package', {}, false],
  ['another version', { ...INSTALLED, 'node_modules/a': { ...PINNED, version: '1.0.1' } }, false],
  ['other content', { ...INSTALLED, 'node_modules/a': { ...PINNED, integrity: 'c' } }, false],
  [
    'the one of a workspace in another version',
    { ...INSTALLED, 'shared/core/node_modules/a': PINNED },
    false,
  ],
  [
    'another one of those for other machines',
    { ...INSTALLED, 'node_modules/of-another-machine': { ...PINNED, integrity: 'c' } },
    false,
  ],
])('with %s installed', (_what, installed, enough) => {
  expect(areInstalled(installed)).toBe(enough);
});
