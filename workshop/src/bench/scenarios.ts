/** What is measured: each scenario gives the rows of the report. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { valueOf } from '@countersign/client/call-result.js';
import { programPath } from '@countersign/dev/stack/programs.js';
import { adminCaller, adminClient } from './bench-callers.js';
import { prepareTraffic, type OpenVault } from './bench-vault.js';
import type { AuditMeasurement } from './audit-program.js';
import type { FoldMeasurement } from './fold-program.js';
import type { LoadJob } from './load-job.js';
import { runLoad } from './load.js';
import { appendUsers } from './many-users.js';
import type { Measured } from './measured.js';
import { measureOffered, type Plan } from './offered-load.js';
import { BARE_SIGNING, openBareMaths, type Maths } from './references.js';

const runFile = promisify(execFile);

const READ_WARM_UP_S = 4;
const USERS = 10_000;
const FOLD_ENTRIES = 20_000;
const AUDIT_LINES = 1_000_000;
const AUDIT_CHANGES = 20_000;
/** What batches come to under load: at most 64. */
const AUDIT_BATCH = 30;

export async function measureSigning(open: OpenVault, plan: Plan): Promise<Measured[]> {
  const traffic = { kind: 'sign', ...(await prepareTraffic(open, 'signing')) } as const;
  return measureOffered(open, { name: 'raw-sign', traffic, maths: 'ed25519' }, plan);
}

const ALL_MATHS: readonly Maths[] = ['ed25519', 'hmac', 'rsa2048', 'rsa4096'];

const LOW_RATE = 100;

/** The maths of each kind of key, with nothing around it, on all cores; and of Ed25519 where cores sleep in between. */
export async function measureBare(seconds: number): Promise<Measured> {
  const figures: Record<string, number> = {};
  for (const maths of ALL_MATHS) {
    const bare = await openBareMaths(BARE_SIGNING, maths);
    try {
      const { perSecond, costUs } = await bare.slice({ seconds });
      figures[`${maths}_per_second`] = perSecond;
      figures[`${maths}_cpu_us`] = costUs;
      if (maths === 'ed25519') {
        const paced = await bare.paced(seconds, LOW_RATE);
        figures[`${maths}_cpu_us_at_${LOW_RATE}_a_second`] = paced.costUs;
      }
    } finally {
      bare.close();
    }
  }
  return { name: 'the maths alone, caller verified', figures };
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
  await runLoad({ ...job, seconds: READ_WARM_UP_S }, open);
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
  const measured = JSON.parse(stdout) as FoldMeasurement;
  const { entries, wallets, users, seconds, boot, memory } = measured;
  return {
    name: 'fold from scratch',
    figures: {
      ...{ entries, wallets, users, seconds },
      folding_thread_seconds: measured.foldingThreadSeconds,
      cpu_seconds: measured.cpuSeconds,
      state_kb_per_wallet: memory.bytesPerWallet / 1_000,
      state_kb_per_user: memory.bytesPerUser / 1_000,
      fold_fixed_mb: memory.fixedBytes / 1e6,
      from_snapshot_seconds: boot.resumeSeconds + boot.restSeconds,
      from_snapshot_cpu_seconds: boot.resumeCpuSeconds + boot.restCpuSeconds,
      snapshot_mb: boot.snapshotMb,
    },
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
