import type { SignBatch } from '@countersign/runtime/jobs/sign-batch.js';
import type { TokenVerifier } from '@countersign/runtime/tokens/token-verifier.js';

/** A person's token is checked here, against the provider's own keys: for machines nothing is waited for. */
export async function withCheckedTokens(
  { tokens, now }: { readonly tokens: TokenVerifier; readonly now: () => number },
  batch: SignBatch,
): Promise<SignBatch> {
  if (!batch.items.some(({ evidence }) => evidence.scheme === 'Bearer')) return batch;
  const items = await Promise.all(
    batch.items.map(async (item) => {
      if (item.evidence.scheme !== 'Bearer') return item;
      const refusal = await tokens.refuse(item.evidence.credential, now());
      return { ...item, tokenVerified: refusal === undefined };
    }),
  );
  return { ...batch, items };
}
