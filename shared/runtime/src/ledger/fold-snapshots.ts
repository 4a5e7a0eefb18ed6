/**
 * Snapshots of a node's fold, kept for its next start. A snapshot is believed only with the node's own proof, and only
 * for a place that the node had pinned and the ledger still has. If anything is wrong with it, the fold begins with
 * the genesis.
 */
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { Fold, LedgerView, SavedFold } from '@countersign/vault/ledger/fold.js';
import {
  readSavedFold,
  SAVED_FOLD_FORMAT,
  writeSavedFold,
} from '@countersign/vault/snapshots/saved-fold.js';
import { firstPlaceKept } from '@countersign/vault/ledger/remembered-places.js';
import type { Logger } from 'pino';
import type { LedgerPin } from './ledger-pin.js';
import type { LedgerStore } from './ledger-store.js';
import { readRows } from './read-rows.js';
import type { SnapshotAuthor } from './snapshot-author.js';
import { readSnapshot, writeSnapshot, type ReadSnapshot } from './snapshot-file.js';

/** Folding fewer rows is faster than writing a large state. */
const EVERY_ROWS = 5_000;

/** A listener's memory of outcomes: after a restart it does not hear those before a snapshot again. */
export interface OutcomeMemory {
  readonly name: string;
  /** Values for JSON as of now, none of them null; they may be read later. */
  save(): Iterable<unknown>;
  /** Returns a function that takes the values over. Throws on values that {@link save} did not give. */
  load(saved: Iterable<unknown>): () => void;
}

export interface SnapshotGround {
  readonly fold: Fold;
  readonly store: Pick<LedgerStore, 'readAfter'>;
  /** Hex. */
  readonly genesisHash: string | undefined;
  readonly pinned: LedgerPin | undefined;
  readonly memories: readonly OutcomeMemory[];
}

/** The snapshot's place where a fold began; `hash`: hex. */
export type SnapshotPlace = Pick<LedgerPin, 'seq' | 'hash'>;

export type Prove = (message: Uint8Array) => Promise<Uint8Array>;

export interface FoldSnapshots {
  /** Brings a new fold to the snapshot's place. Returns that place; undefined if no snapshot can be used. */
  resume(ground: SnapshotGround): Promise<SnapshotPlace | undefined>;
  /** Called after all listeners have heard the outcomes of the folded entries. */
  note(ground: Pick<SnapshotGround, 'fold' | 'memories'>): void;
  /** Snapshots are written from now on: `prove` makes a proof of the author's message. */
  proveBy(prove: Prove): void;
  /** Resolves when nothing is being written. */
  settle(): Promise<void>;
}

export interface FoldSnapshotsOptions {
  readonly path: string;
  readonly author: SnapshotAuthor;
  readonly logger: Logger;
  readonly everyRows?: number;
}

/** A place that may become a snapshot. */
interface Taken {
  readonly saved: SavedFold;
  /** Hash of the place before it. */
  readonly hashBefore: string;
  readonly memories: readonly KeptMemory[];
}

interface KeptMemory {
  readonly name: string;
  readonly values: Iterable<unknown>;
}

export function openFoldSnapshots(options: FoldSnapshotsOptions): FoldSnapshots {
  const { everyRows = EVERY_ROWS } = options;
  let newest = 0;
  let taken: readonly Taken[] = [];
  let prover: Prove | undefined;
  let writing: Promise<void> | undefined;

  /** Writes the newest place from which a fold can go on without missing an earlier one. Older places are dropped. */
  function writeReady(view: LedgerView): void {
    const ready = taken.findLastIndex((one) => isBeyondMemory(view, one));
    if (ready > 0) taken = taken.slice(ready);
    const [one] = taken;
    if (ready < 0 || one === undefined || prover === undefined || writing !== undefined) return;
    taken = taken.slice(1);
    writing = writeOrTell(options, one, prover).finally(() => (writing = undefined));
  }

  return {
    async resume(ground) {
      const place = await takeOverOrTell(options, ground);
      newest = place?.seq ?? 0;
      return place;
    },
    note({ fold, memories }) {
      const { view } = fold;
      const { seq } = view.state;
      const saved = seq < newest + everyRows ? undefined : fold.save();
      if (saved !== undefined) {
        newest = seq;
        const kept = memories.map((memory) => ({ name: memory.name, values: memory.save() }));
        taken = [...taken, { saved, hashBefore: view.hashAt(seq - 1) ?? '', memories: kept }];
      }
      writeReady(view);
    },
    proveBy(prove) {
      prover = prove;
    },
    async settle() {
      await writing;
    },
  };
}

/** Whether no later entry can refer to a place before the snapshot. */
function isBeyondMemory(view: LedgerView, { saved, hashBefore }: Taken): boolean {
  return view.at(saved.state.seq - 1, hashBefore) === undefined;
}

async function writeOrTell(
  { path, author, logger }: FoldSnapshotsOptions,
  { saved, memories }: Taken,
  prove: Prove,
): Promise<void> {
  const { genesisHash, seq, headHash: hash } = saved.state;
  const label = { format: SAVED_FOLD_FORMAT, genesisHash, author: author.name, seq, hash };
  const lines = function* (): Generator<string> {
    for (const memory of memories) yield* writeMemory(memory);
    yield* writeSavedFold(saved);
  };
  try {
    await writeSnapshot(path, label, lines(), (statement) => prove(author.messageOf(statement)));
  } catch (error) {
    const reason = String(error);
    logger.warn({ event: 'ledger_snapshot_not_written', reason }, 'no snapshot written');
  }
}

const END_OF_MEMORY = 'null';

function* writeMemory({ name, values }: KeptMemory): Generator<string> {
  yield JSON.stringify(name);
  for (const value of values) yield JSON.stringify(value);
  yield END_OF_MEMORY;
}

/** Throws if the lines belong to another memory, or hold more than this one takes. */
function loadMemory({ name, load }: OutcomeMemory, lines: Iterator<string, undefined>): () => void {
  if (JSON.parse(lines.next().value ?? '') !== name) throw new Error(`there is no ${name}`);
  let isOver = false;
  const next = (): IteratorResult<unknown, undefined> => {
    const line = isOver ? END_OF_MEMORY : (lines.next().value ?? '');
    isOver = line === END_OF_MEMORY;
    return isOver ? { done: true, value: undefined } : { done: false, value: JSON.parse(line) };
  };
  const take = load({ [Symbol.iterator]: () => ({ next }) });
  if (next().done !== true) throw new Error(`there is more behind ${name}`);
  return take;
}

async function takeOverOrTell(
  { path, author, logger }: FoldSnapshotsOptions,
  ground: SnapshotGround,
): Promise<SnapshotPlace | undefined> {
  try {
    const snapshot = await readSnapshot(path);
    return snapshot && (await takeOver(snapshot, author, ground));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ event: 'ledger_snapshot_discarded', reason }, 'the whole ledger is folded');
    return undefined;
  }
}

/** Throws, changing nothing, if the snapshot is not this node's or not of this ledger. */
async function takeOver(
  { label, statement, proof, lines }: ReadSnapshot,
  author: SnapshotAuthor,
  { fold, store, genesisHash, pinned, memories }: SnapshotGround,
): Promise<SnapshotPlace> {
  const { seq, hash } = label;
  if (label.genesisHash !== genesisHash) throw new Error('it is of another vault');
  if (label.author !== author.name) throw new Error("it is another one's");
  if (!isPinned(label, pinned)) throw new Error('it is of a place that is not pinned');
  const [genesis] = await store.readAfter(0, 1);
  if (genesis === undefined || !author.isProof(statement, proof, genesis)) {
    throw new Error('its author did not make it');
  }
  const loaded = memories.map((memory) => loadMemory(memory, lines));
  const saved = readSavedFold(lines);
  if (saved.state.seq !== seq || saved.state.headHash !== hash) {
    throw new Error('it is of another place than it says');
  }
  fold.resume(saved, await lastRows(store, seq));
  for (const take of loaded) take();
  return { seq, hash };
}

function isPinned(
  { genesisHash, seq, hash }: LedgerPin,
  pinned: LedgerPin | undefined,
): pinned is LedgerPin {
  if (pinned?.genesisHash !== genesisHash) return false;
  return seq < pinned.seq || (seq === pinned.seq && hash === pinned.hash);
}

async function lastRows(
  store: Pick<LedgerStore, 'readAfter'>,
  seq: number,
): Promise<readonly EntryRow[]> {
  const rows: EntryRow[] = [];
  for await (const page of readRows(store, firstPlaceKept(seq) - 1, seq)) rows.push(...page);
  return rows;
}
