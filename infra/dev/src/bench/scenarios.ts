/** What is measured: each scenario gives the rows of the report. */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { valueOf } from '@countersign/client/call-result.js';
import { programPath } from '../stack/programs.js';
import { adminCaller, adminClient } from './bench-callers.js';
import { prepareTraffic, type OpenVault, type Traffic } from './bench-vault.js';
import type { AuditMeasurement } from './audit-program.js';
import type { FoldMeasurement } from './fold-program.js';
import type { LoadJob } from './load-job.js';
import { runLoad, type LoadMeasurement } from './load.js';
import { appendUsers } from './many-users.js';

const runFile = promisify(execFile);

export const BARE_SIGNING = 'bare signing';

const WARM_UP = { connections: 32, seconds: 4 };
/** So many that a request hardly waits for one. */
const OPEN_CONNECTIONS = 256;
const USERS = 10_000;
const FOLD_ENTRIES = 20_000;
const AUDIT_LINES = 1_000_000;
const AUDIT_CHANGES = 20_000;
/** What batches come to under load: at most 64. */
const AUDIT_BATCH = 30;

export interface Measured {
  readonly name: string;
  readonly load?: LoadMeasurement;
  /** A figure that is no load: what it is and how much. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** How a load is offered. */
export interface Loops {
  /** Closed: so many ask again as soon as they are answered. */
  readonly connections: readonly number[];
  /** Open: so many requests a second, whatever comes back. */
  readonly rates: readonly number[];
}

export async function measureSigning(
  open: OpenVault,
  seconds: number,
  { connections: closedLoops, rates }: Loops,
): Promise<Measured[]> {
  const traffic = await prepareTraffic(open);
  const load = (options: Partial<LoadJob>) =>
    runLoad(signJob(open, traffic, { seconds, ...options }), open);
  await load(WARM_UP);
  const measured: Measured[] = [];
  for (const connections of closedLoops) {
    measured.push({
      name: `raw-sign, closed loop, c=${connections}`,
      load: await load({ connections }),
    });
  }
  for (const rate of rates) {
    measured.push({
      name: `raw-sign, ${rate} a second`,
      load: await load({ rate, connections: OPEN_CONNECTIONS }),
    });
  }
  return measured;
}

function signJob(open: OpenVault, traffic: Traffic, options: Partial<LoadJob>): LoadJob {
  return { port: open.port, kind: 'sign', connections: 1, seconds: 1, ...traffic, ...options };
}

/** One process per core, so that both figures are of the whole machine. */
export async function measureBare(seconds: number): Promise<Measured> {
  const program = programPath('signer', 'bench-bare', 'bench-dist');
  const cores = availableParallelism();
  const runs = await Promise.all(
    Array.from({ length: cores }, async () => {
      const { stdout } = await runFile(process.execPath, [program, String(seconds)]);
      return JSON.parse(stdout) as { signatures: number; seconds: number; cpuUs: number };
    }),
  );
  const perSecond = runs.reduce((sum, run) => sum + run.signatures / run.seconds, 0);
  const cpuUs = runs.reduce((sum, run) => sum + run.cpuUs, 0) / cores;
  return {
    name: BARE_SIGNING,
    figures: { cores, signatures_per_second: perSecond, cpu_us_per_signature: cpuUs },
  };
}

/** Own FROST beside another one and a signature by one key: processor time of one whole signature. */
export async function measureFrost(): Promise<Measured> {
  const program = programPath('signer', 'bench-frost', 'bench-dist');
  const { stdout } = await runFile(process.execPath, [program]);
  const cost = JSON.parse(stdout) as { libsodium: number; noble: number; single_key: number };
  const ratios = {
    noble_by_libsodium: cost.noble / cost.libsodium,
    libsodium_by_single_key: cost.libsodium / cost.single_key,
  };
  return { name: 'CPU µs per 2-of-3 Ed25519 signature', figures: { ...cost, ...ratios } };
}

export async function measureUserList(open: OpenVault, seconds: number): Promise<Measured[]> {
  const startedAt = performance.now();
  await appendUsers(open.vault, USERS);
  const appendedAt = performance.now();
  await waitForUsers(open);
  const foldedAt = performance.now();
  const job: LoadJob = {
    port: open.port,
    kind: 'read',
    callers: [adminCaller(open.vault)],
    targets: ['/v1/users'],
    connections: 64,
    seconds,
  };
  await runLoad({ ...job, seconds: WARM_UP.seconds }, open);
  return [
    {
      name: `${USERS} users appended`,
      figures: {
        append_seconds: (appendedAt - startedAt) / 1_000,
        all_nodes_behind_seconds: (foldedAt - appendedAt) / 1_000,
      },
    },
    { name: `GET /v1/users of ${USERS}, c=64`, load: await runLoad(job, open) },
    {
      name: `GET /v1/users?limit=100 of ${USERS}, c=64`,
      load: await runLoad({ ...job, targets: ['/v1/users?limit=100'] }, open),
    },
  ];
}

const FOLD_WAIT_MS = 120_000;

/** Until the gateway knows the last of them, and has answered twice at the same length. */
async function waitForUsers({ vault, stack }: OpenVault): Promise<void> {
  const client = adminClient(vault, stack);
  const deadline = Date.now() + FOLD_WAIT_MS;
  try {
    for (;;) {
      const query = { display_name_like: `user ${USERS - 1}` };
      const page = valueOf(await client.call('list-users', { query }));
      if (page.results.length === 1) return;
      if (Date.now() > deadline) throw new Error('the gateway does not come to know the users');
      await sleep(100);
    }
  } finally {
    client.close();
  }
}

export async function measureFold(): Promise<Measured> {
  const program = fileURLToPath(new URL('fold-program.js', import.meta.url));
  const args = ['--expose-gc', program, String(FOLD_ENTRIES)];
  const { stdout } = await runFile(process.execPath, args);
  const { entries, wallets, users, seconds, heapMbPer1000Wallets } = JSON.parse(
    stdout,
  ) as FoldMeasurement;
  return {
    name: 'fold from scratch',
    figures: { entries, wallets, users, seconds, heap_mb_per_1000_wallets: heapMbPer1000Wallets },
  };
}

/** `countersign audit verify` of a million lines. */
export async function measureAudit(): Promise<Measured> {
  const program = fileURLToPath(new URL('audit-program.js', import.meta.url));
  const args = [program, ...[AUDIT_LINES, AUDIT_CHANGES, AUDIT_BATCH].map(String)];
  const { stdout } = await runFile(process.execPath, args);
  const measured = JSON.parse(stdout) as AuditMeasurement;
  return {
    name: 'audit verify',
    figures: {
      lines: measured.lines,
      ledger_rows: measured.ledgerRows,
      receipts: measured.receipts,
      receipts_per_tree: measured.receiptsPerTree,
      megabytes: measured.megabytes,
      seconds: measured.seconds,
      cpu_seconds: measured.cpuSeconds,
      lines_per_second: measured.linesPerSecond,
      rss_mb: measured.rssMb,
    },
  };
}
