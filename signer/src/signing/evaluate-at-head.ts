/** Over which state of the vault a batch is decided: that of the head which both parties of it have pinned. */
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { isSameVault, type VaultState } from '@countersign/vault/state/state.js';
import type { LedgerPlace } from '@countersign/vault/ledger/remembered-places.js';
import { LEASE_MS, type HeadTrust } from '../party/head-trust.js';
import type { SeenHeads } from '../party/seen-heads.js';
import type { PartyContext } from './party-context.js';

const FOLD_WAIT_MS = 1_000;

type Decider = Pick<PartyContext, 'follower' | 'now'> & {
  readonly trust: Pick<HeadTrust, 'covers'>;
  readonly heads: SeenHeads;
};

/**
 * What was in force at the batch's head. Undefined when this party cannot sign over it: its log lacks it, its primary replica
 * has not pinned it, it has known a newer one for some seconds, or the fold was not confirmed against the database within
 * the lease. A gateway that lags names a newer head when it tries again.
 */
export async function evaluateAtHead(
  decider: Decider,
  { ledgerSeq, ledgerHash }: Pick<SignBatch, 'ledgerSeq' | 'ledgerHash'>,
): Promise<LedgerPlace | undefined> {
  const { follower, trust, heads } = decider;
  if (follower.state.seq < ledgerSeq) {
    await follower.catchUp().catch(() => undefined);
    if (!(await follower.waitUntil(({ seq }) => seq >= ledgerSeq, FOLD_WAIT_MS))) return undefined;
  }
  // the lease last: asking the primary replica takes time
  if (!(await trust.covers(ledgerSeq)) || !(await isFoldCurrent(decider))) return undefined;
  return heads.isSuperseded(ledgerSeq) ? undefined : follower.view.at(ledgerSeq, ledgerHash);
}

/** Whether this party could still begin over the head: what takes long may outlive the trust that it began with. */
export async function standsStill(
  decider: Omit<Decider, 'heads'>,
  { ledgerSeq }: Pick<SignBatch, 'ledgerSeq'>,
): Promise<boolean> {
  return (await decider.trust.covers(ledgerSeq)) && (await isFoldCurrent(decider));
}

/** Whether the fold was confirmed against the database's head within the lease. */
export async function isFoldCurrent({
  follower,
  now,
}: Pick<Decider, 'follower' | 'now'>): Promise<boolean> {
  if (now() - follower.confirmedAt < LEASE_MS) return true;
  await follower.catchUp().catch(() => undefined);
  return now() - follower.confirmedAt < LEASE_MS;
}

/** What this party has seen beyond a state that it decides over: it may deny, and allows nothing. */
export function seenBeyond(
  state: VaultState,
  { view }: Pick<PartyContext['follower'], 'view'>,
): VaultState[] {
  const beyond = isSameVault(view.state, state) ? [] : [view.state];
  return isSameVault(view.optimistic, view.state) ? beyond : [...beyond, view.optimistic];
}
