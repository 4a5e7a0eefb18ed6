import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { TokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';
import { findPendingSigning } from '@countersign/vault/policy/signing-approvals.js';

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
  if (!batch.items.some(({ evidence }) => evidence.scheme === 'Bearer')) return batch;
  const items = await Promise.all(
    batch.items.map(async (item) => {
      const { evidence } = item;
      if (evidence.scheme !== 'Bearer') return item;
      const held = findPendingSigning(follower.state, requestIdOf(digestOf(evidence)));
      const refusal = await tokens.refuse(evidence.credential, now(), held?.createdAt);
      return { ...item, tokenVerified: refusal === undefined };
    }),
  );
  return { ...batch, items };
}
