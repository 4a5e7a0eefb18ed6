import { describe, expect, it } from '@jest/globals';
import { heldRequest } from '@countersign/api/operations/example-values.js';
import { showRequest, UnreadableRecordError } from './show-request.js';

const record = { ...heldRequest, digest: showRequest(JSON.stringify(heldRequest)).digest };
const show = (change: object) => showRequest(JSON.stringify({ ...record, ...change }));

describe('a request as an approver checks it', () => {
  it('says what is asked for, by whom and because of which policy', () => {
    expect(show({})).toEqual({
      request_id: record.request_id,
      operation: 'create-vault',
      asked_by_user: record.created_by,
      because_of: record.asked_by,
      method: 'POST',
      path: '/v1/vaults',
      query: '',
      body: { display_name: 'Treasury' },
      digest: record.digest,
      digest_holds: true,
    });
  });

  it.each([
    ['another requester', { created_by: record.request_id }],
    ['another method', { content: { ...record.content, method: 'PUT' } }],
    ['another path', { content: { ...record.content, path: '/v1/users' } }],
    ['another query', { content: { ...record.content, query: 'a=b' } }],
    ['another body', { content: { ...record.content, body: 'e30=' } }],
    ['another transcript', { content: { ...record.content, transcript: '0'.repeat(64) } }],
    ['another digest', { digest: '0'.repeat(64) }],
  ])('does not hold with %s', (_what, change) => {
    expect(show(change).digest_holds).toBe(false);
  });

  it('is nothing that waits no longer, and nothing else at all', () => {
    expect(() => show({ content: undefined })).toThrow(UnreadableRecordError);
    expect(() => showRequest('{}')).toThrow(UnreadableRecordError);
    expect(() => showRequest('no JSON')).toThrow(UnreadableRecordError);
  });
});
