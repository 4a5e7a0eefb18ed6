/** The `package.json` of a package that installs alone: all that it is made of is in it, save what its user brings. */

/** Where a module lies, by condition. */
interface Place {
  readonly types: string;
  readonly default: string;
}

export interface WorkspaceManifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, Place>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
}

/** Modules of a package, as they were built in its workspace, by the path at which the package has them. */
export type Modules = Readonly<Record<string, string>>;

/** `require` takes such modules from 22.12 on. */
const NODE = '>=22.12';

/** `typesOf`: the path in the package of the declarations that a workspace has at this one. */
export function publishedManifest(
  manifest: WorkspaceManifest,
  typesOf: (path: string) => string,
): Record<string, unknown> {
  const { name, version, bin, peerDependencies, peerDependenciesMeta } = manifest;
  const exported = Object.entries(manifest.exports).map(([subpath, { types }]) => [
    subpath,
    { types: typesOf(types), default: placeOf(subpath) },
  ]);
  return {
    name,
    version,
    // nobody uploads it by mistake
    private: true,
    license: 'UNLICENSED',
    type: 'module',
    engines: { node: NODE },
    exports: Object.fromEntries(exported) as unknown,
    ...(bin !== undefined && { bin }),
    ...(peerDependencies !== undefined && { peerDependencies, peerDependenciesMeta }),
  };
}

/** What is bundled into the package. */
export function modulesOf({ exports, bin = {} }: WorkspaceManifest): Modules {
  return {
    ...Object.fromEntries(
      Object.entries(exports).map(([subpath, place]) => [placeOf(subpath), place.default]),
    ),
    ...Object.fromEntries(Object.values(bin).map((path) => [path, path])),
  };
}

/** `./x.js` that a user imports is `./dist/x.js`. */
function placeOf(subpath: string): string {
  return subpath.replace('./', './dist/');
}
