/**
 * Bundles each program of a vault into a few files beside its build (`<workspace>/bundle/`). A process that looks for
 * a thousand modules one by one spends a second of processor time on that alone, and a vault has four of them.
 *
 * What is bundled is what `tsc` built, unminified, with source maps; stays apart: what finds files of its own by its
 * place (native code, thread files, pages). With `--if-stale`, only where something is newer than its bundle.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { unclonedSpreads } from './spread-literals.js';
import { areBundlesStale } from './stale-bundles.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Entries by workspace, as they lie under `dist/`: threads are entries too, each lying where its program looks. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  gateway: ['main'],
  signer: [
    'main',
    'secrets/create-keys',
    'secrets/signing-thread/signing-thread',
    'secrets/rsa-generation/generation-thread',
  ],
  notifier: ['main'],
  'infra/prices': ['main'],
};

/** Of what follows the ledger, by name: it looks for it beside itself, which is the bundle's own folder. */
const FOLLOWERS = ['gateway', 'signer', 'notifier'];
const FOLLOWER_THREADS = { 'word-thread': 'shared/runtime/dist/ledger/word-thread.js' };

const APART = ['ioredis', 'libsodium-wrappers-sumo', 'piscina', 'sodium-native', 'swagger-ui-dist'];

async function bundleWorkspace(workspace: string, entries: readonly string[]): Promise<void> {
  const folder = join(ROOT, workspace);
  const output = join(folder, 'bundle');
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: {
      ...Object.fromEntries(entries.map((name) => [name, join(folder, 'dist', `${name}.js`)])),
      ...(FOLLOWERS.includes(workspace) && FOLLOWER_THREADS),
    },
    plugins: [unclonedSpreads()],
    external: APART.map((name) => new RegExp(`^${name}(/|$)`)),
    logLevel: 'warn',
  });
  rmSync(output, { recursive: true, force: true });
  await bundle.write({ dir: output, format: 'esm', sourcemap: true });
  await bundle.close();
}

if (!process.argv.includes('--if-stale') || areBundlesStale(ROOT)) {
  for (const [workspace, entries] of Object.entries(PROGRAMS)) {
    await bundleWorkspace(workspace, entries);
  }
}
