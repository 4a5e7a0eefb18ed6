/** Which bundles there are, and whether they are older than what they were made of. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What is bundled together. Paths are below the root. */
interface Bundles {
  /** Workspaces that they are made of, beside packages: as the compiler left them. */
  readonly parts: readonly string[];
  /** The file that is written last. */
  readonly written: string;
}

const SHARED = ['core', 'venues', 'api', 'chains', 'custody', 'vault', 'runtime'].map(
  (name) => `shared/${name}`,
);

/** A vault's own. */
export const PROGRAMS: Bundles = {
  parts: [...SHARED, 'gateway', 'signer', 'notifier', 'infra/prices'],
  written: 'infra/prices/bundle/program.cjs',
};

/** What `npm start` runs. It lies as deep as what it was made of, which finds the root by its own place. */
export const STARTER: Bundles = {
  parts: [...SHARED, 'client', 'infra/admin', 'infra/dev'],
  written: 'infra/dev/bundle/start/program.cjs',
};

/** Whether bundles are missing, or older than something that they are made of. */
export function isStale(root: string, { parts, written: file }: Bundles): boolean {
  const bundle = join(root, file);
  if (!existsSync(bundle)) return true;
  const written = statSync(bundle).mtimeMs;
  const isNewer = (path: string) => statSync(join(root, path)).mtimeMs > written;
  return (
    isNewer('package-lock.json') ||
    isNewer('infra/dev/dist/build/bundle-programs.js') ||
    isNewer('infra/dev/dist/build/bundle.js') ||
    parts.some((part) => filesBelow(root, `${part}/dist`).some(isNewer))
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
