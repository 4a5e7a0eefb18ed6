import { expect, it } from '@jest/globals';
import { pendingRequest } from '@countersign/api/example-values.js';
import { SIGNING_OPERATIONS } from '@countersign/api/operations/signing.js';
import { afterApproval, completionWords } from './completion-words.js';
import type { RequestRecord } from './shown-record.js';

const body = Buffer.from('{"venue_request":{"channel":"rest"}}').toString('base64');
const record: RequestRecord = { ...pendingRequest, status: 'completed' };
const order: RequestRecord = { ...record, content: { ...pendingRequest.content, body } };

it.each(SIGNING_OPERATIONS.map(({ id }) => id))(
  'a completed %s is a signature, and no more',
  (operation) => {
    expect(completionWords({ ...record, operation })).toContain('Whether it was used is not known');
    expect(completionWords({ ...order, operation })).toContain('whether the venue took the order');
  },
);

it('says nothing of what is not signed, or not yet', () => {
  expect(completionWords(record)).toBeUndefined();
  expect(completionWords({ ...order, operation: 'sign', status: 'processing' })).toBeUndefined();
});

it('says of a batch that each item has an end of its own', () => {
  const items = [{ request_id: record.request_id, index: 0, status: 'rejected' as const }];
  const batch = { ...order, operation: 'sign-batch-with-key', items };
  expect(completionWords(batch)).toContain('decided for itself');
});

it('says after an approval whether others have to give theirs', () => {
  const waiting = { ...pendingRequest, phase: 'awaiting_approval' as const };
  expect(afterApproval(waiting)).toContain('Others');
  expect(afterApproval({ ...waiting, phase: 'queued' as const })).toContain('No approval');
  expect(afterApproval({ ...waiting, status: 'completed' })).toContain('No approval');
});
