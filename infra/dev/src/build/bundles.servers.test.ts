import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** What Node says of V8's code of the program, which is good for one version and one set of options. */
function cacheOf(folder: string, file: string, env: Record<string, string>): string | undefined {
  const { stdout, stderr } = spawnSync(process.execPath, [`${ROOT}${folder}/${file}`], {
    env: { NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...env },
    encoding: 'utf8',
  });
  return /V8 code cache for CommonJS [^\n]*program\.cjs was ([a-z]+)/.exec(stdout + stderr)?.[1];
}

// here and not beside the unit tests: `npx jest` alone builds no bundles
test.each(['gateway/bundle', 'signer/bundle', 'notifier/bundle', 'infra/prices/bundle'])(
  'the program in %s starts from the code cache that the build left',
  (folder) => expect(cacheOf(folder, 'main.js', {})).toBe('accepted'),
);

test('the starter starts from the code cache that the build left', () => {
  const folder = 'infra/dev/bundle/start';
  const env = { NODE_COMPILE_CACHE: `${ROOT}${folder}/code-cache` };
  expect(cacheOf(folder, 'program.cjs', env)).toBe('accepted');
});
