/** A party says in the ledger which new shares it holds: many keys in one statement. */
import type { PartyNumber } from '@countersign/core/parties.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import {
  MAX_REFRESHED_KEYS,
  refreshMessage,
  type RefreshedKey,
} from '@countersign/core/party-statements.js';
import { encodeRefresh } from '@countersign/vault/ledger/write-entry.js';
import type { ThreadPools } from '../threads/thread-pools.js';

/** Runs that end within this time share a statement: each is an entry for good, which all parties countersign. */
const GATHER_MS = 1_000;

export interface RefreshStatementsDeps {
  readonly party: PartyNumber;
  readonly follower: Pick<LedgerFollower, 'state' | 'catchUp'>;
  readonly ledger: Pick<LedgerStore, 'append'>;
  readonly threads: Pick<ThreadPools, 'signIdentity'>;
  readonly now: () => number;
  /** The statement could not be written: its keys are made anew, in runs of their own. */
  onFailure(error: unknown): void;
}

export interface RefreshStatements {
  /** `refresh`: its number. To be called once the share is stored. */
  add(refresh: number, key: RefreshedKey): void;
  stop(): void;
}

export function createRefreshStatements(deps: RefreshStatementsDeps): RefreshStatements {
  let gathered: RefreshedKey[] = [];
  let number = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const keys = gathered;
    gathered = [];
    if (keys.length > 0) state(deps, number, keys).catch(deps.onFailure);
  }

  return {
    add(refresh, key) {
      if (refresh !== number) flush();
      number = refresh;
      gathered.push(key);
      if (gathered.length >= MAX_REFRESHED_KEYS) flush();
      else timer ??= setTimeout(flush, GATHER_MS);
    },
    stop: () => clearTimeout(timer),
  };
}

async function state(
  { party, follower, ledger, threads, now }: RefreshStatementsDeps,
  refresh: number,
  keys: readonly RefreshedKey[],
): Promise<void> {
  const fact = { party, refresh, keys };
  const message = refreshMessage(fact, follower.state.genesisHash);
  const [signature] = await threads.signIdentity([message]);
  await ledger.append([encodeRefresh(now(), { ...fact, signature: signature! })]);
  void follower.catchUp().catch(() => undefined);
}
