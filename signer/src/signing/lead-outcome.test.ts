import { describe, expect, it } from '@jest/globals';
import { deny } from '@countersign/core/denials.js';
import { refuse } from '@countersign/core/errors.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import type { PartnerPart } from '../channel/messages.js';
import {
  draftWithoutMaths,
  isMisbehaviour,
  outcomeOfFailure,
  overtakenBy,
  type LeadFailure,
} from './lead-outcome.js';
import type { Reviewed } from './review-item.js';

const NOW = Date.UTC(2026, 10, 22);
const CONTRIBUTED = { kind: 'contributed' } as PartnerPart;
const DENIED: PartnerPart = { kind: 'denied', errType: 'not_found', reason: 'no such key' };
const RETRY = { outcome: 'retry', nonce: 0n, isPartnerAtFault: false };
const draftOf = (review: Reviewed, part: PartnerPart) => draftWithoutMaths(review, part, [3, 1]);

/** An item of a caller whom no state knows. */
function reviewed(verdict: object, ledgerSeq = 5): Reviewed {
  const evidence = {
    method: 'POST',
    path: '/v1/keys/k/sign',
    scheme: 'ApiKey',
    credential: 'unknown',
  };
  const item = { evidence, submission: 'delivery' };
  return { item, requestId: 'request', ledgerSeq, verdict } as unknown as Reviewed;
}

const READY = reviewed({
  kind: 'ready',
  caller: { id: 'nobody' },
  signing: { input: { params: {} } },
});

describe('an item before the maths', () => {
  it.each(['denied', 'dropped'])('that this party has %s and the other, too, is denied', (kind) => {
    const review = reviewed({ kind, refusal: deny('signing_policies', 'frozen') });
    expect(draftOf(review, DENIED)).toEqual({
      outcome: 'denied',
      requestId: 'request',
      submission: 'delivery',
      parties: [3, 1],
      errType: 'forbidden',
      reason: 'frozen',
    });
  });

  it.each(['denied', 'dropped'])('that this party alone has %s is tried again', (kind) => {
    const review = reviewed({ kind, refusal: deny('signing_policies', 'frozen') });
    const again = { ...RETRY, reason: 'only the lead denies it' };
    expect(draftOf(review, CONTRIBUTED)).toEqual(again);
    expect(draftOf(review, { kind: 'retry', reason: 'no share' })).toEqual(again);
  });

  it('that this party has only postponed is tried again, whatever the other says', () => {
    const refusal = refuse('gateway_timeout', 'too many items at once');
    const review = reviewed({ kind: 'dropped', refusal, isPostponed: true });
    const again = { ...RETRY, reason: 'too many items at once' };
    expect(draftOf(review, DENIED)).toEqual(again);
    expect(draftOf(review, CONTRIBUTED)).toEqual(again);
  });

  it('that the other party alone has denied is tried again', () => {
    const again = { ...RETRY, reason: 'only the partner denies it' };
    expect(draftOf(READY, DENIED)).toEqual(again);
  });

  it('that neither has denied is tried again until it is combined', () => {
    const part: PartnerPart = { kind: 'retry', reason: 'no share' };
    expect(draftOf(READY, part)).toEqual({ ...RETRY, reason: 'no share' });
    expect(draftOf(READY, CONTRIBUTED)).toEqual({ ...RETRY, reason: 'not combined' });
  });
});

describe('an item that the maths did not sign', () => {
  const reasons: LeadFailure[] = [
    'assertion',
    'commitment',
    'share',
    'nonce-gone',
    'partner-share',
    'fault',
  ];

  it('is tried again, and the partner is at fault for a wrong share alone', () => {
    for (const reason of reasons) {
      const isPartnerAtFault = reason === 'partner-share';
      expect(outcomeOfFailure(reason)).toEqual({ ...RETRY, reason, isPartnerAtFault });
    }
    expect(reasons.filter(isMisbehaviour)).toEqual(['partner-share']);
  });
});

describe('a signed item when the state has moved on', () => {
  const later: VaultState = { ...EMPTY_STATE, seq: 6 };

  it('goes no further when its caller is no more', () => {
    expect(overtakenBy([later], READY, NOW)).toEqual({ ...RETRY, reason: 'denied meanwhile' });
  });

  it('that was signed before, and is denied now, is not given out anew', () => {
    const denied = reviewed({ kind: 'denied', refusal: deny('signing_policies', 'frozen') });
    expect(overtakenBy([], denied, NOW)).toMatchObject({ outcome: 'retry' });
  });

  it('stands when nothing was seen since', () => {
    expect(overtakenBy([], READY, NOW)).toBeUndefined();
  });
});
