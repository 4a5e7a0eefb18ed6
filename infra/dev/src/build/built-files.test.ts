import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const { digestFiles } = (await import('../../../built-files.mjs' as string)) as {
  digestFiles: () => { read: string; made: string };
};

let root: string;

function write(path: string, text: string, second = 1): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, second, second);
}

/** Of what a build reads, and of what it makes. */
function digests(): string[] {
  const here = process.cwd();
  process.chdir(root);
  try {
    const { read, made } = digestFiles();
    return [read, made];
  } finally {
    process.chdir(here);
  }
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
    'workshop',
    'shared/core',
  ]) {
    write(`${name}/src/a.ts`, 'a');
    write(`${name}/dist/inner/a.js`, 'a');
  }
  write('docs/how-to/runbooks/a.md', 'a');
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
  ['another runbook', () => write('docs/how-to/runbooks/a.md', 'aa'), READ],
  ['other packages', () => write('package-lock.json', '{ }'), READ],
  ['a build that is gone', () => rmSync(join(root, 'console/dist'), { recursive: true }), MADE],
  [
    'what V8 made of a program',
    () => write('gateway/bundle/code-cache/v24/a', 'a'),
    [false, false],
  ],
  ['a bundle', () => write('gateway/bundle/program.cjs', 'a'), MADE],
  ['what was compiled since', () => write('gateway/dist/inner/a.js', 'b', 2), MADE],
  ['a package of a package', () => write('gateway/node_modules/b/dist/b.js', 'bb'), [false, false]],
])('%s is seen where it is', (_what, change, seen) => {
  const before = digests();
  change();
  const after = digests();
  expect(after.map((digest, which) => digest !== before[which])).toEqual(seen);
});
