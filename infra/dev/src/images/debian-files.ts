/**
 * What Node needs of an operating system: the C and C++ libraries, out of Debian's own packages. Each package is pinned by
 * its version and its hash, so that an image holds the same bytes wherever it is built.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  /** What is taken of it. */
  readonly files: readonly string[];
}

const LIBRARIES = 'lib/x86_64-linux-gnu';

export const DEBIAN_PACKAGES: readonly DebianPackage[] = [
  {
    name: 'libc6',
    version: '2.36-9+deb12u14',
    sha256: 'ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
    files: [
      'lib64/ld-linux-x86-64.so.2',
      ...[
        'ld-linux-x86-64.so.2',
        'libc.so.6',
        'libdl.so.2',
        'libm.so.6',
        'libpthread.so.0',
        'libresolv.so.2',
        'librt.so.1',
      ].map((name) => `${LIBRARIES}/${name}`),
      'usr/share/doc/libc6/copyright',
    ],
  },
  {
    name: 'libstdc++6',
    version: '12.2.0-14+deb12u1',
    sha256: '5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
    files: [`usr/${LIBRARIES}/libstdc++.so.6`, `usr/${LIBRARIES}/libstdc++.so.6.0.30`],
  },
  {
    name: 'libgcc-s1',
    version: '12.2.0-14+deb12u1',
    sha256: '3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7',
    files: [`${LIBRARIES}/libgcc_s.so.1`],
  },
];

/** Whether this machine's sources have exactly these versions. */
export function hasDebianPackages(): boolean {
  const wanted = DEBIAN_PACKAGES.map(({ name, version }) => `${name}=${version}`);
  try {
    execFileSync('apt-cache', ['show', '--no-all-versions', ...wanted], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Puts the files into `tree`. `work` is a folder of this call's own. Throws where a package has another hash. */
export function takeDebianFiles(tree: string, work: string): void {
  for (const { name, version, sha256, files } of DEBIAN_PACKAGES) {
    const cwd = join(work, name);
    mkdirSync(cwd, { recursive: true });
    const asRoot = ['-o', 'APT::Sandbox::User=root'];
    execFileSync('apt-get', ['-qq', ...asRoot, 'download', `${name}=${version}`], { cwd });
    const [file] = readdirSync(cwd);
    requireHash(join(cwd, file!), sha256);
    execFileSync('dpkg-deb', ['-x', file!, 'files'], { cwd });
    for (const path of files) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      cpSync(join(cwd, 'files', path), join(tree, path), { verbatimSymlinks: true });
    }
  }
}

/** Throws where the file's content is another one. */
export function requireHash(path: string, sha256: string): void {
  const found = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (found !== sha256) throw new Error(`${path}: its SHA-256 is ${found}, not ${sha256}`);
}
