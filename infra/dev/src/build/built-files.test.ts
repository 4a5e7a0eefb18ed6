import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const MODULE = fileURLToPath(new URL('../../../built-files.mjs', import.meta.url));
const DIGESTS = `
  import { digestFiles } from '${MODULE}';
  console.log(JSON.stringify([digestFiles('read'), digestFiles('made')]));
`;

let root: string;

function write(path: string, text: string, second = 1): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, second, second);
}

/** Of what a build reads, and of what it makes. */
function digests(): string[] {
  const args = ['--input-type=module', '-e', DIGESTS];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-built-'));
  for (const name of ['package', 'package-lock', 'tsconfig.base', 'tsconfig.build']) {
    write(`${name}.json`, '{}');
  }
  for (const name of [
    'gateway',
    'signer',
    'notifier',
    'client',
    'console',
    'infra',
    'shared/core',
  ]) {
    write(`${name}/src/a.ts`, 'a');
    write(`${name}/dist/inner/a.js`, 'a');
  }
  write('gateway/node_modules/b/dist/b.js', 'b');
});

afterEach(() => rmSync(root, { recursive: true }));

const READ = [true, false];
const MADE = [false, true];

test.each<[string, () => void, boolean[]]>([
  ['nothing', () => undefined, [false, false]],
  ['a longer source', () => write('shared/core/src/a.ts', 'aa'), READ],
  ['a source of the same size', () => write('signer/src/a.ts', 'b', 2), READ],
  ['a new source', () => write('infra/dev/src/b.ts', 'b'), READ],
  ['a source that is gone', () => rmSync(join(root, 'client/src/a.ts')), READ],
  ['other packages', () => write('package-lock.json', '{ }'), READ],
  ['a build that is gone', () => rmSync(join(root, 'console/dist'), { recursive: true }), MADE],
  ['a bundle', () => write('gateway/bundle/program.cjs', 'a'), MADE],
  ['what was compiled since', () => write('gateway/dist/inner/a.js', 'b', 2), MADE],
  ['a package of a package', () => write('gateway/node_modules/b/dist/b.js', 'bb'), [false, false]],
])('%s is seen where it is', (_what, change, seen) => {
  const before = digests();
  change();
  const after = digests();
  expect(after.map((digest, which) => digest !== before[which])).toEqual(seen);
});
