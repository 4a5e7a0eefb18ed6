import { describe, expect, it } from '@jest/globals';
import { deny } from '@countersign/core/denials.js';
import { readPolicyText, refusedRequestFields, type RefusedRequest } from './refused-request.js';

const ACTOR = '11111111-1111-4111-8111-111111111111';
const REQUEST = '22222222-2222-4222-8222-222222222222';
const VAULT = '33333333-3333-4333-8333-333333333333';
const KEY = '44444444-4444-4444-8444-444444444444';
const RULE = '55555555-5555-4555-8555-555555555555';

const refused: RefusedRequest = {
  at: 1_000,
  action: 'raw-sign',
  actorId: ACTOR,
  requestId: REQUEST,
  refusal: deny('signing_policies', 'as a test says'),
};

describe('the record of a refused request', () => {
  it('has its fields in the order in which the chain hashes them', () => {
    const policy = { id: KEY, version: 3, ruleId: RULE };
    const all = { vaultId: VAULT, walletAddress: '0xabc', keyId: KEY };
    const refusal = { ...refused.refusal, policy };
    expect(refusedRequestFields({ ...refused, ...all, refusal })).toEqual([
      1_000,
      'raw-sign',
      ACTOR,
      REQUEST,
      'forbidden',
      'as a test says',
      `${KEY}/v3/${RULE}`,
      VAULT,
      '0xabc',
      KEY,
    ]);
  });

  it('has null for what the request did not concern', () => {
    expect(refusedRequestFields(refused).slice(6)).toEqual([null, null, null, null]);
  });

  it('has no id that is none: path parameters are the caller’s text', () => {
    const ids = refusedRequestFields({ ...refused, vaultId: "'; --", keyId: '__proto__' });
    expect([ids[7], ids[9]]).toEqual([null, null]);
  });

  it('names a policy without a rule by id and version', () => {
    const refusal = { ...refused.refusal, policy: { id: KEY, version: 1, ruleId: undefined } };
    expect(refusedRequestFields({ ...refused, refusal })[6]).toBe(`${KEY}/v1`);
  });

  it('names its policy as it is read again', () => {
    const policy = { id: VAULT, version: 3 };
    for (const one of [policy, { ...policy, ruleId: KEY }]) {
      const refusal = { ...refused.refusal, policy: one };
      const text = refusedRequestFields({ ...refused, refusal })[6];
      expect(readPolicyText(String(text))).toEqual(one);
    }
    expect(readPolicyText(null)).toBeUndefined();
  });
});
