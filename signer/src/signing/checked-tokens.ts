import { setTimeout } from 'node:timers/promises';
import type { Refusal } from '@countersign/core/errors.js';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { SignBatch, SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import type { TokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';
import { findPendingSigning } from '@countersign/vault/policy/released-approvals.js';

export interface TokenChecks {
  readonly tokens: TokenVerifier;
  readonly follower: Pick<LedgerFollower, 'state'>;
  readonly now: () => number;
}

/**
 * How long a batch waits for a provider's keys, ms. Others' requests wait with it, and the gateway gives a batch up in
 * 1.5 s.
 */
const TOKENS_WAIT_MS = 300;

/**
 * Checks people's tokens against the provider's own keys. A provider that is slow or away holds up nobody for long, and
 * is no fault of the person: such an item is tried again, when the keys may have come. If a request waited for approvals,
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
  const ended = new AbortController();
  const late = lateAfter(TOKENS_WAIT_MS, ended.signal);
  const verified = new Map(
    await Promise.all(
      ofPeople.map(async (evidence) => {
        const held = findPendingSigning(follower.state, requestIdOf(digestOf(evidence)));
        const refusal = tokens.refuse(evidence.credential, now(), held?.createdAt);
        return [evidence, await Promise.race([refusal.then(verifiedBy), late])] as const;
      }),
    ),
  );
  ended.abort();
  const items = batch.items.map((item) => {
    const tokenVerified = verified.get(item.evidence);
    return tokenVerified === undefined ? item : { ...item, tokenVerified };
  });
  return { ...batch, items };
}

function verifiedBy(refusal: Refusal | undefined): SignItem['tokenVerified'] {
  return refusal?.refused === 'gateway_timeout' ? 'unknown' : refusal === undefined;
}

async function lateAfter(ms: number, signal: AbortSignal): Promise<'unknown'> {
  // it is ended early where nobody waits for it any more
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  return 'unknown';
}
