/** All source files and what they import: what the import rules and the search for cycles are about. */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { ResolverFactory } from 'oxc-resolver';
import { readImports } from './read-imports.js';

/** How an import stands to the `package.json` nearest to who imports. */
export type ImportKind = 'local' | 'core' | 'declared' | 'development' | 'undeclared';

export interface Import {
  /** A path from the root, of packages below `node_modules/`; of Node's own modules the name without `node:`. */
  readonly target: string;
  readonly kind: ImportKind;
}

/** By path of the source file. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>;

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const SOURCE = /\.(ts|tsx|js|jsx|mjs|cjs)$/;

const resolver = new ResolverFactory({
  conditionNames: ['@countersign/source', 'import', 'node', 'default'],
  // a source says `x.js` of what `x.ts` compiles to
  extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
  extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
});

/**
 * The sources below `folders` of the current directory, save what `excluded` says of paths: neither files nor imports of
 * such a path are in the graph. What cannot be found is in it as it was named.
 */
export function readImportGraph(folders: readonly string[], excluded: RegExp): ImportGraph {
  const root = process.cwd();
  const graph = new Map<string, Import[]>();
  for (const path of folders.flatMap((folder) => sourcesBelow(folder, excluded))) {
    const named = readImports(path, readFileSync(path, 'utf8'));
    const imports = named.map((specifier) => importOf(root, path, specifier));
    graph.set(
      path,
      imports.filter(({ target }) => !excluded.test(target)),
    );
  }
  return graph;
}

function sourcesBelow(folder: string, excluded: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.name === 'node_modules' || excluded.test(`${path}/`)) return [];
    if (entry.isDirectory()) return sourcesBelow(path, excluded);
    return entry.isFile() && SOURCE.test(path) ? [path] : [];
  });
}

function importOf(root: string, path: string, specifier: string): Import {
  if (isBuiltin(specifier)) return { target: specifier.replace(/^node:/, ''), kind: 'core' };
  const folder = resolve(root, dirname(path));
  const found = resolver.sync(folder, specifier).path;
  if (specifier.startsWith('.')) {
    return { target: relative(root, found ?? join(folder, specifier)), kind: 'local' };
  }
  const target = found === undefined ? `node_modules/${specifier}` : relative(root, found);
  return { target, kind: kindOf(root, folder, specifier) };
}

function kindOf(root: string, folder: string, specifier: string): ImportKind {
  const manifest = manifestOf(root, folder);
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  // a peer is declared, by whoever installs it; and a package may name itself
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
  if (name === manifest.name || name in declared) return 'declared';
  return name in (manifest.devDependencies ?? {}) ? 'development' : 'undeclared';
}

const manifests = new Map<string, Manifest>();

function manifestOf(root: string, folder: string): Manifest {
  const known = manifests.get(folder);
  if (known !== undefined) return known;
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch (error) {
    if (folder === root) throw error;
    manifest = manifestOf(root, dirname(folder));
  }
  manifests.set(folder, manifest);
  return manifest;
}
