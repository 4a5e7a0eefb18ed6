/** That what is shown and what is approved are one thing. */
import { describe, expect, it } from '@jest/globals';
import { pendingRequest } from '@countersign/api/example-values.js';
import { approvalOf } from './approval-of.js';
import {
  askedIn,
  contentTextOf,
  digestOf,
  messageTextOf,
  signerOf,
  summaryOf,
} from './request-content.js';
import type { RequestRecord } from './shown-record.js';

const record: RequestRecord = pendingRequest;
const content = pendingRequest.content;
const saying = (body: object) => ({
  ...content,
  path: '/v1/keys/k/raw-sign',
  body: Buffer.from(JSON.stringify(body)).toString('base64'),
});

describe('the digest', () => {
  /** Computed with `countersign requests show --verify` of the same record. */
  const DUE = '284cd2c148a8fd0056b770ded9d14a308d61d8f5d271aa537157fa7f0eab1b8e';

  it('is the one that the command computes elsewhere', () => {
    expect(digestOf(record)).toBe(DUE);
  });

  it.each([
    ['requester', { created_by: record.request_id }],
    ['transcript', { content: { ...content, transcript: '0'.repeat(64) } }],
    ['method', { content: { ...content, method: 'PUT' } }],
    ['path', { content: { ...content, path: '/v1/users' } }],
    ['query', { content: { ...content, query: 'a=b' } }],
    ['body', { content: { ...content, body: 'e30=' } }],
  ])('is another one for another %s', (_what, change) => {
    expect(digestOf({ ...record, ...change })).not.toBe(DUE);
  });

  it('is none where nothing is shown', () => {
    const { content: _, ...ended } = pendingRequest;
    expect(digestOf(ended)).toBeUndefined();
  });
});

describe('what is shown of a request', () => {
  it('is all that is signed for', () => {
    expect(contentTextOf({ ...content, query: 'a=b' })).toBe(
      'POST /v1/vaults?a=b\n\n{\n  "display_name": "Treasury"\n}',
    );
  });

  it('is base64 where it is no text', () => {
    expect(contentTextOf({ ...content, body: '/w==' })).toBe('POST /v1/vaults\n\n/w==');
  });

  it('is named by what the body calls it, or by what a venue would do', () => {
    expect(summaryOf(record)).toBe('create vault “Treasury”');
    expect(summaryOf({ ...record, content: { ...content, body: 'e30=' } })).toBe('create vault');
    const facts = {
      operation: 'sign' as const,
      user_id: record.created_by,
      received_at: record.created_at,
      venue_id: 'binance',
      operation_class: 'withdraw' as const,
      destinations: ['bc1q\u202eours'],
      amounts: ['2'],
      undecidable: [],
    };
    expect(summaryOf({ ...record, facts })).toBe('withdraw · binance · 2 · to bc1q\\u{202e}ours');
  });

  it('is told from others of its kind by what is asked of the venue, or by the message', () => {
    const asking = (operation: string, body: object): RequestRecord => ({
      ...record,
      operation,
      content: saying(body),
    });
    const order = { method: 'POST', path: '/api/v3/order', query: 'symbol=BTCUSDT', channel: 'ws' };
    expect(summaryOf(asking('sign-with-key', { venue_request: order }))).toBe(
      'sign with key · POST /api/v3/order symbol=BTCUSDT',
    );
    const long = Buffer.from('\u202epay '.repeat(20)).toString('base64');
    const told = summaryOf(asking('raw-sign', { message: long }));
    expect(told).toMatch(/^raw sign · “\\u\{202e\}pay .*…”$/);
    expect(summaryOf(asking('raw-sign', { venue_request: 7 }))).toBe('raw sign');
  });

  it('names the key or the wallet that would sign', () => {
    const of = (path: string) => signerOf({ ...content, path });
    expect(of('/v1/keys/k/sign')).toEqual({ keyId: 'k' });
    expect(of('/v1/keys/k/raw-sign')).toEqual({ keyId: 'k' });
    expect(of('/v1/keys/k/sign-batch')).toEqual({ keyId: 'k' });
    expect(of('/v1/vaults/v/wallets/a/sign')).toEqual({ vaultId: 'v', address: 'a' });
    for (const path of ['/v1/keys/k', '/v1/keys/k/destroy', '/v1/keys/sign', '/v1/vaults/v/sign']) {
      expect(of(path)).toBeUndefined();
    }
  });
});

describe('a raw message', () => {
  it.each([
    [{ message: 'cGF5IHRoZSByZW50' }, 'pay the rent'],
    [{ message: '706179', message_encoding: 'hex' }, 'pay'],
    [{ message: 'as it stands', message_encoding: 'utf8' }, 'as it stands'],
    [{ message: 'as it stands', message_encoding: 'rot13' }, undefined],
    [{ message: '/w==' }, undefined],
    [{ message: '' }, undefined],
    [{ message: 5 }, undefined],
    [{}, undefined],
  ])('of %j reads %j', (body, text) => {
    expect(messageTextOf({ content: saying(body) })).toBe(text);
  });

  it('is in no other request', () => {
    const other = { ...saying({ message: 'cGF5IHRoZSByZW50' }), path: '/v1/vaults' };
    expect(messageTextOf({ content: other })).toBeUndefined();
  });
});

it('of a batch is what stands at the place of the item', () => {
  const messages = ['b25l', 'dHdv'];
  const path = '/v1/vaults/v/wallets/a/raw-sign-batch';
  const batch = { ...saying({ messages, all_or_none: true }), path };
  const item = (index: number) => ({ content: batch, batch: { request_id: 'b', index } });
  expect([0, 1, 2].map((index) => messageTextOf(item(index)))).toEqual(['one', 'two', undefined]);
  expect(askedIn(item(1))).toMatchObject({ message: 'dHdv', all_or_none: true });
  expect(messageTextOf({ content: batch })).toBeUndefined();
});

describe('an approval', () => {
  const [asking] = pendingRequest.asked_by;

  it('is for the digest that was computed here, whatever the record names', () => {
    expect(approvalOf(record)).toEqual({ digest: digestOf(record) });
    expect(approvalOf({ ...record, digest: 'f'.repeat(64) })).toEqual({ digest: digestOf(record) });
  });

  it('of a signature counts for the rules that ask, each once', () => {
    const rule = { ...asking!, rule_id: record.request_id };
    expect(approvalOf({ ...record, asked_by: [rule, rule] })).toEqual({
      digest: digestOf(record),
      rule_ids: [record.request_id],
    });
  });
});
