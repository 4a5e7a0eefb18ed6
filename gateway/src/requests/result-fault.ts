/** Checks that a result is what two parties made of a request: nobody is believed, whoever brings it. */
import { isRefusal } from '@countersign/core/errors.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import {
  findOutcomeFault,
  type RecordedOutcome,
  type ResultTrust,
  type SignedOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import { findSignatureFault } from '@countersign/vault/operations/signature-fault.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { AskedRequest } from './asked-request.js';
import { signedOf } from './sign-answer.js';

export interface ResultFault {
  /** Internal text. */
  readonly reason: string;
  /** The party that signed it; undefined if anybody may have made it. */
  readonly accused: PartyNumber | undefined;
}

/** Two parties' clocks agree within this, ms. */
const CLOCKS_APART_MS = 60_000;

/** Undefined when the result holds. */
export function findResultFault(
  outcome: RecordedOutcome,
  asked: AskedRequest,
  trust: ResultTrust,
  keys: EvidenceKeys,
): ResultFault | undefined {
  const forged = findOutcomeFault(outcome, asked.requestId, trust);
  if (forged !== undefined) return { reason: `the result ${forged}`, accused: undefined };
  if (outcome.outcome === 'denied') return undefined;
  try {
    return findSignedFault(outcome, asked, keys);
  } catch (error) {
    // the lead vouches for the details: what does not open is its fault, or sealed under a key that is not here
    return { reason: `the result cannot be read: ${String(error)}`, accused: undefined };
  }
}

/** Checks what the lead has signed: a fault in it is the lead's. */
function findSignedFault(
  outcome: SignedOutcome,
  asked: AskedRequest,
  keys: EvidenceKeys,
): ResultFault | undefined {
  const { receipt, signature } = outcome;
  const accused = receipt.parties[0];
  const target = asked.findTarget(receipt.keyId);
  if (target?.key.id !== receipt.keyId) return { reason: 'the result is of another key', accused };
  const signed = signedOf(outcome, keys);
  const named = findNameFault(target.key, signed.venueApiKey, receipt.signedAt);
  if (named !== undefined) return { reason: named, accused };
  const recomposed = asked.operation.recompose(target, asked.input, signed);
  if (isRefusal(recomposed)) {
    return { reason: `the entry holds no request: ${recomposed.message}`, accused: undefined };
  }
  const fault = findSignatureFault({ ...recomposed, key: target.key, signature, receipt });
  return fault === undefined ? undefined : { reason: `the result ${fault}`, accused };
}

/**
 * If the venue API key is not in what is signed it is the lead's word alone. Nobody knows what it was before a change.
 */
function findNameFault(key: Key, venueApiKey: string, signedAt: number): string | undefined {
  const isTheKeys = venueApiKey === '' || venueApiKey === key.venueApiKey;
  const mayBeEarlier = key.lastUpdatedAt + CLOCKS_APART_MS >= signedAt;
  return isTheKeys || mayBeEarlier ? undefined : 'the result names another key of the venue';
}
