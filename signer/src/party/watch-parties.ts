/** A party may be replaced while this process runs: the others speak with its successor, and its own process ends. */
import { parseBase64 } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { PartyChannel } from '../channel/party-channel.js';
import { requireOwnIdentity } from './own-identity.js';

export interface WatchPartiesDeps {
  readonly party: PartyNumber;
  /** Ed25519, 32 bytes. */
  readonly identityPublicKey: Uint8Array;
  readonly follower: Pick<LedgerFollower, 'state' | 'onOutcomes'>;
  readonly channel: Pick<PartyChannel, 'replacePeer'>;
  /** Another host has this party's place: nothing that this one signs counts any more. */
  onReplaced(error: unknown): void;
}

export function watchParties(deps: WatchPartiesDeps): void {
  const { party, identityPublicKey, follower, channel, onReplaced } = deps;
  let known = follower.state.parties;
  follower.onOutcomes(() => {
    const { parties } = follower.state;
    if (parties === known) return;
    for (const row of parties) {
      if (row.party === party || known.includes(row)) continue;
      channel.replacePeer(row.party, parseBase64(row.exchangePublicKey)!);
    }
    known = parties;
    try {
      requireOwnIdentity(follower.state, party, identityPublicKey);
    } catch (error) {
      onReplaced(error);
    }
  });
}
