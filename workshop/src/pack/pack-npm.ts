/** Makes a tarball of a workspace that installs alone: the other workspaces and packages that it needs are bundled into it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { rolldown, type OutputChunk } from 'rolldown';
import { copyDeclarations } from './copy-declarations.js';
import { licenceNotices } from './licence-notices.js';
import {
  modulesOf,
  publishedManifest,
  type Modules,
  type WorkspaceManifest,
} from './published-manifest.js';

/** In place of the native module, which no bundler takes and not every desk can load. */
const SODIUM = resolve('client/dist/platform/sodium-in-script.js');

/** The tarball's path. The working folder is the repository's, all of it built. */
export async function packNpm(workspace: string, folder: string): Promise<string> {
  const path = join(workspace, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as WorkspaceManifest;
  const stage = mkdtempSync(join(tmpdir(), 'countersign-pack-'));
  try {
    await fill(stage, workspace, manifest);
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
    const name = execFileSync('npm', args, { cwd: stage, encoding: 'utf8' }).trim();
    return join(folder, name);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

async function fill(stage: string, workspace: string, manifest: WorkspaceManifest): Promise<void> {
  const peers = Object.keys(manifest.peerDependencies ?? {});
  const modules = await writeBundle(stage, workspace, modulesOf(manifest), peers);
  writeFileSync(join(stage, 'THIRD-PARTY-NOTICES'), licenceNotices(modules));
  const declared = Object.values(manifest.exports).map(({ types }) => resolve(workspace, types));
  const placeOf = copyDeclarations(declared, join(stage, 'dist/types'));
  const typesOf = (path: string) => `./dist/types/${placeOf(resolve(workspace, path))}`;
  const published = publishedManifest(manifest, typesOf);
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  for (const name of ['README.md', ...manifest.files.filter((file) => file !== 'dist')]) {
    cpSync(join(workspace, name), join(stage, name), { recursive: true });
  }
}

/** The files that went into it. */
async function writeBundle(
  stage: string,
  workspace: string,
  modules: Modules,
  peers: readonly string[],
): Promise<string[]> {
  const input = Object.entries(modules).map(([place, path]) => [
    relative('dist', place).replace(/\.js$/, ''),
    resolve(workspace, path),
  ]);
  const made = await rolldown({
    platform: 'node',
    input: Object.fromEntries(input) as Record<string, string>,
    resolve: { alias: { 'sodium-native': SODIUM } },
    external: [...peers],
    logLevel: 'warn',
    onLog: (_level, log) => {
      // what cannot be found would be missing at a desk
      throw new Error(log.message);
    },
  });
  const { output } = await made.write({
    dir: join(stage, 'dist'),
    format: 'esm',
    chunkFileNames: 'shared-[hash].js',
    comments: false,
  });
  await made.close();
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  return chunks.flatMap(({ moduleIds }) => moduleIds);
}
