import { refuse, type Refusal } from '@countersign/core/errors.js';
import { addedTo, claimsOf, haveSameMarks, type Claim } from '../state/key-marks.js';
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
  if (was !== undefined && haveSameMarks(was, is)) return false;
  const isAnothers = (claim: Claim) => (claimant(keys.indexes, claim) ?? is.id) !== is.id;
  const taken = claimsOf(addedTo(was, is)).filter(isAnothers);
  if (taken.length === 0) return false;
  const had = new Set(was === undefined ? [] : claimsOf(was).map(textOf));
  return taken.some((claim) => !had.has(textOf(claim)));
}

function claimant({ byPublicKey, bySealedPart }: Indexes, claim: Claim): string | undefined {
  return claim.place === 'sealed' ? bySealedPart.get(claim.print) : ownerOf(byPublicKey, claim);
}

function textOf({ place, print }: Claim): string {
  return `${place} ${print}`;
}
