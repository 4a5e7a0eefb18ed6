/**
 * Folds a ledger of its own making from scratch, then goes on from a snapshot of it, and prints the time and the memory as JSON. Run with
 * `--expose-gc`: `node --expose-gc fold-program.js <entries>`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { foldInTurns } from '@countersign/runtime/ledger/fold-in-turns.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { createFold, type Fold } from '@countersign/vault/ledger/fold.js';
import { buildLedger } from './bench-ledger.js';
import { measureBoot, type BootMeasurement } from './boot-measurement.js';
import { measureStateMemory, type StateMemory } from './state-memory.js';

export interface FoldMeasurement {
  /** Changes of the vault. */
  readonly entries: number;
  /** With the countersignatures. */
  readonly rows: number;
  readonly wallets: number;
  readonly users: number;
  readonly seconds: number;
  /** Of processor time in the thread that folds; 0 where the system does not tell. */
  readonly foldingThreadSeconds: number;
  /** Of processor time in all threads. */
  readonly cpuSeconds: number;
  readonly memory: StateMemory;
  readonly boot: BootMeasurement;
}

const PAGE = 2_000;

/** Linux tells it, in ns; the first thread of a process has the number of the process. */
function threadSeconds(): number {
  const path = `/proc/self/task/${process.pid}/schedstat`;
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e9 : 0;
}

/** As a node folds it when it starts. */
async function foldAll(
  fold: Fold,
  rows: readonly EntryRow[],
  onPage: () => void = () => undefined,
): Promise<void> {
  for (let at = 0; at < rows.length; at += PAGE) {
    await foldInTurns(rows.slice(at, at + PAGE), (turn) => void fold.advance(turn));
    onPage();
  }
}

async function measure(entries: number): Promise<FoldMeasurement> {
  const ledger = buildLedger(entries);
  const { keys, rows, changes, wallets, users } = ledger;
  const fold = createFold({ keys });
  const [startedAt, inThread, inAll] = [performance.now(), threadSeconds(), process.cpuUsage()];
  await foldAll(fold, rows);
  const seconds = (performance.now() - startedAt) / 1_000;
  const foldingThreadSeconds = threadSeconds() - inThread;
  const { user, system } = process.cpuUsage(inAll);
  const active = fold.view.state.keys.rows.count((key) => key.status === 'active');
  if (active !== wallets || fold.view.state.users.rows.size !== users + 1) {
    throw new Error(`the fold holds ${active} keys of ${wallets}`);
  }
  return {
    entries: changes,
    rows: rows.length,
    wallets,
    users,
    seconds,
    foldingThreadSeconds,
    cpuSeconds: (user + system) / 1e6,
    boot: await measureBoot(ledger, foldAll),
    memory: await measureStateMemory(ledger, foldAll),
  };
}

process.stdout.write(JSON.stringify(await measure(Number(process.argv[2]))) + '\n');
