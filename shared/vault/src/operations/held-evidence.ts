/** The caller's original request for a signature that waited, for whoever has the parties sign it. */
import { parseBase64, parseHex } from '@countersign/core/bytes.js';
import { openEvidence, type Evidence } from '@countersign/core/evidence.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { PendingRequest } from '../state/state.js';

/**
 * Undefined for a change of the vault, and for a request that has ended. Throws EvidenceSealError or
 * UnknownEvidenceKeyError.
 */
export function heldEvidence(
  { call, signing }: PendingRequest,
  keys: EvidenceKeys,
): Evidence | undefined {
  if (call === null || signing === undefined) return undefined;
  const { method, path, query } = call;
  const { scheme, timestampMs } = signing;
  const [body, sealedCredential, assertion] = [
    call.body,
    call.sealedCredential,
    signing.assertion,
  ].map((text) => parseBase64(text)!);
  const nonce = parseHex(signing.nonce)!;
  return openEvidence(
    {
      ...{ method, path, query, scheme, timestampMs, nonce },
      body: body!,
      assertion: assertion!,
      sealedCredential: sealedCredential!,
    },
    keys,
  );
}
