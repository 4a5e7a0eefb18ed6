/** Lays out the root folder of an image: the same files with the same modes, wherever and whenever it is done. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundle, ROOT } from '../build/bundle.js';
import { takeDebianFiles } from './debian-files.js';
import { IMAGE_HOME, IMAGES, isLeftOut, MACHINE, type ImageName } from './images.js';

const NODE = `node_modules/node-${MACHINE}/bin/node`;

/** Who is who in an image, and where names of hosts are looked up. */
const SYSTEM_FILES = {
  'etc/passwd': 'root:x:0:0::/:/\ncountersign:x:10001:10001::/var/lib/countersign:/\n',
  'etc/group': 'root:x:0:\ncountersign:x:10001:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/** The image's root. `work`: a folder of this call's own. What `npm run build` makes has to be there. */
export async function layOut(image: ImageName, tree: string, work: string): Promise<void> {
  const home = join(tree, IMAGE_HOME);
  takeDebianFiles(tree, work);
  copy(join(ROOT, NODE), join(tree, 'usr/local/bin/node'));
  for (const [path, text] of Object.entries(SYSTEM_FILES)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  // so that they are root's: the folder of the pin file comes into it
  mkdirSync(join(tree, 'var/lib'), { recursive: true });
  const { programs, packages, folders } = IMAGES[image];
  copy(join(ROOT, 'package.json'), join(home, 'package.json'));
  for (const program of programs) await layOutProgram(program, home);
  for (const folder of folders) copy(join(ROOT, folder), join(home, folder));
  for (const name of withDependencies(packages)) {
    copy(join(ROOT, 'node_modules', name), join(home, 'node_modules', name));
  }
  setModes(tree);
}

async function layOutProgram(program: string, home: string): Promise<void> {
  copy(join(ROOT, program, 'package.json'), join(home, program, 'package.json'));
  if (program === 'infra/admin') return bundleAdmin(join(home, program, 'bundle'));
  copy(join(ROOT, program, 'bundle'), join(home, program, 'bundle'));
}

/** On a checkout the command is run as it was compiled. Its thread lies where the code that starts it looks. */
function bundleAdmin(dir: string): Promise<void> {
  const built = (name: string) => join(ROOT, 'infra/admin/dist', `${name}.js`);
  return bundle(
    { countersign: built('countersign'), 'line-thread': built('audit/line-thread') },
    { dir, format: 'esm', sourcemap: false },
  );
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !isLeftOut(path, MACHINE) });
}

/** These packages and what they need, in alphabetical order. What a package has in a folder of its own comes with it. */
function withDependencies(packages: readonly string[]): string[] {
  const top = join(ROOT, 'node_modules');
  const found = new Set<string>();
  const visit = (from: string, name: string): void => {
    const folder = nearest(from, name);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as { dependencies?: Record<string, string> };
    for (const one of Object.keys(dependencies)) visit(folder, one);
  };
  for (const name of packages) visit(ROOT, name);
  const names = [...found].map((folder) => relative(top, folder));
  return names.filter((name) => !name.includes('node_modules')).toSorted();
}

/** Where Node finds the package for whoever lies in `from`; undefined where it is not installed. */
function nearest(from: string, name: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return folder;
  return from === dirname(from) ? undefined : nearest(dirname(from), name);
}

/** As nobody's `umask` has it: everybody may read, root alone may write. */
function setModes(folder: string): void {
  chmodSync(folder, 0o755);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) continue;
    if (stat.isDirectory()) setModes(path);
    else chmodSync(path, (stat.mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
