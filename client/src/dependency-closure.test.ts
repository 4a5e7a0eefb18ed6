/** What a desk installs with the client. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

const workspaces = new Map(
  (readManifest('.').workspaces ?? []).map((folder) => {
    const manifest = readManifest(folder);
    return [manifest.name, manifest] as const;
  }),
);

/** Every package that is reached from the client through workspaces, and those themselves. */
function closure(): string[] {
  const reached = new Set<string>();
  const open = ['@countersign/client'];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const manifest = workspaces.get(name);
    const { dependencies, optionalDependencies, peerDependencies } = manifest ?? {};
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    const brought = manifest?.peerDependenciesMeta ?? {};
    for (const next of Object.keys(needed)) {
      if (reached.has(next) || brought[next]?.optional === true) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return [...reached].toSorted();
}

test('the client installs no database driver, no queue, no schema library and no chain library', () => {
  expect(closure()).toEqual([
    '@countersign/api',
    '@countersign/core',
    '@countersign/custody',
    '@countersign/venues',
    '@hpke/core',
    '@noble/curves',
    'node-forge',
    'sodium-native',
  ]);
});
