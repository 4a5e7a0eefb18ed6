/**
 * `bundle-threads.js FOLDER`: what the threads that hold secrets run, bundled as a party has it, as `signing.js` and
 * `generation.js` in a folder of the caller's. For tests without servers, which have no bundled programs.
 */
import { join } from 'node:path';
import { bundle, ROOT } from './bundle.js';

const BUILT = join(ROOT, 'signer/dist/secrets');

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('no folder given');
await bundle(
  {
    signing: join(BUILT, 'signing-thread/signing-thread.js'),
    generation: join(BUILT, 'rsa-generation/generation-thread.js'),
  },
  { dir: folder, format: 'esm' },
);
