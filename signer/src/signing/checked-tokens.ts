import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { TokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';
import { findPendingSigning } from '@countersign/vault/policy/released-approvals.js';

export interface TokenChecks {
  readonly tokens: TokenVerifier;
  readonly follower: Pick<LedgerFollower, 'state'>;
  readonly now: () => number;
}

/**
 * Checks people's tokens against the provider's own keys; machines wait for nothing. If a request waited for approvals,
 * its token must have been good when the request was made, which the ledger dates: approvals take longer than a token
 * lives.
 */
export async function withCheckedTokens(
  { tokens, follower, now }: TokenChecks,
  batch: SignBatch,
): Promise<SignBatch> {
  const evidences = new Set(batch.items.map(({ evidence }) => evidence));
  const ofPeople = [...evidences].filter(({ scheme }) => scheme === 'Bearer');
  if (ofPeople.length === 0) return batch;
  const verified = new Map(
    await Promise.all(
      ofPeople.map(async (evidence) => {
        const held = findPendingSigning(follower.state, requestIdOf(digestOf(evidence)));
        const refusal = await tokens.refuse(evidence.credential, now(), held?.createdAt);
        return [evidence, refusal === undefined] as const;
      }),
    ),
  );
  const items = batch.items.map((item) => {
    const tokenVerified = verified.get(item.evidence);
    return tokenVerified === undefined ? item : { ...item, tokenVerified };
  });
  return { ...batch, items };
}
