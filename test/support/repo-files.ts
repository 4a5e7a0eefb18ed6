/** The files that belong to the repository, without asking git: a copy that was unpacked has none. */
import { readdirSync } from 'node:fs';

const NOT_OURS = new Set([
  'node_modules',
  'dist',
  'bench-dist',
  'bundle',
  'coverage',
  '.git',
  '.countersign',
]);

/** Paths from the root of the repository, with `/`; folders end with one. */
export function repoPaths(folder = ''): string[] {
  return readdirSync(folder === '' ? '.' : folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (!entry.isDirectory()) return entry.name.endsWith('.tsbuildinfo') ? [] : [path];
    return NOT_OURS.has(entry.name) ? [] : [`${path}/`, ...repoPaths(`${path}/`)];
  });
}
