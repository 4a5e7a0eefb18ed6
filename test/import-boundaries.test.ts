/** Plants a bad import for each import rule, in a tree of its own, and expects the check to find it. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const WORKSPACES = ['shared', 'gateway', 'signer', 'client', 'infra'] as const;

let tree: string;

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'countersign-boundaries-'));
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  cpSync('.dependency-cruiser.mjs', join(tree, '.dependency-cruiser.mjs'));
  cpSync('package.json', join(tree, 'package.json'));
  writeFileSync(join(tree, 'tsconfig.json'), '{"compilerOptions":{"module":"nodenext"}}');
  for (const workspace of WORKSPACES) {
    mkdirSync(join(tree, workspace, 'src'), { recursive: true });
    cpSync(`${workspace}/package.json`, join(tree, workspace, 'package.json'));
  }
});

afterEach(() => rmSync(tree, { recursive: true, force: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

function cruise(): { status: number | null; output: string } {
  const result = spawnSync(
    process.execPath,
    [
      resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      '.dependency-cruiser.mjs',
      ...WORKSPACES,
    ],
    { cwd: tree, encoding: 'utf8' },
  );
  return { status: result.status, output: result.stdout + result.stderr };
}

const PLANTS: readonly (readonly [rule: string, file: string, text: string])[] = [
  ['gateway-never-imports-signer', 'gateway/src/a.ts', "import '../../signer/src/b.js';"],
  ['signer-never-imports-gateway', 'signer/src/a.ts', "import '../../gateway/src/b.js';"],
  ['shared-imports-nobody', 'shared/src/a.ts', "import '../../gateway/src/b.js';"],
  ['shared-imports-nobody', 'shared/src/a.ts', "import '../../client/src/b.js';"],
  ['client-stands-alone', 'client/src/a.ts', "import '../../gateway/src/b.js';"],
  ['client-stands-alone', 'client/src/a.ts', "import '../../signer/src/b.js';"],
  ['client-stands-alone', 'client/src/a.ts', "import '../../infra/src/b.js';"],
  ['vault-never-imports-client', 'gateway/src/a.ts', "import '../../client/src/b.js';"],
  ['vault-never-imports-client', 'signer/src/a.ts', "import '../../client/src/b.js';"],
  ['nobody-imports-infra', 'gateway/src/a.ts', "import '../../infra/src/b.js';"],
  ['infra-starts-programs-and-imports-none', 'infra/src/a.ts', "import '../../signer/src/b.js';"],
  ['gateway-has-no-key-material-code', 'gateway/src/a.ts', "import '@noble/curves/ed25519.js';"],
  ['signer-has-no-http', 'signer/src/a.ts', "import 'node:http';"],
  ['forge-never-in-production', 'signer/src/a.ts', "import 'node-forge';"],
  ['no-undeclared-dependency', 'gateway/src/a.ts', "import 'piscina';"],
  ['production-never-imports-tests', 'shared/src/a.ts', "import './c.test.js';"],
  ['not-to-dev-dep', 'gateway/src/a.ts', "import 'fast-check';"],
  ['no-circular', 'shared/src/a.ts', "import './b.js';"],
];

describe('import boundaries', () => {
  it('a tree without a bad import passes', () => {
    plant('gateway/src/a.ts', "import './b.js';");
    plant('gateway/src/b.ts', 'export const b = 1;');
    expect(cruise()).toMatchObject({ status: 0 });
  });

  it('a client that shares the contract passes: it splits secrets with libraries of its own', () => {
    plant('shared/src/b.ts', 'export const b = 1;');
    plant('client/src/a.ts', "import '../../shared/src/b.js';\nimport 'node-forge';");
    expect(cruise()).toMatchObject({ status: 0 });
  });

  it('every rule has a bad import planted for it', async () => {
    const config = (await import(pathToFileURL(resolve('.dependency-cruiser.mjs')).href)) as {
      default: { forbidden: readonly { name: string }[] };
    };
    const planted = new Set(PLANTS.map(([rule]) => rule));
    expect(planted).toEqual(new Set(config.default.forbidden.map(({ name }) => name)));
  });

  it.each(PLANTS)('%s fires: %s, %s', (rule, file, text) => {
    for (const workspace of WORKSPACES) {
      plant(`${workspace}/src/b.ts`, 'export const b = 1;');
    }
    plant('shared/src/c.test.ts', 'export const c = 1;');
    if (rule === 'not-to-dev-dep') {
      const manifest = { name: 'gateway', devDependencies: { 'fast-check': '*' } };
      plant('gateway/package.json', JSON.stringify(manifest));
    }
    if (rule === 'no-circular') plant('shared/src/b.ts', "import './a.js';");
    plant(file, text);
    const { status, output } = cruise();
    expect(output).toContain(rule);
    expect(status).not.toBe(0);
  });
});
