/** A release in a git repository: reads what it is decided by, and carries it out. Pushes nothing. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReleaseFacts, ReleasePlan } from './plan-release.js';

/** `root`: the repository's folder. Throws where git or a file fails. */
export function readFacts(
  root: string,
  asked: Pick<ReleaseFacts, 'version' | 'today' | 'description'>,
): ReleaseFacts {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const manifest = read('package.json');
  const { workspaces } = JSON.parse(manifest) as { workspaces: readonly string[] };
  return {
    ...asked,
    branch: git(root, 'branch', '--show-current').trim(),
    dirty: linesOf(git(root, 'status', '--porcelain')).map((line) => line.slice(3)),
    tags: linesOf(git(root, 'tag', '--list')),
    manifest,
    workspaces: new Map(workspaces.map((folder) => [folder, read(`${folder}/package.json`)])),
    lock: read('package-lock.json'),
    changelog: read('CHANGELOG.md'),
  };
}

/** Writes, commits and tags. */
export function carryOut(root: string, { writes, message, tag }: ReleasePlan): void {
  for (const [path, text] of writes) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  git(root, 'add', '--', ...writes.keys());
  git(root, 'commit', '--quiet', '--message', message);
  git(root, 'tag', '--annotate', tag, '--message', message);
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
