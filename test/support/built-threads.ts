import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ThreadFiles } from '../../signer/src/threads/thread-files.js';

/**
 * From what was built last, for this process alone, which removes them: a thread that looks for two hundred modules one
 * by one takes 0.3 s of processor time for it, and the tests start dozens.
 */
function bundleThreads(): ThreadFiles {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bundled-threads-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['infra/dev/dist/build/bundle-threads.js', folder]);
  const fileOf = (name: keyof ThreadFiles) => pathToFileURL(join(folder, `${name}.js`));
  return { signing: fileOf('signing'), generation: fileOf('generation') };
}

/** What the threads that hold secrets run, bundled as a party has it: they cannot run TypeScript. */
export const BUILT_THREADS: ThreadFiles = bundleThreads();
