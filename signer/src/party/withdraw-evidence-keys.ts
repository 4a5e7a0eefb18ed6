/**
 * Says in the ledger which evidence keys this party no longer trusts: those that its key file calls withdrawn. It runs
 * at each start. A key stops counting once two parties have withdrawn it.
 */
import { evidenceKeyWithdrawalMessage } from '@countersign/core/evidence-seal.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { encodeEvidenceKeyWithdrawal } from '@countersign/vault/ledger/write-entry.js';
import { refuseWithdrawal } from '@countersign/vault/ledger/evidence-key-withdrawal.js';
import { isWithdrawnEvidenceKey, type VaultState } from '@countersign/vault/state/state.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { ThreadPools } from '../threads/thread-pools.js';

export interface WithdrawDeps {
  readonly party: PartyNumber;
  /** Ids, hex. */
  readonly withdrawn: readonly string[];
  readonly follower: Pick<LedgerFollower, 'view' | 'catchUp'>;
  readonly ledger: Pick<LedgerStore, 'append'>;
  readonly threads: Pick<ThreadPools, 'signIdentity'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

export async function withdrawEvidenceKeys(deps: WithdrawDeps): Promise<void> {
  const { party, follower, now } = deps;
  const due = deps.withdrawn.filter((keyId) => isDue(deps, keyId));
  if (due.length === 0) return;
  const { genesisHash } = follower.view.state;
  const signatures = await deps.threads.signIdentity(
    due.map((evidenceKeyId) => evidenceKeyWithdrawalMessage({ party, evidenceKeyId }, genesisHash)),
  );
  await deps.ledger.append(
    due.map((evidenceKeyId, index) =>
      encodeEvidenceKeyWithdrawal(now(), { party, evidenceKeyId, signature: signatures[index]! }),
    ),
  );
  await follower.catchUp();
}

/** A withdrawal that could not count is not said; the operator is told to start the party again later. */
function isDue({ party, follower, logger }: WithdrawDeps, keyId: string): boolean {
  const { state } = follower.view;
  if (hasSaid(state, party, keyId)) return false;
  const reason = refuseWithdrawal(state, party, keyId)?.message;
  if (reason === undefined) return true;
  logger.warn(
    { event: 'withdrawal_not_said', key_id: keyId, reason },
    'evidence key not withdrawn',
  );
  return false;
}

function hasSaid(state: VaultState, party: PartyNumber, keyId: string): boolean {
  if (isWithdrawnEvidenceKey(state, keyId)) return true;
  const row = state.evidenceKeys.find(({ id }) => id === keyId);
  return row?.withdrawnBy?.includes(party) === true;
}
