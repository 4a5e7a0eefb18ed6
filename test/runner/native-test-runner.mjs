/**
 * Runs a test file by Jest's own runner, and has Node load it: what tests import is loaded, compiled and optimised
 * once for a worker, where Jest does it anew in a context of its own for every file. So no file may leave behind
 * what another one trips over, and `jest.unstable_mockModule` does nothing: who needs it is of the project `mocked`.
 */
import { readFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import circus from 'jest-circus/runner';
import { setGlobals } from './jest-globals.mjs';
import './seeded-cases.mjs';

register('./source-hooks.mjs', import.meta.url);

/** Nobody is told of each single test while its file runs: two messages for each took as long as most tests. */
export default function runNatively(globalConfig, config, environment, runtime, testPath) {
  const native = Object.create(runtime, {
    // anew for each file: what it knows of the tests of one file it never forgets
    requireInternalModule: { value: requireAnew },
    setGlobalsForRuntime: {
      value: (globals) => {
        runtime.setGlobalsForRuntime(globals);
        setGlobals(runtime.requireModuleOrMock(testPath, '@jest/globals'));
      },
    },
    unstable_shouldLoadAsEsm: { value: () => true },
    unstable_importModule: { value: (path) => import(pathToFileURL(path).href) },
  });
  return circus.default(globalConfig, config, environment, native, testPath);
}

/** jest-circus keeps those who hear of its events where every file of the worker would find them, and tell all. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

function requireAnew(path) {
  delete globalThis[EVENT_HANDLERS];
  const module = { exports: {} };
  compiled(path)(module.exports, createRequire(path), module);
  return module.exports;
}

const compiledFiles = new Map();

/** What a file of CommonJS does: compiled once, though it is done anew for each test file. */
function compiled(path) {
  const known =
    compiledFiles.get(path) ??
    compileFunction(readFileSync(path, 'utf8'), ['exports', 'require', 'module'], {
      filename: path,
    });
  compiledFiles.set(path, known);
  return known;
}
