import type { ThreadFiles } from '../../signer/src/threads/thread-files.js';

/** What the threads that hold secrets run, as the build leaves it: they cannot run TypeScript. */
export const BUILT_THREADS: ThreadFiles = {
  signing: new URL('../../signer/dist/secrets/signing-thread/signing-thread.js', import.meta.url),
  generation: new URL(
    '../../signer/dist/secrets/rsa-generation/generation-thread.js',
    import.meta.url,
  ),
};
