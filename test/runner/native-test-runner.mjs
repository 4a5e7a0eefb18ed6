/**
 * Runs a test file by Jest's own runner, and has Node load it: what tests import is loaded, compiled and optimised
 * once for a worker, where Jest does it anew in a context of its own for every file. So no file may leave behind
 * what another one trips over, and `jest.unstable_mockModule` does nothing: who needs it is of the project `mocked`.
 */
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import { setGlobals } from './jest-globals.mjs';

const require = createRequire(import.meta.url);
register('./source-hooks.mjs', import.meta.url);

export default function runNatively(globalConfig, config, environment, runtime, testPath, send) {
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
  return circus.default(globalConfig, config, environment, native, testPath, send);
}

/** jest-circus keeps those who hear of its events where every file of the worker would find them, and tell all. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

function requireAnew(path) {
  delete globalThis[EVENT_HANDLERS];
  delete require.cache[path];
  return require(path);
}
