// Plain JavaScript: infra/launch.mjs asks it before anything is installed.
import { join } from 'node:path';

/** What installs the packages and starts the pinned Node. */
const ENOUGH_TO_BEGIN = '20.19';
/** What runs the vault where no package brings a Node. */
const ENOUGH_TO_RUN = '22.12';

/** Machines (`platform-arch`) whose Node comes as a package; `package.json` pins its version. */
const PACKAGED = new Set(['linux-x64', 'linux-arm64']);

/** Folder of the package that brings this machine's Node, below the working folder; undefined where there is none. */
export function pinnedPackage({ platform, arch } = process) {
  const machine = `${platform}-${arch}`;
  return PACKAGED.has(machine) ? `node_modules/node-${machine}` : undefined;
}

/** The program in such a package. */
export function programOf(folder) {
  return join(folder, 'bin', 'node');
}

/** What this Node is too old for, as one sentence; undefined where it will do. */
export function faultOf({ platform, arch, versions: { node } } = process) {
  const hasPackage = pinnedPackage({ platform, arch }) !== undefined;
  const enough = hasPackage ? ENOUGH_TO_BEGIN : ENOUGH_TO_RUN;
  if (isAtLeast(node, enough)) return undefined;
  return `Countersign needs Node ${enough} or newer on ${platform}-${arch}; this is ${node}.`;
}

function isAtLeast(version, bound) {
  const [major, minor] = version.split('.').map(Number);
  const [boundMajor, boundMinor] = bound.split('.').map(Number);
  return major > boundMajor || (major === boundMajor && minor >= boundMinor);
}
