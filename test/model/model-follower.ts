/** A node's follower: the product's fold and pins over the branch that the store shows to this node. */
import { createFold, type LedgerView } from '@countersign/vault/ledger/fold.js';
import { isFreezeInForce } from '../../signer/dist/party/primary.js';
import type { Rules } from '@countersign/vault/ledger/judging.js';
import {
  FollowedFold,
  rowsBeyond,
  type OutcomeListener,
} from '@countersign/runtime/ledger/followed-fold.js';
import { createLatestRun } from '@countersign/runtime/ledger/latest-run.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import { isUpTo, rowsUpTo, type LyingStore, type Place } from './lying-store.js';
import type { ModelVault } from './model-vault.js';

/** What outlives a restart of the node. */
export interface Disk {
  pin: LedgerPin | undefined;
}

export interface ModelFollower extends LedgerFollower {
  /** What the store shows to this node from now on. */
  shown: Place;
  /** As the product's own start notes it. */
  readonly newestFreeze: number;
}

export interface ModelFollowerOptions {
  readonly vault: ModelVault;
  readonly store: LyingStore;
  readonly disk: Disk;
  readonly shown: Place;
  readonly rules: readonly Rules[];
  readonly now: () => number;
  readonly onOutcomes: OutcomeListener;
  pin(disk: Disk, pin: LedgerPin): void;
  /** Drops the rule that a place is known by its hash. */
  readonly isBlindToHashes?: boolean;
}

/** As at the start of a node: throws where the log is not the one that is pinned. */
export async function openModelFollower(options: ModelFollowerOptions): Promise<ModelFollower> {
  const { vault, disk, rules, now, pin } = options;
  const followed = new FollowedFold({
    fold: createFold({ keys: vault.keys, rules }),
    genesisHash: () => vault.genesisHash,
    pinned: disk.pin,
    pin: async (head) => pin(disk, head),
    onFault: () => undefined,
    onPinTrouble: () => undefined,
  });
  followed.onOutcomes(options.onOutcomes);
  let newestFreeze = 0;
  followed.onOutcomes((outcomes) => {
    newestFreeze = outcomes.findLast(isFreezeInForce)?.seq ?? newestFreeze;
  });
  const reads = createLatestRun(async () => {
    if (followed.fault !== undefined) throw followed.fault;
    const startedAt = now();
    const rows = readBeyond(options.store, follower.shown, followed);
    followed.fold(rows);
    if (rows.length > 0) await followed.publish();
    followed.confirm(startedAt);
  });
  const follower: ModelFollower = {
    shown: options.shown,
    get newestFreeze() {
      return newestFreeze;
    },
    get state() {
      return followed.view.state;
    },
    get view() {
      return options.isBlindToHashes === true ? blindView(followed.view) : followed.view;
    },
    get pinnedSeq() {
      return followed.pinnedSeq;
    },
    get pinTrouble() {
      return followed.pinTrouble;
    },
    get confirmedMsAgo() {
      return options.now() - followed.confirmedAt;
    },
    get fault() {
      return followed.fault;
    },
    catchUp: () => reads.run(),
    waitUntil: (holds, timeoutMs) => followed.waitUntil(holds, timeoutMs),
    onOutcomes: (listener) => followed.onOutcomes(listener),
    stop: () => reads.settle(),
  };
  await reads.run();
  return follower;
}

function readBeyond(store: LyingStore, shown: Place, followed: FollowedFold) {
  const { state } = followed.view;
  const rows = rowsUpTo(shown);
  const head = store.find(state.headHash);
  if (head === undefined) return rows;
  // the store may keep news to itself; what it shows must extend what this node has
  if (isUpTo(shown, head)) return [];
  try {
    return rowsBeyond(state, rows.slice(state.seq - 1));
  } catch (error) {
    throw followed.stop(error);
  }
}

function blindView(view: LedgerView): LedgerView {
  const { state, rules } = view;
  return {
    ...view,
    at: (seq, hash) => ({ state: { ...state, seq, headHash: hash }, rules }),
  };
}
