/** What speaks for a provider is loaded by parties whose KEK file names it, and by no other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFakeAwsKms } from '../../../../test/support/fake-aws-kms.ts';
import { startFakeGoogleKms } from '../../../../test/support/fake-google-kms.ts';
import { startFakeKeyVault } from '../../../../test/support/fake-key-vault.ts';

const BUNDLE = new URL('../../../bundle/', import.meta.url);

/** What no file but that client's has in it. */
const CLIENTS = {
  aws: 'TrentService',
  google: 'metadata.google.internal',
  azure: 'class extends ChainedTokenCredential',
};
const clientsIn = (files: Iterable<string>) => {
  const texts = [...files].map((file) => readFileSync(file, 'utf8'));
  return Object.entries(CLIENTS).flatMap(([name, mark]) =>
    texts.some((text) => text.includes(mark)) ? [name] : [],
  );
};

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'countersign-apart-'));
});
afterAll(() => rmSync(home, { recursive: true }));

/** Tells every module as it is loaded. */
const TELLING = `import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;

/** A party's keys are made, and the KEK opened, as each of its threads opens it. */
async function loadedBy(name: string, settings?: object, environment = {}): Promise<string[]> {
  const settingsFile = join(home, `${name}.json`);
  writeFileSync(settingsFile, JSON.stringify(settings ?? {}));
  const where = [join(home, name), '1', '--kek-file', join(home, `${name}.kek`)];
  const provider = settings === undefined ? [] : ['--kek-provider', settingsFile];
  const hook = ['--import', `data:text/javascript,${encodeURIComponent(TELLING)}`];
  const program = fileURLToPath(new URL('secrets/create-keys.js', BUNDLE));
  const child = spawn(process.execPath, [...hook, program, ...where, ...provider], {
    env: environment,
  });
  let told = '';
  child.stderr.on('data', (chunk) => (told += String(chunk)));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(told);
  const files = told.split('\n').filter((line) => line.startsWith('file:'));
  expect(files.length).toBeGreaterThan(3);
  return files.map((url) => fileURLToPath(url));
}

test('a KEK in a file loads the client of no provider', async () => {
  expect(clientsIn(await loadedBy('file'))).toEqual([]);
});

test.each([
  ['aws', startFakeAwsKms],
  ['google', startFakeGoogleKms],
  ['azure', startFakeKeyVault],
] as const)('a KEK of %s loads that client alone', async (provider, start) => {
  const fake = await start();
  const endpoint = provider === 'azure' ? {} : { endpoint: fake.address };
  const settings = { provider, key: fake.keys[0], ...endpoint };
  expect(clientsIn(await loadedBy(provider, settings, fake.environment))).toEqual([provider]);
  await fake.stop();
});

/** The files that a program reads before it runs. */
function readAtStart(url: URL, found = new Set<string>()): Set<string> {
  const path = fileURLToPath(url);
  if (found.has(path)) return found;
  found.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)";$/gm);
  for (const [, from] of imports) readAtStart(new URL(from!, url), found);
  return found;
}

test.each([
  'secrets/signing-thread/signing-thread.js',
  'secrets/rsa-generation/generation-thread.js',
  'secrets/rotation/rotate.js',
  'secrets/backup/backup.js',
  'program.cjs',
])('%s starts without any', (program) => {
  expect(clientsIn(readAtStart(new URL(program, BUNDLE)))).toEqual([]);
});
