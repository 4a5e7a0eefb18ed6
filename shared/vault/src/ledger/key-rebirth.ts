import { refuse, type Refusal } from '@countersign/core/errors.js';
import { addedTo, claimsOf, type Claim } from '../state/key-marks.js';
import { ownerOf } from '../state/public-key-owners.js';
import type { Key, VaultState } from '../state/state.js';

type Indexes = VaultState['keys']['indexes'];

/**
 * 409 when one of the keys gets a mark that is another's: a public key that once was a key's, whatever became of that
 * key, or the ciphertext of an earlier import. A key keeps the marks that it has.
 */
export function refuseRebirth(
  before: VaultState,
  after: VaultState,
  keyIds: readonly string[],
): Refusal | undefined {
  const isReborn = keyIds.some((id) => {
    const key = after.keys.rows.get(id);
    return key !== undefined && comesToAnothers(before, before.keys.rows.get(id), key);
  });
  return isReborn
    ? refuse('resource_conflict', 'the key is, or was, another key of this vault')
    : undefined;
}

function comesToAnothers({ keys }: VaultState, was: Key | undefined, is: Key): boolean {
  const isAnothers = (claim: Claim) => (claimant(keys.indexes, claim) ?? is.id) !== is.id;
  const taken = claimsOf(addedTo(was, is)).filter(isAnothers);
  return taken.some((claim) => was === undefined || !hasClaim(was, claim));
}

function hasClaim(key: Key, { place, print }: Claim): boolean {
  return claimsOf(key).some((one) => one.place === place && one.print === print);
}

function claimant({ byPublicKey, bySealedPart }: Indexes, claim: Claim): string | undefined {
  return claim.place === 'sealed' ? bySealedPart.get(claim.print) : ownerOf(byPublicKey, claim);
}
