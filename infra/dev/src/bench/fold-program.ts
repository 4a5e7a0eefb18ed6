/**
 * Folds a ledger of its own making from scratch and prints the time and the memory as JSON. Run with
 * `--expose-gc`: `node --expose-gc fold-program.js <entries>`.
 */
import { createFold } from '@countersign/vault/ledger/fold.js';
import { buildLedger } from './bench-ledger.js';

export interface FoldMeasurement {
  /** Changes of the vault. */
  readonly entries: number;
  /** With the countersignatures. */
  readonly rows: number;
  readonly wallets: number;
  readonly users: number;
  readonly seconds: number;
  /** Heap that the folded state keeps, by its wallets: users and journal are counted in. */
  readonly heapMbPer1000Wallets: number;
}

const PAGE = 500;

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function measure(entries: number): FoldMeasurement {
  const { keys, rows, changes, wallets, users } = buildLedger(entries);
  const heapBefore = heapUsed();
  const fold = createFold({ keys });
  const startedAt = performance.now();
  for (let at = 0; at < rows.length; at += PAGE) fold.advance(rows.slice(at, at + PAGE));
  const seconds = (performance.now() - startedAt) / 1_000;
  const heapMb = (heapUsed() - heapBefore) / 1e6;
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
    heapMbPer1000Wallets: (heapMb / wallets) * 1_000,
  };
}

process.stdout.write(JSON.stringify(measure(Number(process.argv[2]))) + '\n');
