/**
 * The rules of infra/monitoring/alerts.yml in a real Prometheus that collects a real vault: what an operator is told while
 * strangers ask, jobs are forged, the database stalls, a disk is full, a clock moves, and parties hang and end. Waits
 * (`for`) and ranges are seconds here; thresholds are as they stand. It takes some minutes, most of which the rules themselves ask for;
 * `apt-get install prometheus` has what it needs. What nothing simple brings about is tried on series alone:
 * infra/monitoring/alerts.tests.yml.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSigner } from '../../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../../infra/dev/dist/stack/vault-process.js';
import { findReplicas, openRedisAttacker } from '../../test/support/attacker.ts';
import pg from 'pg';
import { hasPrometheus } from '../../test/support/monitoring-tools.ts';
import { canMount, openSmallDisk } from '../../test/support/small-disk.ts';
import { runWhere } from '../../test/support/run-where.ts';
import { deliver, rawSignRequest } from '../../test/support/signed-request.ts';
import {
  eventually,
  expectOk,
  openTestVault,
  type TestVault,
} from '../../test/support/test-vault.ts';
import type { TestWallet } from '../../test/support/test-vault.ts';

const RUNBOOKS = 'https://git.example.com/countersign/blob/main/docs/how-to/runbooks/';
const FIRES_WITHIN_MS = 90_000;
const MOVED_MS = 240_000;

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: string;
}

let vault: TestVault;
let wallet: TestWallet;
/** A second replica of party 3, whose clock can be moved. */
let secondary: VaultProcess;
let folder: string;
let prometheus: ChildProcess;
let address: string;

runWhere(
  describe,
  hasPrometheus,
  'needs prometheus and promtool',
)('an operator', () => {
  beforeAll(async () => {
    vault = await openTestVault({ metricsPort: 0, hasNotifier: true });
    const clock = new URL('../../test/support/moving-clock.mjs', import.meta.url);
    clock.search = `?step=${MOVED_MS}`;
    const execArgv = ['--import', clock.href];
    secondary = await startSigner({ ...vault.options, execArgv }, 3, 'b');
    wallet = await vault.createWallet();
    folder = mkdtempSync(join(tmpdir(), 'countersign-alerts-'));
    await startPrometheus();
  }, 120_000);
  afterAll(async () => {
    isOver = true;
    for (const signer of vault?.stack.signers ?? []) signer.kill('SIGCONT');
    if (prometheus?.exitCode === null) {
      prometheus.kill('SIGTERM');
      await once(prometheus, 'exit');
    }
    await secondary?.stop();
    for (const path of [vault?.prepared.pinFile('party-1'), join(folder, 'disk/x')]) {
      if (path !== undefined) spawnSync('umount', ['-l', dirname(path)]);
    }
    await vault?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  it(
    'is told nothing of processes that are there',
    async () => {
      const url = `${address}/api/v1/query?query=${encodeURIComponent('sum(up{job=~"countersign-.*"})')}`;
      const processes = 1 + vault.stack.signers.length + 1 + 1;
      await eventually(async () => (await readSum(url)) === processes);
      const told = (await alerts()).map(({ labels }) => labels['alertname']);
      expect(told.filter((name) => name === 'CountersignDown')).toEqual([]);
    },
    FIRES_WITHIN_MS,
  );

  it(
    'is told of a freeze',
    async () => {
      const { vaultId } = await vault.createWallet();
      await expectOk(vault.admin, 'POST', `/v1/vaults/freeze?vault_ids=${vaultId}`);
      await expectFiring('CountersignFrozen', { scope: 'vault', severity: 'info' });
    },
    FIRES_WITHIN_MS,
  );

  it(
    'is told of strangers',
    async () => {
      const replayed = signRequest();
      await deliver(vault.baseUrl, replayed);
      const wrong = { 'x-request-assertion': 'A'.repeat(86) };
      const stop = keepDoing(16, (turn) =>
        turn % 8 === 0
          ? deliver(vault.baseUrl, replayed)
          : deliver(vault.baseUrl, signRequest(), wrong),
      );
      await expectFiring('CountersignReplays', { severity: 'warn' });
      await expectFiring('CountersignAuthenticationFailures', { severity: 'warn' });
      await expectFiring('CountersignRateLimited', { limit: 'failures', severity: 'warn' });
      await stop();
    },
    3 * FIRES_WITHIN_MS,
  );

  it(
    'is told of an alarm, and of whose it is',
    async () => {
      const attacker = openRedisAttacker(vault.servers.redis.url);
      const [replica] = await findReplicas(attacker.redis);
      await attacker.addJob(replica, 'no gateway sealed this');
      await attacker.close();
      const labels = { accuser: 'party_1', kind: 'forged_job', severity: 'page' };
      await expectFiring('CountersignAlarm', labels);
    },
    FIRES_WITHIN_MS,
  );

  it(
    'is told of a process that gets no processor',
    async () => {
      const { gateway } = vault.stack;
      const stop = keepDoing(1, async () => {
        gateway.kill('SIGSTOP');
        await setTimeout(600);
        gateway.kill('SIGCONT');
        await setTimeout(300);
      });
      const labels = { job: 'countersign-gateway', severity: 'warn' };
      await expectFiring('CountersignEventLoopSlow', labels);
      await stop();
      gateway.kill('SIGCONT');
    },
    FIRES_WITHIN_MS,
  );

  it(
    'is told of a database that stalls: of nodes, callers and the notifier',
    async () => {
      const owner = new pg.Client({ connectionString: vault.servers.ownerUrl });
      await owner.connect();
      await owner.query('BEGIN; LOCK TABLE ledger_entry, request_result IN ACCESS EXCLUSIVE MODE');
      const stop = keepDoing(4, () => deliver(vault.baseUrl, signRequest()));
      const read = { job: 'countersign-signer', severity: 'page' };
      await expectFiring('CountersignLedgerUnconfirmed', read);
      await expectFiring('CountersignEventsLate', { severity: 'warn' });
      await owner.end();
      await stop();
      await eventually(
        async () => !(await isFiring('CountersignLedgerUnconfirmed')),
        FIRES_WITHIN_MS,
      );
    },
    4 * FIRES_WITHIN_MS,
  );

  runWhere(it, canMount(), 'needs the right to mount')(
    'is told of a disk that is full',
    async () => {
      const pins = dirname(vault.prepared.pinFile('party-1'));
      const disk = openSmallDisk(join(folder, 'disk'));
      cpSync(pins, disk.folder, { recursive: true });
      execFileSync('mount', ['--bind', disk.folder, pins]);
      disk.fill();
      try {
        await vault.admin.send({
          method: 'POST',
          target: '/v1/vaults',
          headers: { prefer: 'respond-async' },
          body: { display_name: 'cannot be pinned' },
        });
        await expectFiring('CountersignPartyDown', { party: '1', severity: 'page' });
        const health = await fetch(`${vault.baseUrl}/health`);
        expect(await health.text()).toContain('cannot_pin');
      } finally {
        disk.free();
      }
      await eventually(async () => !(await isFiring('CountersignPartyDown')), FIRES_WITHIN_MS);
    },
    3 * FIRES_WITHIN_MS,
  );

  it(
    'is told of a clock that moves',
    async () => {
      secondary.kill('SIGUSR2');
      // at the next change that process sees how far it is from the time of the parties
      const stop = keepDoing(1, async () => {
        await vault.createMachine();
        await setTimeout(1_000);
      });
      const wrong = { accuser: 'party_3', kind: 'clock_differs', severity: 'page' };
      await expectFiring('CountersignAlarm', wrong);
      await stop();
    },
    FIRES_WITHIN_MS,
  );

  it(
    'is told of a party that hangs, and of what waits for it',
    async () => {
      vault.stack.signers[1]!.kill('SIGSTOP');
      const stop = keepDoing(4, () => deliver(vault.baseUrl, signRequest()));
      await expectFiring('CountersignQueueOld', { queue: 'party_2', severity: 'page' });
      await expectFiring('CountersignPartyDown', { party: '2', severity: 'page' });
      await stop();
    },
    2 * FIRES_WITHIN_MS,
  );

  it(
    'is told when too few are left: of each process, and of what comes to nothing',
    async () => {
      vault.stack.signers[2]!.kill('SIGKILL');
      await expectFiring('CountersignDown', { job: 'countersign-signer', severity: 'page' });
      // the other replica of party 3, which is there and may do nothing
      await expectFiring('CountersignSignerNotReady', { severity: 'page' });
      const stop = keepDoing(2, () => deliver(vault.baseUrl, signRequest()));
      await expectFiring('CountersignSignFailures', { severity: 'page' });
      await stop();
      await vault.admin.send({
        method: 'POST',
        target: '/v1/vaults',
        headers: { prefer: 'respond-async' },
        body: { display_name: 'waits for two parties' },
      });
      await expectFiring('CountersignGovernanceStuck', { severity: 'page' });
      await expectFiring('CountersignAlarm', { accuser: 'gateway', kind: 'governance_stuck' });
    },
    5 * FIRES_WITHIN_MS,
  );
});

const signRequest = () =>
  rawSignRequest(vault.adminCredential, wallet.path, Buffer.from('for the alerts'));

let isOver = false;

/** So many at a time, whatever comes back; what is given ends it. */
function keepDoing(width: number, act: (turn: number) => Promise<unknown>): () => Promise<void> {
  let isDone = false;
  let turn = 0;
  const one = async () => {
    while (!isDone && !isOver) await act((turn += 1)).catch(() => undefined);
  };
  const all = Array.from({ length: width }, one);
  return async () => {
    isDone = true;
    await Promise.all(all);
  };
}

async function askPrometheus<Data>(url: string): Promise<Data> {
  const response = await fetch(url);
  return ((await response.json()) as { data: Data }).data;
}

async function readSum(url: string): Promise<number> {
  const { result } = await askPrometheus<{ result: { value: [number, string] }[] }>(url);
  return Number(result[0]?.value[1] ?? 0);
}

const isFiring = async (alertname: string) =>
  (await alerts()).some(
    ({ labels, state }) => labels['alertname'] === alertname && state === 'firing',
  );

const alerts = async () =>
  (await askPrometheus<{ alerts: Alert[] }>(`${address}/api/v1/alerts`)).alerts;

/** With a summary for people, and the page that says what to do. */
async function expectFiring(
  alertname: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const wanted = Object.entries({ alertname, ...labels });
  const alert = await eventually(
    async () =>
      (await alerts()).find(
        (one) =>
          one.state === 'firing' && wanted.every(([name, value]) => one.labels[name] === value),
      ),
    FIRES_WITHIN_MS,
  ).catch(async () => {
    throw new Error(`${alertname} did not fire; there are ${JSON.stringify(await alerts())}`);
  });
  expect(alert.annotations['runbook_url']).toBe(`${RUNBOOKS}${alertname}.md`);
  expect(alert.annotations['summary']).toMatch(/\w{3}/);
}

/** Where a process tells its metrics: it says so in its log. */
async function targetOf({ output }: VaultProcess): Promise<string> {
  const line = await eventually(() =>
    output()
      .split('\n')
      .find((text) => text.includes('"event":"metrics"')),
  );
  return `127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
}

/** The configuration that operators are given, with this vault's processes and short times in it. */
async function writeConfig(): Promise<string> {
  const { gateway, signers, notifier } = vault.stack;
  const targets: Readonly<Record<string, readonly VaultProcess[]>> = {
    'countersign-gateway': [gateway],
    'countersign-signer': [...signers, secondary],
    'countersign-notifier': [notifier!],
    'countersign-prices': [],
  };
  const given = readFileSync('infra/monitoring/prometheus.yml', 'utf8');
  const [head] = given.replaceAll(/(_interval): 5s/g, '$1: 500ms').split('scrape_configs:');
  const jobs = await Promise.all(
    Object.entries(targets).map(async ([job, processes]) => {
      expect(given).toContain(`job_name: ${job}\n`);
      const all = await Promise.all(processes.map(targetOf));
      return `  - job_name: ${job}\n    static_configs:\n      - targets: ${JSON.stringify(all)}\n`;
    }),
  );
  writeFileSync(join(folder, 'prometheus.yml'), `${head}scrape_configs:\n${jobs.join('')}`);
  const rules = readFileSync('infra/monitoring/alerts.yml', 'utf8')
    .replaceAll(/for: \w+/g, 'for: 1s')
    .replaceAll('[5m]', '[10s]')
    .replaceAll('[10m]', '[30s]')
    .replaceAll('offset 10m', 'offset 30s');
  writeFileSync(join(folder, 'alerts.yml'), rules);
  return join(folder, 'prometheus.yml');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function startPrometheus(): Promise<void> {
  const file = await writeConfig();
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  prometheus = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  await eventually(async () => {
    if (prometheus.exitCode !== null) throw new Error('prometheus ended');
    return (await fetch(`${address}/-/ready`).catch(() => undefined))?.ok === true;
  });
}
