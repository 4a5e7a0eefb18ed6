/** What a gateway waits for, counts and orders a request by: as found when it was asked, and of its evidence later. */
import { describe, expect, it } from '@jest/globals';
import { openStages } from '@countersign/runtime/tracing/stage-clock.js';
import { rawSignWithKey } from '@countersign/vault/operations/raw-sign.js';
import type { ReadySigning } from '@countersign/vault/operations/signing-operation.js';
import { venueSign } from '@countersign/vault/operations/venue-sign.js';
import type { Key, VaultState } from '@countersign/vault/state/state.js';
import { replaceRow } from '@countersign/vault/state/table.js';
import { createSigningScene } from '../../../test/support/signing-scene.js';
import { askedBefore, askedNow } from './asked-request.js';

const scene = createSigningScene();
const BUCKET = 'b'.repeat(64);

const READY: ReadySigning = {
  operation: rawSignWithKey,
  input: { params: { key_id: scene.key.id }, query: {}, body: {} },
  scheme: 'ed25519',
  key: scene.key,
  wallet: undefined,
  policy: { id: 'policy', version: 1, ruleId: 'rule' },
  asked: [],
  couldWait: false,
  messageAt: () => Buffer.alloc(0),
};

const asked = (change: Partial<ReadySigning> = {}, state: VaultState = scene.state) =>
  askedNow('request', { ...READY, ...change }, () => state, openStages());

const stateWith = (key: Key): VaultState => ({
  ...scene.state,
  keys: replaceRow(scene.state.keys, key),
});

describe('what has just been found to be allowed', () => {
  it('counts against the limit of the rule that allows it, and against none without one', () => {
    const claim = { bucket: BUCKET, amount: '2', limit: '10', windowMs: 60_000 };
    expect(asked({ claim }).limitBucket).toBe(BUCKET);
    expect(asked().limitBucket).toBeUndefined();
  });

  it('has its key’s number to itself where its venue wants one that rises', () => {
    expect(asked({ nonceUnit: 'ms' }).risingKeyId).toBe(scene.key.id);
    expect(asked().risingKeyId).toBeUndefined();
  });

  it.each([
    ['rsa', 'rsa'],
    ['ed25519', 'quick'],
    ['hmac', 'quick'],
  ] as const)('of a key of type %s takes the lane %s', (type, lane) => {
    expect(asked({ key: { ...scene.key, type } }).lane).toBe(lane);
  });

  it('keeps what was read of it, until its key has changed', () => {
    const { key } = READY;
    expect(asked().findTarget(key.id)).toMatchObject({ messageAt: READY.messageAt });
    const changed = { ...key, version: 2 };
    expect(asked({}, stateWith(changed)).findTarget(key.id)).toEqual({ key: changed });
  });
});

describe('what was asked some time ago', () => {
  const { evidence } = scene.request();
  const ofVenue = { ...scene.key, venueId: 'kraken', type: 'hmac' as const };
  const venueRequest = { channel: 'rest', method: 'POST', path: '/0/private/Balance', body: '' };
  const venueEvidence = {
    ...evidence,
    path: venueSign.path.replace('{key_id}', scene.key.id),
    body: Buffer.from(JSON.stringify({ venue_request: venueRequest })),
  };

  it('has the lane and the rising number of its key as it is now, and no limit', () => {
    expect(askedBefore(venueEvidence, () => stateWith(ofVenue))).toMatchObject({
      risingKeyId: scene.key.id,
      limitBucket: undefined,
      lane: 'quick',
    });
    const rsa = stateWith({ ...scene.key, venueId: 'binance', type: 'rsa' });
    expect(askedBefore(venueEvidence, () => rsa)).toMatchObject({
      risingKeyId: undefined,
      lane: 'rsa',
    });
    expect(askedBefore(evidence, () => stateWith(ofVenue))).toMatchObject({
      risingKeyId: undefined,
    });
  });

  it('is none where it asked for no signature', () => {
    expect(askedBefore({ ...evidence, path: '/v1/vaults' }, () => scene.state)).toBeUndefined();
  });
});
