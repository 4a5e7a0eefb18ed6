/** The READMEs of the packages for bots: their first program, against OKX as it is simulated. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findPython, PYTHON_NEEDS } from '../support/python.ts';
import { runWhere } from '../support/run-where.ts';
import {
  firstBlock,
  JS_README_SAYS,
  openReadmeDesk,
  PYTHON_README_SAYS,
  type ReadmeDesk,
} from '../support/readme-programs.ts';

const run = promisify(execFile);

let desk: ReadmeDesk;
beforeAll(async () => {
  desk = await openReadmeDesk();
});
afterAll(() => desk.close());

test('the one of the JavaScript package', async () => {
  const urlOf = (path: string) => pathToFileURL(resolve(path)).href;
  const program = firstBlock('client/ccxt/README.md', 'js')
    .replace("'ccxt'", `'${urlOf('node_modules/ccxt/js/ccxt.js')}'`)
    .replace(
      "'@countersign/ccxt/through-vault.js'",
      `'${urlOf('client/ccxt/dist/through-vault.js')}'`,
    );
  writeFileSync(join(desk.folder, 'program.mjs'), program);
  const { stdout } = await run(process.execPath, ['program.mjs'], {
    cwd: desk.folder,
    env: desk.environment,
  });
  expect(stdout).toBe(JS_README_SAYS);
}, 60_000);

const python = findPython();
runWhere(test, python !== undefined, PYTHON_NEEDS)(
  'the one of the Python package',
  async () => {
    writeFileSync(join(desk.folder, 'program.py'), firstBlock('client/python/README.md', 'python'));
    const env = { ...desk.environment, PYTHONPATH: resolve('client/python/src') };
    const { stdout } = await run(python!, ['-B', 'program.py'], { cwd: desk.folder, env });
    expect(stdout).toBe(PYTHON_README_SAYS);
  },
  60_000,
);
