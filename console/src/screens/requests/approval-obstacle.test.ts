import { describe, expect, it } from '@jest/globals';
import { pendingRequest } from '@countersign/api/example-values.js';
import { approvalObstacle, rejectionObstacle } from './approval-obstacle.js';
import { digestOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

const waiting: RequestRecord = pendingRequest;
const digest = digestOf(waiting);
const record: RequestRecord = { ...waiting, digest: digest! };
const userId = '7a1b0000-0000-8000-8000-000000000001';
const viewer = { userId, isAsked: true, now: Date.parse(record.created_at) };
const afterwards = { ...viewer, now: Date.parse(record.expires_at!) };

describe('who is asked and has not answered', () => {
  it('can approve and reject', () => {
    expect([approvalObstacle(record, viewer, digest), rejectionObstacle(record, viewer)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('can do so anew, where an earlier approval is shown and asked for again', () => {
    const again = { ...record, approvals: { required: 2, given: [userId] } };
    expect([approvalObstacle(again, viewer, digest), rejectionObstacle(again, viewer)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('nobody can do either', () => {
  it.each<[string, RequestRecord, Parameters<typeof rejectionObstacle>[1], string]>([
    ['when it has ended', { ...record, status: 'completed' }, viewer, 'no longer waits'],
    ['while it waits for its time', { ...record, phase: 'queued' }, viewer, 'no longer waits'],
    ['when its time is over', record, afterwards, 'time is over'],
    ['who asked for it', { ...record, created_by: userId }, viewer, 'your own approval'],
    [
      'who has approved it',
      { ...record, approvals: { required: 2, given: [userId] } },
      { ...viewer, isAsked: false },
      'approved it already',
    ],
    ['who is not asked', record, { ...viewer, isAsked: false }, 'No policy asks for your approval'],
    ['before that is read', record, { ...viewer, isAsked: undefined }, 'Reading whether'],
  ])('%s', (_who, asked, by, because) => {
    expect(approvalObstacle(asked, by, digest)).toContain(because);
    expect(rejectionObstacle(asked, by)).toContain(because);
  });
});

it('a key of another venue than the gateway names is not approved, and can be rejected', () => {
  const keyId = '0f000000-0000-8000-8000-000000000001';
  const content = { ...record.content!, path: `/v1/keys/${keyId}/sign` };
  const asked: RequestRecord = {
    ...record,
    content,
    key_entry: { seq: 2, prev_hash: '0'.repeat(64), body: 'AAAA' },
  };
  const computed = digestOf(asked);
  const shown = { ...asked, digest: computed! };
  expect(approvalObstacle(shown, viewer, computed)).toContain('another venue');
  expect(rejectionObstacle(shown, viewer)).toBeUndefined();
  const { key_entry: _entry, ...without } = shown;
  expect(approvalObstacle(without, viewer, computed)).toBeUndefined();
});

it('what is not what the vault names is not approved, and can be rejected', () => {
  for (const computed of [undefined, '0'.repeat(64)]) {
    expect(approvalObstacle(record, viewer, computed)).toContain('do not approve');
  }
  expect(approvalObstacle({ ...record, digest: '0'.repeat(64) }, viewer, digest)).toContain(
    'do not approve',
  );
  expect(rejectionObstacle({ ...record, digest: '0'.repeat(64) }, viewer)).toBeUndefined();
});
