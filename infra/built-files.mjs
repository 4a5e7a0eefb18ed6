// Plain JavaScript: infra/launch.mjs asks it before anything is built.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';

/** What compiler, bundler and Vite make, by the folder's name; the rest is what they make it of. */
const MADE = new Set(['dist', 'bundle', 'bench-dist']);
/** What others bring, and what a program's own start may add to its bundle. */
const LEFT_OUT = new Set(['node_modules', 'code-cache']);
const FOLDERS = [
  'docs/how-to/runbooks',
  'shared',
  'gateway',
  'signer',
  'notifier',
  'client',
  'console',
  'infra',
  'workshop',
];
const ROOT_FILES = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.build.json',
];

/**
 * Digests, in hex, of every file below the working folder that a build reads (`read`) and that it makes (`made`), with its
 * size and time. To look at them all takes a tenth of what compiler and bundler need to say that there is nothing to do.
 */
export function digestFiles() {
  const lines = { read: [], made: [] };
  const note = (path, place) => {
    const { size, mtimeMs } = statSync(path);
    lines[place].push(`${path} ${size} ${mtimeMs}\n`);
  };
  const visit = (folder, place) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (!entry.isDirectory()) note(path, place);
      else if (!LEFT_OUT.has(entry.name)) visit(path, MADE.has(entry.name) ? 'made' : place);
    }
  };
  for (const folder of FOLDERS) visit(folder, 'read');
  for (const file of ROOT_FILES) note(file, 'read');
  return { read: digestOf(lines.read), made: digestOf(lines.made) };
}

function digestOf(lines) {
  return createHash('sha256').update(lines.join('')).digest('hex');
}
