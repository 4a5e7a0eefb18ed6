/**
 * What `npm run pack` makes is installed in fresh folders, each file alone and without a network, and signs there against a
 * running vault by the first program of its README, as docs/how-to/packages.md says.
 */
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { packNpm } from '../../workshop/dist/pack/pack-npm.js';
import { findBuilder, packWheel, WHEEL_NEEDS } from '../../workshop/dist/pack/pack-wheel.js';
import { openBotDesk, type BotDesk } from '../support/bot-desk.ts';
import { firstBlock, PYTHON_README_SAYS } from '../support/readme-programs.ts';
import { runWhere } from '../support/run-where.ts';

// the compiler alone takes a minute where other work goes on
jest.setTimeout(240_000);

const run = promisify(execFile);
/** What the first program of the client's README prints. */
const SAYS = 'GET /api/v5/account/balance 4\n';

let folder: string;
let desk: BotDesk;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'installed-packages-'));
  desk = await openBotDesk();
}, 120_000);
afterAll(async () => {
  await desk?.close();
  rmSync(folder, { recursive: true });
}, 60_000);

/** A new folder with the bot's credential in it, and what its programs are told. */
function freshFolder(name: string): { cwd: string; env: Record<string, string | undefined> } {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'api-key'), `${desk.seed.botApiKey}\n`);
  const pem = desk.bot.privateKey.export({ format: 'pem', type: 'pkcs8' });
  writeFileSync(join(cwd, 'caller.pem'), pem);
  return {
    cwd,
    env: {
      PATH: process.env['PATH'],
      VAULT_URL: desk.vault.baseUrl,
      VENUE_URL: desk.urlOf('okx'),
      KEY_ID: desk.seed.desks['okx']!.keyId,
    },
  };
}

async function install(workspace: string): Promise<ReturnType<typeof freshFolder>> {
  const fresh = freshFolder(`desk-${readdirSync(folder).length}`);
  writeFileSync(join(fresh.cwd, 'package.json'), '{"private": true, "type": "module"}');
  await addPackage(fresh.cwd, workspace);
  return fresh;
}

/** Whatever is asked of a registry fails: there is none at this address, nothing in the cache, and npm is told so. */
async function addPackage(cwd: string, workspace: string): Promise<void> {
  const tarball = await packNpm(workspace, cwd);
  const nowhere = ['--registry', 'http://127.0.0.1:9', '--cache', join(cwd, 'no-cache')];
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...nowhere, tarball], {
    cwd,
  });
}

function installedFiles(cwd: string): string[] {
  return readdirSync(join(cwd, 'node_modules'), { recursive: true, encoding: 'utf8' });
}

/** What a program brings itself. */
function bring(cwd: string, name: string): void {
  const target = join(cwd, 'node_modules', name);
  mkdirSync(join(target, '..'), { recursive: true });
  symlinkSync(resolve('node_modules', name), target);
}

/** Checks types as a desk's own compiler of this version does, libraries included. */
async function checkTypes(cwd: string, program: string): Promise<void> {
  for (const name of ['@types/node', 'undici-types']) bring(cwd, name);
  writeFileSync(join(cwd, 'program.ts'), program);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    preserveSymlinks: true,
  };
  writeFileSync(
    join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts'] }),
  );
  const find = createRequire(resolve('workshop/package.json'));
  const compiler = find.resolve('typescript/bin/tsc');
  const version = await run(process.execPath, [compiler, '--version']);
  expect(version.stdout).toMatch(/^Version 5\.6\./);
  const checked = run(process.execPath, [compiler, '-p', cwd], { cwd });
  await checked.catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
}

describe('the client', () => {
  let fresh: ReturnType<typeof freshFolder>;
  beforeAll(async () => {
    fresh = await install('client');
  });

  it('signs by the first lines of its README', async () => {
    writeFileSync(join(fresh.cwd, 'program.mjs'), firstBlock('client/README.md', 'js'));
    const { stdout } = await run(process.execPath, ['program.mjs'], fresh);
    expect(stdout).toBe(SAYS);
  });

  it('is one package, without native code', () => {
    const files = installedFiles(fresh.cwd);
    const packages = files.filter((path) => /^(@[^/]+\/)?[^/@.]+$/.test(path));
    expect(packages).toEqual(['@countersign/client']);
    expect(files.filter((path) => /\.node$|binding\.gyp/.test(path))).toEqual([]);
    const scripts = files.filter((path) => path.endsWith('.js'));
    const texts = scripts.map((path) =>
      readFileSync(join(fresh.cwd, 'node_modules', path), 'utf8'),
    );
    expect(texts.filter((text) => /sodium-native|require-addon|\.node['"]/.test(text))).toEqual([]);
  });

  it('is read by require', async () => {
    const program = [
      "const { createCountersignClient } = require('@countersign/client/countersign-client.js');",
      'console.log(typeof createCountersignClient);',
    ].join('\n');
    writeFileSync(join(fresh.cwd, 'program.cjs'), program);
    const { stdout, stderr } = await run(process.execPath, ['program.cjs'], fresh);
    expect([stdout, stderr]).toEqual(['function\n', '']);
  });
});

/** Installed by their names, they do not name each other. */
it('both have types that TypeScript 5.6 reads', async () => {
  const { cwd } = await install('client/ccxt');
  await addPackage(cwd, 'client');
  const names = ['@countersign/client', '@countersign/ccxt'].flatMap((name) =>
    exportsOf(cwd, name).map((subpath) => `${name}/${subpath}`),
  );
  const program = [
    ...names.map((name, index) => `import * as all${index} from '${name}';`),
    `export const modules = [${names.map((_name, index) => `all${index}`).join(', ')}];`,
    "import type { CountersignClient } from '@countersign/client/countersign-client.js';",
    'export async function first(client: CountersignClient): Promise<string> {',
    "  const made = await client.call('create-vault', { body: { display_name: 'desk' } });",
    '  // @ts-expect-error -- there is no such field',
    "  await client.call('create-vault', { body: { display_nam: 'desk' } });",
    '  return made.ok ? made.value.id : made.error.errMsg;',
    '}',
  ].join('\n');
  await checkTypes(cwd, program);
});

function exportsOf(cwd: string, name: string): string[] {
  const find = createRequire(join(cwd, 'package.json'));
  const path = join(cwd, 'node_modules', name, 'package.json');
  const { exports } = find(path) as { exports: Record<string, unknown> };
  // the types of kit itself need TypeScript 5.7
  const names = Object.keys(exports).filter((subpath) => subpath !== './solana-signer.js');
  return names.map((subpath) => subpath.slice(2));
}

describe('the adapter for ccxt', () => {
  let fresh: ReturnType<typeof freshFolder>;
  beforeAll(async () => {
    fresh = await install('client/ccxt');
  });

  it('trades with nothing else of ours, by the first lines of its README', async () => {
    const packages = readdirSync(join(fresh.cwd, 'node_modules/@countersign'));
    expect(packages).toEqual(['ccxt']);
    bring(fresh.cwd, 'ccxt');
    writeFileSync(join(fresh.cwd, 'program.mjs'), firstBlock('client/ccxt/README.md', 'js'));
    const { stdout } = await run(process.execPath, ['program.mjs'], fresh);
    expect(stdout).toMatch(/^BTC \d+(\.\d+)?\n$/);
  });

  it('is read by require', async () => {
    const text = "console.log(typeof require('@countersign/ccxt/through-vault.js').throughVault)";
    writeFileSync(join(fresh.cwd, 'program.cjs'), text);
    const { stdout } = await run(process.execPath, ['program.cjs'], fresh);
    expect(stdout).toBe('function\n');
  });
});

it('the tools for language models answer, with nothing else of ours', async () => {
  const { cwd, env } = await install('client/mcp');
  expect(readdirSync(join(cwd, 'node_modules')).filter((name) => /^[@a-z]/.test(name))).toEqual([
    '@countersign',
  ]);
  const file = join(cwd, 'credential.json');
  const kept = { api_key: desk.seed.botApiKey, private_key_file: join(cwd, 'caller.pem') };
  writeFileSync(file, JSON.stringify(kept));
  const transport = new StdioClientTransport({
    command: join(cwd, 'node_modules/.bin/countersign-mcp'),
    env: {
      PATH: env['PATH']!,
      COUNTERSIGN_URL: desk.vault.baseUrl,
      COUNTERSIGN_CREDENTIAL_FILE: file,
    },
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const venue_request = { channel: 'rest', method: 'GET', path: '/api/v5/account/balance' };
  const given = { key_id: env['KEY_ID'], venue_request };
  const answer = await client.callTool({ name: 'sign_venue_request', arguments: given });
  await client.close();
  expect(answer).toMatchObject({ isError: false });
});

const builder = findBuilder();
runWhere(
  describe,
  builder !== undefined,
  WHEEL_NEEDS,
)('the wheel', () => {
  it('signs by the first lines of its README, installed by pip from one file', async () => {
    const { cwd, env } = freshFolder('wheel');
    const wheel = packWheel(builder!, 'client/python', cwd);
    const sitePython = join(cwd, 'desk/bin/python');
    // `cryptography` is the machine's own, as Debian's package has it: pip checks that its version will do
    await run(builder!, ['-m', 'venv', '--system-site-packages', join(cwd, 'desk')], { env });
    await run(sitePython, ['-m', 'pip', 'install', '--no-index', wheel], { env });
    writeFileSync(join(cwd, 'program.py'), firstBlock('client/python/README.md', 'python'));
    const { stdout } = await run(sitePython, ['program.py'], { cwd, env });
    expect(stdout).toBe(PYTHON_README_SAYS);
    const where = 'import countersign.client as c, pathlib as p; print(c.__file__)';
    const imported = await run(sitePython, ['-c', where], { cwd, env });
    expect(imported.stdout).toContain(join(cwd, 'desk'));
    const names = readdirSync(join(imported.stdout.trim(), '..'));
    expect(names).toContain('py.typed');
  });
});
