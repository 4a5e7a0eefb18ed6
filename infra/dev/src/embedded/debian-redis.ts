import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withFolderLock } from './folder-lock.js';
import { removeMatching } from './private-folder.js';
import { type LogLine, runCommand, succeeds } from './server-process.js';

/** A Redis or Valkey program from unpacked packages, and the environment it needs. */
export interface UnpackedServer {
  file: string;
  env: NodeJS.ProcessEnv;
}

interface Apt {
  /** Working folder for packages; everything else is below its parent. */
  downloads: string;
  run(...args: string[]): Promise<string>;
}

const SERVER_NAMES = ['valkey-server', 'redis-server'];
const STEP_TIMEOUT_MS = 120_000;

/**
 * Finds or fetches a server from the packages of this Debian or Ubuntu, without root and without
 * installing anything: apt downloads and checks the signatures, and the packages are unpacked into
 * `<folder>/redis-root`, which later calls reuse. Servers with different data may share the folder:
 * one of them fetches, the others wait.
 *
 * Throws an Error when there is no apt here, or with what apt said last.
 */
export async function openDebianServer(
  folder: string,
  env: NodeJS.ProcessEnv,
  log: LogLine,
): Promise<UnpackedServer> {
  const root = join(folder, 'redis-root');
  const findCached = (): Promise<UnpackedServer | undefined> => findServerIn(root, env);
  const cached = await findCached();
  if (cached !== undefined) return cached;
  return withFolderLock(join(folder, 'redis-packages.lock'), async () => {
    const fetchedByAnother = await findCached();
    if (fetchedByAnother !== undefined) return fetchedByAnother;
    await expectTools(env);
    await retryFetch(() => fetchPackages(folder, root, env, log), log);
    const fetched = await findCached();
    if (fetched === undefined) throw new Error('the downloaded server does not run here');
    return fetched;
  });
}

async function expectTools(env: NodeJS.ProcessEnv): Promise<void> {
  for (const tool of ['apt-get', 'dpkg-deb']) {
    const isThere = await succeeds({ file: tool, args: ['--version'], env });
    if (!isThere) throw new Error(`${tool} is not available`);
  }
}

const FETCH_TRIES = 3;

/** A package mirror that does not answer at once is no reason to give up. */
async function retryFetch(fetch: () => Promise<void>, log: LogLine): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch();
    } catch (error) {
      if (attempt === FETCH_TRIES) throw error;
      log(`fetching packages failed, trying again: ${String(error)}`);
    }
  }
}

async function findServerIn(
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<UnpackedServer | undefined> {
  const libraries = await findLibraryFolders(root);
  for (const name of SERVER_NAMES) {
    const server = {
      file: join(root, 'usr', 'bin', name),
      env: { ...env, LD_LIBRARY_PATH: libraries.join(':') },
    };
    if (await succeeds({ ...server, args: ['--version'] })) return server;
  }
  return undefined;
}

/** For example `usr/lib/x86_64-linux-gnu`: the name depends on the machine. */
async function findLibraryFolders(root: string): Promise<string[]> {
  const parent = join(root, 'usr', 'lib');
  const names = await readdir(parent).catch(() => []);
  return names.filter((name) => name.includes('-linux-gnu')).map((name) => join(parent, name));
}

/** Works in a folder of its own and renames the result, so that a half fetch is never used. */
async function fetchPackages(
  folder: string,
  root: string,
  env: NodeJS.ProcessEnv,
  log: LogLine,
): Promise<void> {
  const startedAt = Date.now();
  await removeMatching(folder, /^redis-fetch-/);
  const work = await mkdtemp(join(folder, 'redis-fetch-'));
  try {
    log('no Redis on PATH: fetching the packages of this system (once, without installing)');
    const apt = await openApt(work, env);
    await apt.run('update');
    await apt.run('download', ...(await resolvePackages(apt)));
    await unpack(apt.downloads, join(work, 'root'), env);
    await rm(root, { recursive: true, force: true });
    await rename(join(work, 'root'), root);
    log(`Redis packages unpacked in ${root} (${Date.now() - startedAt} ms)`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** apt with all its state in `work`; of the system it reads the sources, keys and what is there. */
async function openApt(work: string, env: NodeJS.ProcessEnv): Promise<Apt> {
  const state = join(work, 'state');
  const cache = join(work, 'cache');
  const downloads = join(work, 'dl');
  for (const path of [join(state, 'lists', 'partial'), join(cache, 'archives', 'partial')]) {
    await mkdir(path, { recursive: true });
  }
  await mkdir(downloads);
  const settings = [
    `Dir::State=${state}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${cache}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=',
  ].flatMap((setting) => ['-o', setting]);
  const call = { file: 'apt-get', cwd: downloads, env: { ...env, LC_ALL: 'C' } };
  return {
    downloads,
    run: (...args) => runCommand({ ...call, args: ['-qq', ...settings, ...args] }, STEP_TIMEOUT_MS),
  };
}

/** The server package and what it lacks here, from the lines "Inst <package> (...)" of a dry run. */
async function resolvePackages(apt: Apt): Promise<string[]> {
  let failure: unknown;
  for (const name of SERVER_NAMES) {
    try {
      const plan = await apt.run('-y', '-s', '--no-install-recommends', 'install', name);
      const missing = [...plan.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] ?? '');
      return [...new Set([name, ...missing])];
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function unpack(downloads: string, root: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(root);
  for (const name of await readdir(downloads)) {
    if (!name.endsWith('.deb')) continue;
    const args = ['-x', join(downloads, name), root];
    await runCommand({ file: 'dpkg-deb', args, env }, STEP_TIMEOUT_MS);
  }
}
