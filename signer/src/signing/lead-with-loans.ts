/**
 * The signing threads as a lead uses them. A contribution uses up commitments that its own party borrowed, and no
 * others.
 */
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import type { LeadItem, LeadResult } from '../threads/thread-tasks.js';
import type { CommitmentLender } from './commitment-lender.js';

/**
 * Naming a nonce uses it up, even if the signature fails. A party that named another's would make that party's
 * contributions fail, so `lead` is given no such item.
 */
export function createLeadWithLoans(
  lead: ThreadPools['lead'],
  lender: Pick<CommitmentLender, 'isLentTo' | 'noteUsed'>,
  alarms: Alarms,
): ThreadPools['lead'] {
  const isForeign = ({ key, partnerParty, slot }: LeadItem) =>
    key.type === 'ed25519' && !lender.isLentTo(partnerParty, slot);

  return async (items) => {
    const own = items.filter((item) => !isForeign(item));
    const results = await lead(own);
    own.forEach(({ key, partnerParty }, index) => {
      if (key.type === 'ed25519' && results[index]!.ok) lender.noteUsed(partnerParty);
    });
    let next = 0;
    return items.map((item) => (isForeign(item) ? refuse(item, alarms) : results[next++]!));
  };
}

function refuse({ partnerParty }: LeadItem, alarms: Alarms): LeadResult {
  alarms.raise({
    kind: 'party_misbehaved',
    party: PARTY_NUMBERS.find((party) => party === partnerParty),
    reason: 'a contribution names a commitment that its party did not borrow',
  });
  return { ok: false, reason: 'nonce-gone' };
}
