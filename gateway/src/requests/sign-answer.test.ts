import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { sealSigningDetails, type SignedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { signedOf } from './sign-answer.js';

const receipt = {
  requestId: '11111111-1111-4111-8111-111111111111',
  signedAt: 5,
  keyId: '22222222-2222-4222-8222-222222222222',
  messageSha256: '00'.repeat(32),
  parties: [1, 2],
};
const details = { nonce: 7n, venueApiKey: 'name', passphrase: 'as the venue wants it' };

function countingKeys() {
  const keys = createEvidenceKeys([randomBytes(32)]);
  let opened = 0;
  const counting: EvidenceKeys = Object.assign(Object.create(keys), {
    open(...given: Parameters<EvidenceKeys['open']>) {
      opened += 1;
      return keys.open(...given);
    },
  });
  return { keys: counting, opened: () => opened };
}

it('details are opened once, for the check and the answer, and by no other key', () => {
  const { keys, opened } = countingKeys();
  const owner = receipt as unknown as SignedOutcome['receipt'];
  const sealed = sealSigningDetails(details, owner, keys);
  const outcome = { receipt: owner, signature: new Uint8Array(), details: sealed } as SignedOutcome;
  const signed = { moment: { nonce: 7n, at: 5 }, venueApiKey: 'name' };
  expect(signedOf(outcome, keys)).toMatchObject(signed);
  expect(signedOf(outcome, keys)).toMatchObject(signed);
  expect(opened()).toBe(1);
  expect(() => signedOf(outcome, createEvidenceKeys([randomBytes(32)]))).toThrow();
  const forged = { ...outcome, details: Buffer.from(sealed).reverse() };
  expect(() => signedOf(forged, keys)).toThrow();
});
