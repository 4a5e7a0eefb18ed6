import { describe, expect, it } from '@jest/globals';
import { sha256 } from '@countersign/core/hash.js';
import type { Receipt } from '@countersign/api/receipt.js';
import type { LedgerPlace } from '@countersign/vault/ledger/place-types.js';
import type { SigningMoment } from '@countersign/venues/engine/venue.js';
import { SIGN_TIME_TO_LIVE_MS } from '@countersign/runtime/jobs/names.js';
import { CONTRIBUTION_LIFE_MS } from './given-contributions.js';
import { messageOfReceipt } from './record-of.js';
import type { Reviewed } from './review-item.js';

const NOW = Date.UTC(2026, 0, 5, 12);
const HEAD_HASH = 'ab'.repeat(32);
const PLACE = { state: { seq: 7, headHash: HEAD_HASH }, rules: 2 } as LedgerPlace;
const POLICY = { id: 'policy', version: 3, ruleId: 'rule' };

type NonceUnit = 'ms' | 'us' | undefined;

/** What the message of a moment is here: it says the moment. */
const messageAt = ({ at, nonce, requestId }: SigningMoment) =>
  Buffer.from(`${at} ${nonce} ${requestId}`);

/** As this party decided, for a venue that wants numbers of a unit. */
function reviewed(nonceUnit: NonceUnit, isVenue = true, prices?: Receipt['prices']): Reviewed {
  const signing = {
    key: { id: 'key' },
    policy: POLICY,
    nonceUnit,
    venue: isVenue ? {} : undefined,
    prices,
    messageAt,
  };
  return {
    requestId: 'request',
    ledgerSeq: 7,
    verdict: { kind: 'ready', signing, approvals: [] },
  } as unknown as Reviewed;
}

/** What a partner says that it signed at a moment: its own message, and the hash that goes with it. */
function told({ nonce = 0n, ...fields }: Partial<Receipt> & { readonly nonce?: bigint } = {}) {
  const { requestId = 'request', signedAt = NOW } = fields;
  const message = messageAt({ at: signedAt, nonce, requestId });
  const receipt: Receipt = {
    requestId,
    keyId: 'key',
    messageSha256: sha256(message).toString('hex'),
    policy: POLICY,
    ledgerSeq: 7,
    ledgerHash: HEAD_HASH,
    rulesVersion: 2,
    parties: [1, 2],
    signedAt,
    ...fields,
  };
  return { nonce, receipt };
}

const isTaken = (nonce: bigint, unit: NonceUnit, now = NOW) =>
  messageOfReceipt(told({ nonce }), reviewed(unit), PLACE, now) !== undefined;

describe("a partner's number", () => {
  const bounds = [
    ['ms', BigInt(NOW + 60_000)],
    ['us', BigInt(NOW + 60_000) * 1_000n],
  ] as const;
  const units = ['ms', 'us'] as const;

  it.each(bounds)('in %s may lie a minute ahead of this clock, and not one more', (unit, bound) => {
    expect(isTaken(bound, unit)).toBe(true);
    expect(isTaken(bound + 1n, unit)).toBe(false);
    // what was too far ahead is in time a millisecond later
    expect(isTaken(bound + 1n, unit, NOW + 1)).toBe(true);
    expect(isTaken(bound, unit, NOW - 1)).toBe(false);
  });

  it.each(units)('in %s is never one that no higher one could follow', (unit) => {
    for (const nonce of [2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]) {
      expect(isTaken(nonce, unit)).toBe(false);
    }
  });

  it.each(units)('in %s may lie behind the clock, and is none when it is 0', (unit) => {
    // that it rises is for the store of numbers to see
    expect(isTaken(1n, unit)).toBe(true);
    expect(isTaken(0n, unit)).toBe(false);
  });

  it('is none where the venue wants none', () => {
    expect(isTaken(0n, undefined)).toBe(true);
    expect(isTaken(1n, undefined)).toBe(false);
    expect(isTaken(BigInt(NOW), undefined)).toBe(false);
  });
});

describe("a partner's receipt", () => {
  const messageFor = (changes: Partial<Receipt>, review = reviewed(undefined)) =>
    messageOfReceipt(told(changes), review, PLACE, NOW);

  it('gives the message that this party composes for the same moment', () => {
    expect(messageFor({})).toEqual(messageAt({ at: NOW, nonce: 0n, requestId: 'request' }));
  });

  it.each<[string, Partial<Receipt>]>([
    ['request', { requestId: 'another' }],
    ['key', { keyId: 'another' }],
    ['policy', { policy: { ...POLICY, id: 'another' } }],
    ['version of the policy', { policy: { ...POLICY, version: 4 } }],
    ['rule', { policy: { ...POLICY, ruleId: 'another' } }],
    ['message', { messageSha256: sha256('another').toString('hex') }],
    ['list of approvals', { approvals: [{ userId: 'somebody', entryHash: '00' }] }],
  ])('over another %s gives none', (_what, changes) => {
    expect(messageFor(changes)).toBeUndefined();
  });

  it.each<[string, Partial<Receipt>]>([
    ['an earlier head', { ledgerSeq: 6 }],
    ['a later head', { ledgerSeq: 8 }],
    ['the head of another history', { ledgerHash: 'cd'.repeat(32) }],
    ['a head without a hash', { ledgerHash: '' }],
    ['older rules', { rulesVersion: 1 }],
    ['newer rules', { rulesVersion: 3 }],
  ])('over %s than the one that both were to decide over gives none', (_what, changes) => {
    expect(messageFor(changes)).toBeUndefined();
  });

  it.each([
    ['a venue request', true],
    ['any other', false],
  ])('for %s is dated within the life of a request by this clock (venue: %s)', (_what, isVenue) => {
    const review = reviewed(undefined, isVenue);
    const bounds = [
      [-1, NOW - SIGN_TIME_TO_LIVE_MS - CONTRIBUTION_LIFE_MS],
      [1, NOW + CONTRIBUTION_LIFE_MS],
    ] as const;
    for (const [side, signedAt] of bounds) {
      expect(messageFor({ signedAt: signedAt - side }, review)).toBeDefined();
      expect(messageFor({ signedAt }, review)).toBeUndefined();
    }
  });

  it('names prices of the assets that this party valued, and of no others', () => {
    const priceOf = (asset: string, price = '1') => ({ asset, price, at: NOW, relay: 'one' });
    const [btc, usdt] = [priceOf('BTC'), priceOf('USDT')];
    const valued = reviewed(undefined, true, [btc, usdt]);
    // at whichever price and moment: each decides by its own
    expect(
      messageFor({ prices: [{ ...btc, price: '2', at: NOW - 9 }, usdt] }, valued),
    ).toBeDefined();
    for (const prices of [undefined, [btc], [priceOf('ETH'), usdt], [btc, usdt, priceOf('ETH')]]) {
      expect(messageFor({ prices }, valued)).toBeUndefined();
    }
    expect(messageFor({ prices: [btc] })).toBeUndefined();
  });

  it('for a request that this party denied gives none', () => {
    const denied = { ...reviewed(undefined), verdict: { kind: 'denied' } } as unknown as Reviewed;
    expect(messageFor({}, denied)).toBeUndefined();
  });
});
