import { describe, expect, it } from '@jest/globals';
import { refuse } from '@countersign/core/errors.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import type { PartnerPart } from '../channel/messages.js';
import type { EarlierResult } from '../records/record-entry.js';
import {
  isMisbehaviour,
  outcomeOfEarlier,
  outcomeOfFailure,
  outcomeWithoutMaths,
  overtakenBy,
  type LeadFailure,
} from './lead-outcome.js';
import type { Reviewed } from './review-item.js';

const NOW = Date.UTC(2026, 10, 22);
const CONTRIBUTED = { kind: 'contributed' } as PartnerPart;
const INVALID = {
  outcome: 'denied',
  errType: 'unauthorized',
  reason: 'the credentials are not valid',
};

/** An item of a caller whom no state knows. */
function reviewed(verdict: object, ledgerSeq = 5): Reviewed {
  const evidence = {
    method: 'POST',
    path: '/v1/keys/k/sign',
    scheme: 'ApiKey',
    credential: 'unknown',
  };
  return { item: { evidence }, ledgerSeq, verdict } as unknown as Reviewed;
}

const READY = reviewed({ kind: 'ready', caller: { id: 'nobody' } });

describe('an item before the maths', () => {
  it.each(['denied', 'dropped'])(
    'that this party has %s is denied, whatever the other says',
    (kind) => {
      const review = reviewed({ kind, refusal: refuse('forbidden', 'frozen') });
      expect(outcomeWithoutMaths(review, CONTRIBUTED)).toEqual({
        outcome: 'denied',
        errType: 'forbidden',
        reason: 'frozen',
      });
    },
  );

  it("that the other party has denied is denied with that party's reason", () => {
    const part: PartnerPart = { kind: 'denied', errType: 'not_found', reason: 'no such key' };
    const outcome = { outcome: 'denied', errType: 'not_found', reason: 'no such key' };
    expect(outcomeWithoutMaths(READY, part)).toEqual(outcome);
  });

  it('that neither has denied is tried again until it is combined', () => {
    const part: PartnerPart = { kind: 'retry', reason: 'no share' };
    expect(outcomeWithoutMaths(READY, part)).toEqual({ outcome: 'retry', reason: 'no share' });
    const waiting = { outcome: 'retry', reason: 'not combined' };
    expect(outcomeWithoutMaths(READY, CONTRIBUTED)).toEqual(waiting);
  });
});

describe('an item that the maths did not sign', () => {
  const reasons: LeadFailure[] = [
    'assertion',
    'commitment',
    'share',
    'nonce-gone',
    'partner-share',
    'partner-receipt',
    'fault',
  ];

  it('is denied when the caller did not sign it, and otherwise tried again', () => {
    for (const reason of reasons) {
      const again = { outcome: 'retry', reason };
      expect(outcomeOfFailure(reason)).toEqual(reason === 'assertion' ? INVALID : again);
    }
  });

  it('shows a dishonest partner by a wrong share or receipt alone', () => {
    expect(reasons.filter(isMisbehaviour)).toEqual(['partner-share', 'partner-receipt']);
  });
});

describe('a signed item when the state has moved on', () => {
  const later: VaultState = { ...EMPTY_STATE, seq: 6 };

  it('is denied when its caller is no more', () => {
    expect(overtakenBy([later], READY, NOW)).toEqual(INVALID);
  });

  it('stands when nothing was seen since', () => {
    expect(overtakenBy([], READY, NOW)).toBeUndefined();
  });
});

describe('a request that has a result already', () => {
  const outcome = { outcome: 'denied', errType: 'forbidden', reason: 'frozen' } as const;
  const earlier: EarlierResult = { submission: 'delivery 1', outcome };

  it('gets it when it is the same delivery, and is a replay otherwise', () => {
    expect(outcomeOfEarlier(earlier, 'delivery 1')).toEqual(outcome);
    expect(outcomeOfEarlier(earlier, 'delivery 2')).toEqual({
      outcome: 'denied',
      errType: 'unauthorized',
      reason: 'the request was used before',
    });
  });
});
