/** Deletes the shares that no key needs any more. */
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { Key, VaultState } from '@countersign/vault/state/state.js';
import type { ShareStore } from '../records/share-store.js';

type Deletions = Pick<ShareStore, 'deleteAll' | 'deleteOtherSessions'>;

/**
 * Which of a key's shares to delete after an entry of this kind: those of runs that did not make the key, or all where
 * the key is gone.
 */
export function leftBy(
  kind: EntryOutcome['kind'],
  key: Pick<Key, 'status'> | undefined,
): 'nothing' | 'other sessions' | 'all' {
  if (key === undefined) return 'nothing';
  if (key.status === 'active') return kind === 'attestation' ? 'other sessions' : 'nothing';
  return isGone(key) ? 'all' : 'nothing';
}

/** Deletes what an entry of this kind leaves of the key. */
export async function tidyShares(
  shares: Deletions,
  { keys }: Pick<VaultState, 'keys'>,
  { kind, keyId }: { readonly kind: EntryOutcome['kind']; readonly keyId: string },
): Promise<void> {
  const key = keys.rows.get(keyId);
  const left = leftBy(kind, key);
  if (left === 'all') await shares.deleteAll([keyId]);
  else if (left === 'other sessions') await shares.deleteOtherSessions(keyId, key!.session);
}

/** Deletes shares that should have gone while this party was away, or whose deletion failed. */
export async function sweepShares(
  shares: Deletions,
  { keys }: Pick<VaultState, 'keys'>,
): Promise<void> {
  const gone = keys.rows
    .valueSeq()
    .filter(isGone)
    .map(({ id }) => id)
    .toArray();
  if (gone.length > 0) await shares.deleteAll(gone);
}

function isGone({ status }: Pick<Key, 'status'>): boolean {
  return status === 'failed' || status === 'destroyed';
}
