import { TestEnvironment } from 'jest-environment-node';
import { closeContexts } from './circus-context.mjs';

/** Jest's own environment, with globals for each file. */
export default class OwnEnvironment extends TestEnvironment {
  async teardown() {
    closeContexts();
    await super.teardown();
  }
}
