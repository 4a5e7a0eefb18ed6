/** What a release would do, or why it may not be made. Decides from what it is given and touches nothing. */
import {
  isLower,
  parseVersion,
  raiseLock,
  raiseManifest,
  releaseChangelog,
} from './release-texts.js';

export interface ReleaseFacts {
  /** As it was asked for, e.g. `0.2.0`. */
  readonly version: string;
  /** e.g. `2026-11-22`. */
  readonly today: string;
  readonly branch: string;
  /** Paths that are changed or unknown to git. */
  readonly dirty: readonly string[];
  readonly tags: readonly string[];
  /** `package.json` of the root. */
  readonly manifest: string;
  /** By the folder of the workspace. */
  readonly workspaces: ReadonlyMap<string, string>;
  readonly lock: string;
  readonly changelog: string;
  /** The API description of the specification's release, as the gateway serves it. */
  readonly description: { readonly path: string; readonly text: string };
}

export interface ReleasePlan {
  /** Whole texts by path. */
  readonly writes: ReadonlyMap<string, string>;
  readonly message: string;
  readonly tag: string;
}

const MAIN = 'main';

/** All that stands against it is told at once. */
export function planRelease(facts: ReleaseFacts): ReleasePlan | { readonly faults: string[] } {
  const { version, changelog, today } = facts;
  const released = releaseChangelog(changelog, version, today);
  const faults = findFaults(facts);
  if (released === undefined) faults.push('CHANGELOG.md lists nothing under "## Unreleased"');
  if (released === undefined || faults.length > 0) return { faults };
  const writes = new Map([
    ['package.json', raiseManifest(facts.manifest, version)],
    ['package-lock.json', raiseLock(facts.lock, version, [...facts.workspaces.keys()])],
    ['CHANGELOG.md', released],
    [facts.description.path, facts.description.text],
  ]);
  for (const [folder, manifest] of facts.workspaces) {
    writes.set(`${folder}/package.json`, raiseManifest(manifest, version));
  }
  return { writes, message: `release: ${tagOf(version)}`, tag: tagOf(version) };
}

function findFaults({ version, branch, dirty, tags, manifest }: ReleaseFacts): string[] {
  const faults: string[] = [];
  const wanted = parseVersion(version);
  const current = (JSON.parse(manifest) as { version: string }).version;
  const now = parseVersion(current);
  if (wanted === undefined) faults.push(`"${version}" is no version: write it as 1.2.3`);
  else if (now !== undefined && isLower(wanted, now)) faults.push(`it is at ${current} already`);
  if (tags.includes(tagOf(version))) faults.push(`the tag ${tagOf(version)} is there already`);
  if (branch !== MAIN) faults.push(`releases are made on ${MAIN}, and this is "${branch}"`);
  if (dirty.length > 0) faults.push(`not committed: ${dirty.slice(0, 10).join(', ')}`);
  return faults;
}

function tagOf(version: string): string {
  return `v${version}`;
}
