/** A batch is decided over the vault state at a head that both of its parties have pinned. */
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import { isSameVault } from '@countersign/vault/state/same-vault.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { LedgerPlace } from '@countersign/vault/ledger/place-types.js';
import { LEASE_MS, type HeadTrust } from '../party/head-trust.js';
import type { SeenHeads } from '../party/seen-heads.js';
import type { PartyContext } from './party-context.js';

const FOLD_WAIT_MS = 1_000;

type Decider = Pick<PartyContext, 'follower'> & {
  readonly trust: Pick<HeadTrust, 'covers'>;
  readonly heads: SeenHeads;
};

/**
 * The state and rules in force at the batch's head. Undefined when this party cannot sign over it: its log lacks the
 * head, its primary replica has not pinned it, or it has known a newer one for some seconds. Undefined, too, when the
 * fold was not confirmed against the database within the lease. A gateway that lags names a newer head when it tries
 * again.
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
  // the lease is checked last: asking the primary replica takes time
  if (!(await trust.covers(ledgerSeq)) || !(await isFoldCurrent(decider))) return undefined;
  return heads.isSuperseded(ledgerSeq) ? undefined : follower.view.at(ledgerSeq, ledgerHash);
}

/** Whether this party could still begin over the head: slow work may outlive the trust it began with. */
export async function standsStill(
  decider: Omit<Decider, 'heads'>,
  { ledgerSeq }: Pick<SignBatch, 'ledgerSeq'>,
): Promise<boolean> {
  return (await decider.trust.covers(ledgerSeq)) && (await isFoldCurrent(decider));
}

/** Whether the fold was confirmed against the database's head within the lease. */
export async function isFoldCurrent({ follower }: Pick<Decider, 'follower'>): Promise<boolean> {
  if (follower.confirmedMsAgo < LEASE_MS) return true;
  await follower.catchUp().catch(() => undefined);
  return follower.confirmedMsAgo < LEASE_MS;
}

/** The states that this party has seen beyond the one it decides over. They may deny, and allow nothing. */
export function seenBeyond(
  state: VaultState,
  { view }: Pick<PartyContext['follower'], 'view'>,
): VaultState[] {
  const beyond = isSameVault(view.state, state) ? [] : [view.state];
  return isSameVault(view.optimistic, view.state) ? beyond : [...beyond, view.optimistic];
}
