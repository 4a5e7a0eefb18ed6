/** What a reply must prove before it counts. */
import type { ReceiptTrust } from '@countersign/api/receipt.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import {
  retryMessage,
  type RecordedOutcome,
  type SignReply,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { AskedRequest } from '../requests/asked-request.js';
import { findResultFault, type ResultFault } from '../requests/result-fault.js';

export interface ReplyChecks {
  /** Why this is not how the request ended; undefined when it is. */
  findFault(asked: AskedRequest, outcome: RecordedOutcome): ResultFault | undefined;
  /** Why the batch's lead did not say that its items are to be tried again; undefined when it did. */
  findRetryFault(reply: SignReply, lead: PartyNumber): ResultFault | undefined;
}

export interface ReplyCheckDeps {
  readonly trust: () => ReceiptTrust;
  readonly keys: EvidenceKeys;
  readonly now: () => number;
}

/** How far a party's clock and this gateway's may be apart, ms. */
const CLOCKS_APART_MS = 5_000;

export function createReplyChecks({ trust, keys, now }: ReplyCheckDeps): ReplyChecks {
  return {
    findFault(asked, outcome) {
      const fault = findResultFault(outcome, asked, trust(), keys);
      if (fault !== undefined || outcome.outcome === 'denied') return fault;
      return isPlausible(outcome.receipt.signedAt, now())
        ? undefined
        : { reason: 'the result is of no time in which it could be made', accused: undefined };
    },
    findRetryFault(reply, lead) {
      const { genesisHash, verifyParty } = trust();
      return verifyParty(lead, retryMessage(reply, genesisHash), reply.retrySignature)
        ? undefined
        : {
            reason: `what is to be tried again was not signed by party ${lead}`,
            accused: undefined,
          };
    },
  };
}

function isPlausible(signedAt: number, now: number): boolean {
  return (
    signedAt <= now + CLOCKS_APART_MS && signedAt >= now - SIGN_TIME_TO_LIVE_MS - CLOCKS_APART_MS
  );
}
