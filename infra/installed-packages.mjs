// Plain JavaScript: infra/launch.mjs asks it before anything is installed.
import { existsSync, readFileSync } from 'node:fs';
import { pinnedPackage } from './pinned-node.mjs';

/** Where npm says what it has installed, after each install that came to its end. */
const INSTALLED = 'node_modules/.package-lock.json';

/**
 * Whether npm has installed below the working folder what its `package-lock.json` asks for: every package in the same
 * version, with the same content. Those that are optional may be missing, for most are of other machines; not so the
 * Node of this one.
 */
export function areInstalled(ownNode = pinnedPackage()) {
  if (!existsSync(INSTALLED)) return false;
  const wanted = packagesOf('package-lock.json');
  const installed = packagesOf(INSTALLED);
  return Object.entries(wanted).every(([path, { version, integrity, optional, link }]) => {
    if (link === true || !path.includes('node_modules/')) return true; // a workspace: it is the repository's own
    const found = installed[path];
    if (found === undefined) return optional === true && path !== ownNode;
    return found.version === version && found.integrity === integrity;
  });
}

function packagesOf(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages;
}
