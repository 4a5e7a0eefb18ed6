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
test.each(['gateway', 'signer', 'notifier', 'infra/prices'])(
  'the program of %s starts from the code cache that the build left',
  (workspace) => {
    const program = `${ROOT}${workspace}/bundle/program.cjs`;
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', OPEN, program], {
      env: {},
      encoding: 'utf8',
    });
    expect(out.trim()).toBe('true');
  },
);
