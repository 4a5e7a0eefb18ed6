/** The texts that a release changes: versions in manifests and lock, and the head of the changelog. */

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const OWN = '@countersign/';
const VERSION = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;

export type Version = readonly [major: number, minor: number, patch: number];

/** `1.2.3`, without `v` or suffix; undefined for anything else. */
export function parseVersion(text: string): Version | undefined {
  const match = VERSION.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

export function isLower(a: Version, b: Version): boolean {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}

/** A `package.json` at this version; the workspaces that it names are of the same one. */
export function raiseManifest(text: string, version: string): string {
  return print(raised(JSON.parse(text) as Manifest, version));
}

/** `package-lock.json` with these workspaces (folders) at this version. */
export function raiseLock(text: string, version: string, workspaces: readonly string[]): string {
  const lock = JSON.parse(text) as { packages: Record<string, Manifest> } & Manifest;
  const packages = { ...lock.packages };
  for (const folder of ['', ...workspaces]) {
    const entry = packages[folder];
    if (entry === undefined) throw new Error(`package-lock.json has no entry for "${folder}"`);
    packages[folder] = raised(entry, version);
  }
  return print({ ...lock, version, packages });
}

function raised(manifest: Manifest, version: string): Manifest {
  const { dependencies, devDependencies } = manifest;
  return {
    ...manifest,
    version,
    ...(dependencies !== undefined && { dependencies: raisedPins(dependencies, version) }),
    ...(devDependencies !== undefined && { devDependencies: raisedPins(devDependencies, version) }),
  };
}

function raisedPins(
  pins: Readonly<Record<string, string>>,
  version: string,
): Record<string, string> {
  const raise = ([name, pin]: [string, string]) => [name, name.startsWith(OWN) ? version : pin];
  return Object.fromEntries(Object.entries(pins).map(raise)) as Record<string, string>;
}

function print(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const UNRELEASED = '## Unreleased\n';

/**
 * The changelog with what was unreleased under this version and date (`2026-11-22`), and room for what comes
 * next; undefined when nothing is listed there. A section of this version that has no date yet gets it, behind what is newer.
 */
export function releaseChangelog(text: string, version: string, date: string): string | undefined {
  const start = text.indexOf(UNRELEASED);
  if (start < 0) return undefined;
  const undated = `\n## ${version}\n`;
  const listed = text.replace(undated, '');
  const content = listed.slice(start + UNRELEASED.length).split(/^## /m)[0]!;
  if (!/^- \S/m.test(content)) return undefined;
  return listed.replace(UNRELEASED, () => `${UNRELEASED}\n## ${version} (${date})\n`);
}
