/** The README's script is run as it stands there: a reader who copies it must get a signature. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openTestVault, type TestVault } from './support/test-vault.ts';

const run = promisify(execFile);
let vault: TestVault;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-readme-'));
  vault = await openTestVault();
}, 60_000);
afterAll(async () => {
  await vault?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe('README', () => {
  const readme = readFileSync('README.md', 'utf8');

  it('has a script that signs with the first wallet', async () => {
    await vault.createWallet();
    const script = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    writeFileSync(join(folder, 'sign.mjs'), script);
    const devFile = join(folder, 'dev.json');
    writeFileSync(
      devFile,
      JSON.stringify({ base_url: vault.baseUrl, admin: vault.prepared.admin }),
    );
    const stdout = await eventually(async () => {
      const printed = await run(process.execPath, [join(folder, 'sign.mjs')], {
        env: { DEV_FILE: devFile },
      });
      // the script takes the default wait, in which a slow machine may not be done
      return !printed.stdout.includes("status: 'processing'") && printed.stdout;
    });
    expect(stdout).toContain('signature:');
    expect(stdout).toContain('receipt:');
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm (?:run )?([a-z:-]+)/g)].map((match) => match[1]!);
    const builtIn = new Set(['ci', 'install', 'and']);
    for (const name of named) expect(builtIn.has(name) || name in scripts).toBe(true);
  });
});
