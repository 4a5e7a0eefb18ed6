/**
 * Two real PostgreSQL servers, one of which follows the other, on the programs that the vault brings. An agent beside each
 * says by HTTP whether it is the primary one, as Patroni's do: they are not at hand, so the drill decides and promotes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  chooseAccount,
  chooseFolder,
  findPlatformPackage,
  giveTo,
  preparePrograms,
  type Account,
  type Programs,
} from '../../../infra/dev/dist/embedded/postgres-programs.js';
import {
  findFreePort,
  runCommand,
  startServerProcess,
  type ServerProcess,
} from '../../../infra/dev/dist/embedded/server-process.js';
import { query, onConnection } from '../../../test/support/signing-load.ts';
import { eventually } from '../../../test/support/test-vault.ts';
import { end } from './haproxy.ts';

const STANDBY = 'standby';
const START_MS = 60_000;

export interface DatabaseServer {
  readonly name: string;
  readonly port: number;
  /** Where its agent answers `GET /primary`. */
  readonly agentPort: number;
  /** The owner's, past every proxy. */
  readonly url: string;
  /** Ends at once, as a machine that loses its power. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

export interface DatabasePair {
  readonly primary: DatabaseServer;
  readonly standby: DatabaseServer;
  /** Waits with each commit until the standby has it on its disk, or waits no more. */
  synchronous(isOn: boolean): Promise<void>;
  /** What a failover does: the standby becomes the primary, and waits for nobody. */
  promote(): Promise<void>;
  /** From a fresh copy of the primary. */
  rebuildStandby(): Promise<void>;
  close(): Promise<void>;
}

interface Machine {
  readonly folder: string;
  readonly account: Account;
  readonly programs: Programs;
}

/** `wireTo`: the port at which the standby finds the primary, which is `port` itself or leads there. */
export async function openDatabasePair(
  home: string,
  wireTo: (port: number) => Promise<number>,
): Promise<DatabasePair> {
  const account = await chooseAccount(process.env);
  const folder = await chooseFolder(home, account, () => undefined);
  const programs = await preparePrograms(findPlatformPackage(), folder, account);
  const machine = { folder, account, programs };
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'drill\n', { mode: 0o600 });
  await giveTo(account, passwordFile);
  const data = await makeFolder(machine, 'first');
  const initdb = ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`];
  const how = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await runCommand(programs.run('initdb', [...initdb, ...how]), 3 * START_MS);
  const primary = await openServer(machine, 'first');
  await primary.start();
  const standby = await openServer(machine, 'second');
  const wire = await wireTo(primary.port);
  const rebuildStandby = async () => {
    await standby.crash();
    await copyRunning(machine, primary, standby.name, wire);
    await standby.start();
  };
  await rebuildStandby();
  return {
    primary,
    standby,
    rebuildStandby,
    async synchronous(isOn) {
      await configure(primary, `synchronous_standby_names = '${isOn ? STANDBY : ''}'`);
      if (isOn) await eventually(() => isFollowed(primary), START_MS);
    },
    async promote() {
      await query(standby.url, 'SELECT pg_promote(true, 60)');
      await configure(standby, "synchronous_standby_names = ''");
    },
    async close() {
      for (const server of [primary, standby]) await (server as OpenServer).stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface OpenServer extends DatabaseServer {
  stop(): Promise<void>;
}

/** Empty, and the account's own: the folder around it is not. */
async function makeFolder({ folder, account }: Machine, name: string): Promise<string> {
  const data = join(folder, name);
  mkdirSync(data, { mode: 0o700 });
  await giveTo(account, data);
  return data;
}

async function openServer(machine: Machine, name: string): Promise<OpenServer> {
  const port = await findFreePort();
  const url = `postgres://postgres:drill@127.0.0.1:${port}/postgres`;
  const agent = await openAgent(url);
  let server: ServerProcess | undefined;
  const data = join(machine.folder, name);
  const endBy = async (signal: NodeJS.Signals) => {
    if (server === undefined) return;
    process.kill(server.pid, signal);
    await server.stop();
    server = undefined;
  };
  return {
    ...{ name, port, url },
    agentPort: agent.port,
    async start() {
      const settings = [
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        'wal_keep_size=1GB',
      ];
      const given = [...settings, 'max_connections=200'].flatMap((one) => ['-c', one]);
      server = await startServerProcess({
        name,
        command: machine.programs.run('postgres', ['-D', data, '-p', String(port), ...given]),
        readyText: 'ready to accept',
        readyTimeoutMs: START_MS,
        stopSteps: [
          ['SIGINT', 20_000],
          ['SIGQUIT', 10_000],
        ],
        log: () => undefined,
      });
    },
    crash: () => endBy('SIGQUIT'),
    async stop() {
      await agent.close();
      await endBy('SIGINT');
    },
  };
}

interface Agent {
  readonly port: number;
  close(): Promise<void>;
}

async function openAgent(url: string): Promise<Agent> {
  const program = fileURLToPath(new URL('primary-agent.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, url], { stdio: ['pipe', 'pipe', 'ignore'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { port: Number(line.toString()), close: () => end(child) };
}

/** As `pg_basebackup` copies, whose program is not among those that the vault brings. */
async function copyRunning(
  machine: Machine,
  from: DatabaseServer,
  name: string,
  wire: number,
): Promise<void> {
  const [source, copy] = [join(machine.folder, from.name), join(machine.folder, name)];
  rmSync(copy, { recursive: true, force: true });
  await onConnection(from.url, async (client) => {
    await client.query("SELECT pg_backup_start('standby', true)");
    cpSync(source, copy, {
      recursive: true,
      filter: (path) => !/\/postmaster\.(pid|opts)$/.test(path),
    });
    const { rows } = await client.query<{ labelfile: string }>('SELECT * FROM pg_backup_stop()');
    writeFileSync(join(copy, 'backup_label'), rows[0]!.labelfile);
  });
  writeFileSync(join(copy, 'standby.signal'), '');
  const way = `host=127.0.0.1 port=${wire} user=postgres password=drill application_name=${STANDBY}`;
  appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${way}'\n`);
  await giveAll(machine, copy);
}

async function giveAll({ account }: Machine, data: string): Promise<void> {
  await runCommand({ file: 'chmod', args: ['700', data], env: process.env }, START_MS);
  if (account.owner === undefined) return;
  const owner = `${account.owner.uid}:${account.owner.gid}`;
  await runCommand({ file: 'chown', args: ['-R', owner, data], env: process.env }, START_MS);
}

async function configure({ url }: DatabaseServer, setting: string): Promise<void> {
  await query(url, `ALTER SYSTEM SET ${setting}`);
  await query(url, 'SELECT pg_reload_conf()');
}

async function isFollowed({ url }: DatabaseServer): Promise<boolean> {
  const rows = await query<{ sync_state: string }>(
    url,
    'SELECT sync_state FROM pg_stat_replication WHERE state = $1',
    ['streaming'],
  );
  return rows.some(({ sync_state: state }) => state === 'sync');
}
