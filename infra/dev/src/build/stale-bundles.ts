/** Whether the bundled programs are older than what they were made of. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the programs are made of, beside packages: as the compiler left it. */
const PARTS = [
  ...['core', 'venues', 'api', 'chains', 'custody', 'vault', 'runtime'].map(
    (name) => `shared/${name}`,
  ),
  'gateway',
  'signer',
  'notifier',
  'infra/prices',
];
/** The one that is written last. */
const LAST_BUNDLE = 'infra/prices/bundle/program.cjs.cache';

export function areBundlesStale(root: string): boolean {
  const bundle = join(root, LAST_BUNDLE);
  if (!existsSync(bundle)) return true;
  const written = statSync(bundle).mtimeMs;
  const isNewer = (path: string) => statSync(join(root, path)).mtimeMs > written;
  return (
    isNewer('package-lock.json') ||
    isNewer('infra/dev/dist/build/bundle-programs.js') ||
    isNewer('infra/dev/dist/build/bundle.js') ||
    PARTS.some((part) => filesBelow(root, `${part}/dist`).some(isNewer))
  );
}

/** The code in a folder of the compiler's. */
function filesBelow(root: string, folder: string): string[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name));
}
