/** The parts of an HMAC secret: x = x_1 ⊕ x_2 ⊕ x_3, and offsets r_1, r_2, r_1 ⊕ r_2. */
import { nextParty, partCommitment } from '@countersign/custody/import-package.js';
import type { PartCommitments } from '../../threads/rsa-public-values.js';
import { decodeHmacKeyShare, encodeHmacKeyShare, partThatLacks } from '../maths/hmac-maths.js';
import { sodium } from '@countersign/custody/sodium.js';
import type { ReplicatedForm } from './replicated-resharing.js';

export const HMAC_PARTS: ReplicatedForm = {
  read({ self }, opened) {
    const { parts, missingCommitment } = decodeHmacKeyShare(self, opened);
    const [own, next] = parts;
    const committed = new Map([
      [self, partCommitment(self, own)],
      [nextParty(self), partCommitment(nextParty(self), next)],
      [partThatLacks(self), missingCommitment],
    ]);
    const partCommitments = [committed.get(1)!, committed.get(2)!, committed.get(3)!] as const;
    return { own, next, partCommitments };
  },
  renew(_place, draw, index, part) {
    const renewed = Uint8Array.from(part);
    const labels = index === 3 ? ['1', '2'] : [String(index)];
    for (const label of labels) {
      const drawn = draw(label, part.length);
      for (let at = 0; at < renewed.length; at++) renewed[at]! ^= drawn[at]!;
      sodium.sodium_memzero(drawn);
    }
    return renewed;
  },
  encode({ self }, { own, next }, partCommitments) {
    const missingCommitment = missingOf(self, partCommitments);
    return encodeHmacKeyShare({ party: self, parts: [own, next], missingCommitment });
  },
};

function missingOf(self: 1 | 2 | 3, partCommitments: PartCommitments): Uint8Array {
  return partCommitments[partThatLacks(self) - 1]!;
}
