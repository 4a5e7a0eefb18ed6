/**
 * What the party remembers outside the database: the genesis it trusts, and the highest head it has
 * seen. A database that was rolled back, or swapped for another vault's, is noticed and refused.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { toHex } from '@countersign/core/bytes.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { z } from 'zod';

const headSchema = z.strictObject({ seq: z.int(), hash: z.string() });

/** The ledger is not the one this party knows. */
export class WrongLedgerError extends Error {}

/** Throws WrongLedgerError unless the ledger continues from what was pinned. Pins at the first start. */
export async function checkPins(
  files: { readonly genesisPin: string; readonly head: string },
  store: LedgerStore,
  state: VaultState,
): Promise<void> {
  if (!existsSync(files.genesisPin)) {
    writeFileSync(files.genesisPin, `${state.genesisHash}\n`, { mode: 0o600, flag: 'wx' });
  } else if (readFileSync(files.genesisPin, 'utf8').trim() !== state.genesisHash) {
    throw new WrongLedgerError('the ledger has another genesis than the one this party pinned');
  }
  if (!existsSync(files.head)) return;
  const head = headSchema.parse(JSON.parse(readFileSync(files.head, 'utf8')));
  const [row] = await store.readAfter(head.seq - 1, 1);
  if (row === undefined || row.seq !== head.seq || toHex(row.hash) !== head.hash) {
    throw new WrongLedgerError(
      `the ledger does not contain entry ${head.seq} as this party saw it: was it rolled back?`,
    );
  }
}

const WRITE_EVERY_MS = 200;

/** Keeps the head file up to date, a moment behind. */
export function openHeadKeeper(path: string, state: () => VaultState): { stop(): void } {
  let written = 0;

  function write(): void {
    const { seq, headHash } = state();
    if (seq === written) return;
    const temporary = `${path}.${process.pid}.new`;
    writeFileSync(temporary, JSON.stringify({ seq, hash: headHash }) + '\n', { mode: 0o600 });
    renameSync(temporary, path);
    written = seq;
  }

  write();
  const timer = setInterval(write, WRITE_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      write();
    },
  };
}
