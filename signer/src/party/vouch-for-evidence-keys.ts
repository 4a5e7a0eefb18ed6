/**
 * Says in the ledger which evidence keys this party holds. Once all three parties hold a new one, what is sealed under
 * it counts. It runs at each start, so a rotation means adding the key everywhere and restarting.
 */
import { evidenceKeyMessage } from '@countersign/core/evidence-seal.js';
import { encodeEvidenceKey } from '@countersign/vault/ledger/write-entry.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ThreadPools } from '../threads/thread-pools.js';

export interface VouchDeps {
  readonly party: PartyNumber;
  /** Ids (hex) of the keys in its file. */
  readonly held: readonly string[];
  /** The ones that it no longer trusts. */
  readonly withdrawn: readonly string[];
  readonly follower: Pick<LedgerFollower, 'state' | 'catchUp'>;
  readonly ledger: Pick<LedgerStore, 'append'>;
  readonly threads: Pick<ThreadPools, 'signIdentity'>;
  readonly now: () => number;
}

export async function vouchForEvidenceKeys(deps: VouchDeps): Promise<void> {
  const { party, follower, now } = deps;
  const { evidenceKeys, genesisHash } = follower.state;
  const isVouchedFor = (keyId: string) =>
    evidenceKeys.some(({ id, heldBy }) => id === keyId && heldBy.includes(party));
  const trusted = deps.held.filter((keyId) => !deps.withdrawn.includes(keyId));
  const fresh = trusted.filter((keyId) => !isVouchedFor(keyId));
  if (fresh.length === 0) return;
  const signatures = await deps.threads.signIdentity(
    fresh.map((evidenceKeyId) => evidenceKeyMessage({ party, evidenceKeyId }, genesisHash)),
  );
  await deps.ledger.append(
    fresh.map((evidenceKeyId, index) =>
      encodeEvidenceKey(now(), { party, evidenceKeyId, signature: signatures[index]! }),
    ),
  );
  await follower.catchUp();
}
