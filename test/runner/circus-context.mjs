/**
 * jest-circus opens an `AsyncLocalStorage` for every test file and leaves it open. Each promise of all later files of
 * the same worker is then entered into each of them: after a hundred files that was a third of all processor time.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const open = new Set();
const { run } = AsyncLocalStorage.prototype;

AsyncLocalStorage.prototype.run = function remembered(...args) {
  open.add(this);
  return run.apply(this, args);
};

/** Closes what was opened since the last call; who uses such a storage again opens it again. */
export function closeContexts() {
  for (const storage of open) storage.disable();
  open.clear();
}
