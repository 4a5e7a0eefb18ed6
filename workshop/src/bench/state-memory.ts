/** What the folded state takes of a process's memory: each wallet's share and each user's, and what does not grow with either. */
import { createFold, type Fold } from '@countersign/vault/ledger/fold.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { buildLedger, type BuiltLedger } from './bench-ledger.js';
import type { FoldRows } from './boot-measurement.js';

export interface StateMemory {
  /** Bytes that one wallet adds to the state: its row, its key's, their places in the indexes, its request's nonce. */
  readonly bytesPerWallet: number;
  /** As much of one user. */
  readonly bytesPerUser: number;
  /** The last places of the ledger, which a fold remembers besides the state, and what it is made of itself. */
  readonly fixedBytes: number;
}

/** Heap, after collecting garbage: needs `--expose-gc`. */
function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

interface Held {
  fold: Fold | undefined;
  readonly state: VaultState;
}

/** In a function of its own: what is still in a register of the caller's is not collected. */
async function foldOf({ keys, rows }: BuiltLedger, foldRows: FoldRows): Promise<Held> {
  const fold = createFold({ keys });
  await foldRows(fold, rows);
  return { fold, state: fold.view.state };
}

/** Bytes of the state alone, and of what a fold has besides. */
async function heldBy(ledger: BuiltLedger, foldRows: FoldRows) {
  const before = heapUsed();
  const held = await foldOf(ledger, foldRows);
  const both = heapUsed() - before;
  held.fold = undefined;
  const state = heapUsed() - before;
  // it is held until here
  if (held.state.seq !== ledger.rows.length) throw new Error('the fold did not come to the end');
  return { state, besides: both - state };
}

/**
 * A wallet's share is the difference between the ledger's state and one of as many users and no wallet. Fold a ledger
 * before: what is compiled by the way is no part of a state.
 */
export async function measureStateMemory(
  ledger: BuiltLedger,
  foldRows: FoldRows,
): Promise<StateMemory> {
  const usersAlone = buildLedger(ledger.users, { usersAlone: true });
  const ofUsers = await heldBy(usersAlone, foldRows);
  const ofAll = await heldBy(ledger, foldRows);
  const bytesPerUser = ofUsers.state / usersAlone.users;
  return {
    bytesPerUser,
    bytesPerWallet: (ofAll.state - bytesPerUser * ledger.users) / ledger.wallets,
    fixedBytes: ofAll.besides,
  };
}
