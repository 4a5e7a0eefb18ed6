import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** In a process as programs are started: V8's code cache is good for one set of Node's options. */
const OPEN = `
  import { openCachedProgram } from '${ROOT}shared/runtime/dist/process/cached-program.js';
  console.log(openCachedProgram(process.argv[1]).isCached);
`;

// here and not beside the unit tests: `npx jest` alone builds no bundles
test.each([
  'gateway/bundle',
  'signer/bundle',
  'notifier/bundle',
  'infra/prices/bundle',
  'infra/dev/bundle/start',
])('the program in %s starts from the code cache that the build left', (folder) => {
  const program = `${ROOT}${folder}/program.cjs`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', OPEN, program], {
    env: {},
    encoding: 'utf8',
  });
  expect(out.trim()).toBe('true');
});
