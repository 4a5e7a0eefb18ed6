/** A release in a git repository of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { planRelease } from './plan-release.js';
import { carryOut, readFacts } from './release-repository.js';

const describeWithGit = spawnSync('git', ['--version']).status === 0 ? describe : describe.skip;

const ASKED = {
  version: '0.2.0',
  today: '2026-11-22',
  description: { path: 'docs/specs/v0.4/openapi.json', text: '{}\n' },
};

let root: string;

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describeWithGit('a release', () => {
  beforeEach(() => {
    // what a hook of git tells its programs would lead to the repository that it runs for
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('GIT_')) Reflect.deleteProperty(process.env, name);
    }
    root = mkdtempSync(join(tmpdir(), 'countersign-release-'));
    git('init', '--quiet', '--initial-branch', 'main');
    git('config', 'user.name', 'Somebody');
    git('config', 'user.email', 'somebody@example.com');
    git('config', 'commit.gpgSign', 'false');
    git('config', 'tag.gpgSign', 'false');
    write('package.json', '{"version":"0.1.0","workspaces":["gateway"]}');
    write('gateway/package.json', '{"version":"0.1.0"}');
    write('package-lock.json', '{"version":"0.1.0","packages":{"":{},"gateway":{}}}');
    write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- New.\n');
    git('add', '.');
    git('commit', '--quiet', '--message', 'all of it');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('is committed and tagged, and the tree is clean again', () => {
    const plan = planRelease(readFacts(root, ASKED));
    if ('faults' in plan) throw new Error(plan.faults.join('; '));
    carryOut(root, plan);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%s')).toBe('release: v0.2.0\nall of it');
    expect(git('rev-list', '-1', 'v0.2.0')).toBe(git('rev-parse', 'HEAD'));
    expect(git('cat-file', '-t', 'v0.2.0')).toBe('tag');
    const versionIn = (path: string) =>
      (JSON.parse(readFileSync(join(root, path), 'utf8')) as { version: string }).version;
    expect(versionIn('package.json')).toBe('0.2.0');
    expect(versionIn('gateway/package.json')).toBe('0.2.0');
    expect(readFileSync(join(root, 'docs/specs/v0.4/openapi.json'), 'utf8')).toBe('{}\n');
    expect(planRelease(readFacts(root, ASKED))).toMatchObject({
      faults: expect.arrayContaining(['the tag v0.2.0 is there already']) as unknown,
    });
  });

  test('is not planned beside what git does not know, or on another branch', () => {
    write('gateway/new.ts', '');
    git('checkout', '--quiet', '-b', 'work');
    expect(planRelease(readFacts(root, ASKED))).toEqual({
      faults: ['releases are made on main, and this is "work"', 'not committed: gateway/new.ts'],
    });
  });
});
