import { createContext } from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { closeContexts } from './circus-context.mjs';

/** Jest's environment of a test whose globals are the process's own, as they are for the programs it tests. */
export default class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  #ownContext;
  #variables = { ...process.env };
  #hasServers;

  constructor({ projectConfig }) {
    this.#hasServers = projectConfig.testEnvironmentOptions.hasServers === true;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /** What a run's servers are found by is hidden from those that need none: who asks for them all the same fails. */
  async setup() {
    if (this.#hasServers) return;
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('COUNTERSIGN_TEST_')) Reflect.deleteProperty(process.env, name);
    }
  }

  /** A test that leaves time stopped, a function replaced, or a variable set, leaves it to no other. */
  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    closeContexts();
    for (const name of Object.keys(process.env)) {
      if (!(name in this.#variables)) Reflect.deleteProperty(process.env, name);
    }
    Object.assign(process.env, this.#variables);
  }

  /** For what Jest loads into a context for itself. */
  getVmContext() {
    this.#ownContext ??= createContext();
    return this.#ownContext;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }
}
