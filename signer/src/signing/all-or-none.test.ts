/** Items of batches that are wanted whole: what a party decides about all of them, whichever were sent. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { itemIdOf, MAX_BATCH_ITEMS } from '@countersign/core/batch-item.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { askedSigning } from '@countersign/vault/operations/asked-signing.js';
import { denyTogether as denyWith, standTogether, withMissingItems } from './all-or-none.js';
import { isPostponed, type Reviewed } from './review-item.js';

const KEY_PATH = `/v1/keys/${randomUUID()}/sign-batch`;

function batchOf(size: number, more: object = { all_or_none: true }, path = KEY_PATH): Evidence {
  const venue_request = { method: 'GET', path: '/api/v3/account', channel: 'rest' };
  const venue_requests = Array.from({ length: size }, () => venue_request);
  return {
    method: 'POST',
    path,
    query: '',
    body: Buffer.from(JSON.stringify({ venue_requests, ...more })),
    scheme: 'ApiKey',
    credential: randomUUID(),
    timestampMs: 1_800_000_000_000,
    nonce: Buffer.alloc(8),
    assertion: Buffer.alloc(64),
  };
}

const itemOf = (evidence: Evidence, index?: number): SignItem => ({
  ...{ submission: '00'.repeat(16), receivedAt: 1, nonce: 5n, evidence },
  ...(index !== undefined && { index }),
});
const indexesOf = (items: readonly SignItem[]) => items.map(({ index }) => index);

describe('the items that are reviewed', () => {
  it('are those that were sent, and behind them the rest of their batch', () => {
    const evidence = batchOf(4);
    const sent = [itemOf(evidence, 2), itemOf(evidence, 0)];
    const all = withMissingItems(sent);
    expect(all.slice(0, 2)).toEqual(sent);
    expect(indexesOf(all)).toEqual([2, 0, 1, 3]);
    // the venue's number was for the item that was sent
    expect(all.map(({ nonce }) => nonce)).toEqual([5n, 5n, 0n, 0n]);
  });

  it('are no others where none or some are wanted, nor of what is no batch', () => {
    const sent = [
      itemOf(batchOf(3, {}), 1),
      itemOf(batchOf(3, { all_or_none: false }), 1),
      itemOf(batchOf(3)),
      itemOf(batchOf(3, {}, KEY_PATH.replace('-batch', '')), 0),
      itemOf(batchOf(2), 7),
    ];
    expect(withMissingItems(sent)).toEqual(sent);
  });

  it('are those of each batch in a job, each once', () => {
    const [one, other] = [batchOf(3), batchOf(2)];
    const all = withMissingItems([itemOf(one, 1), itemOf(other, 1), itemOf(one, 1)]);
    expect(all.slice(3).map(({ evidence, index }) => [evidence === one, index])).toEqual([
      [true, 0],
      [true, 2],
      [false, 0],
    ]);
  });

  it('are bounded, whatever a gateway sends', () => {
    const sent = Array.from({ length: 64 }, () => itemOf(batchOf(MAX_BATCH_ITEMS), 0));
    expect(withMissingItems(sent)).toHaveLength(256);
  });
});

const READY = { kind: 'ready' } as Reviewed['verdict'];
const refusal: Refusal = { refused: 'forbidden', message: 'no rule allows it' };
const DENIED = { kind: 'denied', refusal, callerId: 'c', operationId: 'o' } as Reviewed['verdict'];
const DROPPED = {
  kind: 'dropped',
  refusal: refuse('unauthorized', 'nobody known'),
} as Reviewed['verdict'];

function reviewsOf(
  evidence: Evidence,
  verdicts: readonly Reviewed['verdict'][],
  indexes = verdicts.map((_, index) => index),
): Reviewed[] {
  return verdicts.map((verdict, at) => {
    const item = itemOf(evidence, indexes[at]!);
    const { requestId, batch } = askedSigning(evidence, indexes[at]!);
    return { item, requestId, batch, verdict } as Reviewed;
  });
}
const kindsOf = (reviews: readonly Reviewed[]) => reviews.map(({ verdict }) => verdict.kind);

describe('what is decided together', () => {
  const denyTogether = (reviews: readonly Reviewed[]) => denyWith(reviews, new BoundedMap(10));

  it('is signed where each item is allowed, and none is missing', () => {
    const reviews = reviewsOf(batchOf(2), [READY, READY]);
    expect(denyTogether(reviews)).toEqual(reviews);
  });

  it('is denied where one is, which is named', () => {
    const decided = denyTogether(reviewsOf(batchOf(3), [READY, DENIED, READY]));
    expect(kindsOf(decided)).toEqual(['denied', 'denied', 'denied']);
    expect(decided[0]!.verdict).toMatchObject({
      callerId: 'c',
      refusal: {
        refused: 'forbidden',
        message: 'all_or_none: item 1 is denied: no rule allows it',
      },
    });
    expect(decided[1]!.verdict).toBe(DENIED);
  });

  it('is dropped where one came from nobody known, but denied rather where another is', () => {
    expect(kindsOf(denyTogether(reviewsOf(batchOf(2), [READY, DROPPED])))).toEqual([
      'dropped',
      'dropped',
    ]);
    const mixed = denyTogether(reviewsOf(batchOf(3), [READY, DROPPED, DENIED]));
    expect(kindsOf(mixed)).toEqual(['denied', 'dropped', 'denied']);
  });

  it('waits while an item was not reviewed: one that is there twice stands for no other', () => {
    for (const indexes of [
      [0, 1],
      [0, 1, 1],
    ]) {
      const verdicts = indexes.map(() => READY);
      const decided = denyTogether(reviewsOf(batchOf(3), verdicts, indexes));
      expect(decided.map(isPostponed)).toEqual(indexes.map(() => true));
    }
    expect(isPostponed({ verdict: DROPPED })).toBe(false);
  });

  it('is one batch alone: others, and items of batches that are not wanted whole, are as they were', () => {
    const [whole, other, loose] = [batchOf(2), batchOf(1), batchOf(2, {})];
    const reviews = [
      ...reviewsOf(loose, [READY, DENIED]),
      ...reviewsOf(whole, [DENIED, READY]),
      ...reviewsOf(other, [READY]),
    ];
    const single = { ...reviews[0]!, batch: undefined };
    expect(kindsOf(denyTogether([...reviews, single]))).toEqual([
      ...['ready', 'denied'],
      ...['denied', 'denied'],
      ...['ready', 'ready'],
    ]);
  });
});

describe('a batch that leaves in several jobs', () => {
  it('is denied as a whole once it was denied, with the same reason', () => {
    const denied: Parameters<typeof denyWith>[1] = new BoundedMap(10);
    const [whole, other] = [batchOf(3), batchOf(3)];
    const [first] = denyWith(reviewsOf(whole, [READY, DENIED, READY]), denied);
    const later = denyWith(reviewsOf(whole, [READY, READY, READY]), denied);
    expect(later.map(({ verdict }) => verdict)).toEqual(later.map(() => first!.verdict));
    const [open] = denyWith(reviewsOf(other, [READY, READY, READY]), denied);
    expect(open!.verdict).toBe(READY);
  });

  it('is not denied by what was dropped or not decided', () => {
    const denied: Parameters<typeof denyWith>[1] = new BoundedMap(10);
    const whole = batchOf(2);
    denyWith(reviewsOf(whole, [READY, DROPPED]), denied);
    denyWith(reviewsOf(whole, [READY]), denied);
    expect(kindsOf(denyWith(reviewsOf(whole, [READY, READY]), denied))).toEqual(['ready', 'ready']);
  });
});

describe('what is given out together', () => {
  const stand = (reviews: readonly Reviewed[], fallen: readonly number[]) =>
    standTogether(reviews, (index) => !fallen.includes(index));

  it('is nothing of a batch that is wanted whole of which one fell', () => {
    const reviews = [
      ...reviewsOf(batchOf(2), [READY, READY]),
      ...reviewsOf(batchOf(2), [READY, READY]),
    ];
    expect(stand(reviews, [])).toEqual([true, true, true, true]);
    expect(stand(reviews, [1])).toEqual([false, false, true, true]);
  });

  it('is all but that one otherwise', () => {
    const loose = reviewsOf(batchOf(2, {}), [READY, READY]);
    const single = { ...loose[0]!, batch: undefined };
    expect(stand([...loose, single, single], [0, 3])).toEqual([false, true, true, false]);
  });
});

describe('an item of a batch', () => {
  it('has an id of its own, and the digest of what its caller signed', () => {
    const evidence = batchOf(2);
    const whole = requestIdOf(digestOf(evidence));
    const asked = [0, 1].map((index) => askedSigning(evidence, index));
    expect(asked.map(({ requestId }) => requestId)).toEqual(
      [0, 1].map((at) => itemIdOf(whole, at)),
    );
    for (const each of asked) expect(each.digest).toEqual(digestOf(evidence));
    const batch = { requestId: whole, size: 2, isAllOrNone: true };
    expect(asked.map((each) => each.batch)).toEqual([0, 1].map((index) => ({ ...batch, index })));
    expect(asked[0]!.matched?.operation.id).toBe('sign-with-key');
  });

  it.each([
    ['that nobody asked for', batchOf(2), 2],
    ['of what is no batch', batchOf(2, {}, KEY_PATH.replace('-batch', '')), 0],
    ['of what another method asks for', { ...batchOf(2), method: 'PUT' }, 0],
    ['of a batch that is malformed', batchOf(2, { more: 1 }), 0],
    ['of a batch that is too large', batchOf(MAX_BATCH_ITEMS + 1), 0],
    ['of a batch as a whole', batchOf(2), undefined],
  ])('%s is nothing that can be signed', (_what, evidence, index) => {
    expect(askedSigning(evidence, index)).toMatchObject({ matched: undefined, batch: undefined });
  });
});
