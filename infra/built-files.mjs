// Plain JavaScript: infra/launch.mjs asks it before anything is built.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';

/** What compiler, bundler and Vite make, by the folder's name; the rest is what they make it of. */
const MADE = new Set(['dist', 'bundle', 'bench-dist']);
const FOLDERS = ['shared', 'gateway', 'signer', 'notifier', 'client', 'console', 'infra'];
const ROOT_FILES = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.build.json',
];

/**
 * A digest, in hex, of every file below the working folder that a build reads (`which` is 'read') or makes ('made'), with its
 * size and time. To look at them all takes a tenth of what compiler and bundler need to say that there is nothing to do.
 */
export function digestFiles(which) {
  const digest = createHash('sha256');
  const note = (path) => {
    const { size, mtimeMs } = statSync(path);
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  };
  const visit = (folder, place) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') visit(path, MADE.has(entry.name) ? 'made' : place);
      } else if (place === which) note(path);
    }
  };
  for (const folder of FOLDERS) visit(folder, 'read');
  if (which === 'read') ROOT_FILES.forEach(note);
  return digest.digest('hex');
}
