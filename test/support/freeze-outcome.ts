/** An entry of the ledger that froze a key, as the fold tells of it. */
import { sha256 } from '@countersign/core/hash.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { freezeOperations } from '@countersign/vault/operations/freeze.js';

const freezeKeys = freezeOperations.find(({ id }) => id === 'freeze-keys')!;

/** `at` in ms. */
export function frozen(seq: number, at = 2_000): EntryOutcome {
  return {
    seq,
    hash: sha256(String(seq)),
    prevHash: sha256(String(seq - 1)),
    at,
    listedAt: at,
    kind: 'evidence',
    refusal: undefined,
    actorId: 'somebody',
    operation: freezeKeys,
    requestId: `request ${seq}`,
    policy: undefined,
    subject: { resourceType: 'key', resourceIds: ['k'] },
    sealedCredential: undefined,
    judgedBy: undefined,
  };
}
