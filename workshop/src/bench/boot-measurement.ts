/** How long a party takes that goes on from its snapshot, over rows in memory: what a database takes to show them comes on top. */
import { sign } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { toHex } from '@countersign/core/bytes.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { checkEarlierHistory } from '@countersign/runtime/ledger/earlier-history.js';
import { openFoldSnapshots } from '@countersign/runtime/ledger/fold-snapshots.js';
import { partyAuthor } from '@countersign/runtime/ledger/snapshot-author.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { createFold, type Fold } from '@countersign/vault/ledger/fold.js';
import type { BuiltLedger } from './bench-ledger.js';

export interface BootMeasurement {
  readonly snapshotMb: number;
  readonly writeCpuSeconds: number;
  /** The longest that writing held the event loop. */
  readonly longestTurnMs: number;
  /** From the file to the state. */
  readonly resumeSeconds: number;
  readonly resumeCpuSeconds: number;
  /** Rows behind the snapshot, and what folding them takes. */
  readonly restRows: number;
  readonly restSeconds: number;
  readonly restCpuSeconds: number;
  /** Reading the rows before the snapshot, by the side. */
  readonly earlierCpuSeconds: number;
}

/** Folds these rows, as a node does that starts, and calls back after each page. */
export type FoldRows = (
  fold: Fold,
  rows: readonly EntryRow[],
  onPage?: () => void,
) => Promise<void>;

async function timed<Result>(work: () => Promise<Result>) {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (performance.now() - startedAt) / 1_000, cpu: (user + system) / 1e6 };
}

export async function measureBoot(
  { keys, parties, rows }: BuiltLedger,
  foldRows: FoldRows,
): Promise<BootMeasurement> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-boot-'));
  const [{ party, privateKey }] = parties as [BuiltLedger['parties'][number]];
  const path = join(folder, 'snapshot');
  const author = partyAuthor(party);
  const open = () => openFoldSnapshots({ path, author, logger: createLogger('bench', 'warn') });
  const genesisHash = toHex(rows[0]!.hash);
  const last = rows.at(-1)!;
  const ground = {
    store: { readAfter: async (seq: number, limit: number) => rows.slice(seq, seq + limit) },
    genesisHash,
    pinned: { genesisHash, seq: last.seq, hash: toHex(last.hash) },
    memories: [],
  };
  try {
    const written = await writeOne(open(), createFold({ keys }), {
      foldRows: (fold, onPage) => foldRows(fold, rows, onPage),
      sign: async (message) => sign(null, message, privateKey),
    });
    const fold = createFold({ keys });
    const resumed = await timed(() => open().resume({ ...ground, fold }));
    const upTo = resumed.result;
    if (upTo === undefined) throw new Error('there is no snapshot to begin with');
    const rest = await timed(() => foldRows(fold, rows.slice(upTo.seq)));
    const { signal } = new AbortController();
    const earlier = await timed(() => checkEarlierHistory({ ...ground, upTo, signal }));
    return {
      snapshotMb: (await stat(path)).size / 1e6,
      ...written,
      resumeSeconds: resumed.seconds,
      resumeCpuSeconds: resumed.cpu,
      restRows: rows.length - upTo.seq,
      restSeconds: rest.seconds,
      restCpuSeconds: rest.cpu,
      earlierCpuSeconds: earlier.cpu,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The newest that a party with this ledger would have. */
async function writeOne(
  snapshots: ReturnType<typeof openFoldSnapshots>,
  fold: Fold,
  how: {
    foldRows(fold: Fold, onPage: () => void): Promise<void>;
    sign(message: Uint8Array): Promise<Uint8Array>;
  },
): Promise<Pick<BootMeasurement, 'writeCpuSeconds' | 'longestTurnMs'>> {
  const note = () => snapshots.note({ fold, memories: [] });
  await how.foldRows(fold, note);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const { cpu } = await timed(async () => {
    snapshots.proveBy(how.sign);
    note();
    await snapshots.settle();
  });
  delay.disable();
  return { writeCpuSeconds: cpu, longestTurnMs: delay.max / 1e6 };
}
