import { describe, expect, it } from '@jest/globals';
import { pendingRequest } from '@countersign/api/example-values.js';
import { ByteWriter } from '@countersign/core/bytes.js';
import { encodeEvidence } from '@countersign/core/write-evidence.js';
import { deriveId, entryHash, EVIDENCE_ENTRY } from '@countersign/core/entry-hash.js';
import { showRequest, UnreadableRecordError } from './show-request.js';

const first = showRequest(JSON.stringify(pendingRequest));
const record = { ...pendingRequest, digest: first.digest, request_id: first.request_id };
const show = (change: object, venueId?: string) =>
  showRequest(JSON.stringify({ ...record, ...change }), venueId);

describe('a request as an approver checks it', () => {
  it('says what is asked for and by whom, and apart from that what only the gateway says', () => {
    expect(show({})).toEqual({
      request_id: record.request_id,
      operation: 'create-vault',
      asked_by_user: record.created_by,
      method: 'POST',
      path: '/v1/vaults',
      query: '',
      body: { display_name: 'Treasury' },
      digest: record.digest,
      record_differs_in: [],
      said_by_the_gateway_not_verified: { because_of: record.asked_by },
    });
  });

  it('names what the gateway says otherwise than the signed bytes', () => {
    const id = '01234567-89ab-4cde-8f01-abcdefabcdef';
    expect(show({ request_id: id })).toMatchObject({
      request_id: record.request_id,
      record_differs_in: ['request_id'],
    });
    expect(show({ operation: 'create-wallet' })).toMatchObject({
      operation: 'create-vault',
      record_differs_in: ['operation'],
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
    expect(show(change).record_differs_in).toContain('digest');
  });

  it('is nothing that waits no longer, and nothing else at all', () => {
    const ended = { content: undefined, status: 'rejected' };
    expect(() => show(ended)).toThrow(
      new UnreadableRecordError('the request does not wait any more'),
    );
    expect(() => showRequest('{}')).toThrow(UnreadableRecordError);
    expect(() => showRequest('no JSON')).toThrow(UnreadableRecordError);
  });

  it('is nothing yet where the vault has not decided whether it waits', () => {
    expect(() => show({ content: undefined, phase: 'undecided' })).toThrow('try again in a moment');
  });
});

/** A key as a ledger has it whose third entry is this request. */
function bornBy(body: object) {
  const evidence = encodeEvidence({
    ...{ method: 'POST', path: '/v1/keys/import', query: '', scheme: 'ApiKey', credential: 'x' },
    body: Buffer.from(JSON.stringify(body)),
    timestampMs: 1,
    nonce: Buffer.alloc(8),
    assertion: Buffer.alloc(64),
  });
  const entryBody = new ByteWriter().u8(EVIDENCE_ENTRY).u64(1).field(evidence).bytes();
  const prevHash = Buffer.alloc(32, 7);
  return {
    keyId: deriveId(entryHash(3, prevHash, entryBody), 'key'),
    entry: { seq: 3, prev_hash: prevHash.toString('hex'), body: entryBody.toString('base64') },
  };
}

describe('a signature as an approver checks it', () => {
  const order = {
    venue_request: {
      ...{ channel: 'rest', method: 'POST', path: '/sapi/v1/capital/withdraw/apply' },
      query: 'coin=BTC&address=bc1qours&amount=2',
    },
  };
  const asking = (body: object) => ({
    content: {
      ...pendingRequest.content,
      path: `/v1/keys/${record.request_id}/sign`,
      body: Buffer.from(JSON.stringify(body)).toString('base64'),
    },
  });
  const facts = (venueId: string) => ({
    facts: {
      operation: 'sign',
      user_id: record.created_by,
      received_at: record.created_at,
      venue_id: venueId,
      // what the gateway reads is not what is shown
      destinations: ['bc1qelsewhere'],
      undecidable: [],
    },
  });

  it('says what the order is, read here, at the venue that the gateway names', () => {
    expect(show({ ...asking(order), ...facts('binance') }).reads_as).toMatchObject({
      venue_said_by_the_gateway_not_verified: 'binance',
      operation_class: 'withdraw',
      destinations: ['bc1qours'],
      amounts: ['2'],
    });
  });

  it('tells each order term by term, the rest as it stands, and what the venue does not check', () => {
    const query =
      'symbol=BTCUSDT&side=SELL&type=LIMIT&quantity=3&price=61250.5&newClientOrderId=x&pegOffsetValue=4';
    const venue_request = { channel: 'rest', method: 'POST', path: '/api/v3/order', query };
    const { reads_as: reading } = show({ ...asking({ venue_request }), ...facts('binance') });
    const term = (name: string, term: string, value: string) =>
      expect.objectContaining({ name, term, value, from: 'query' });
    expect(reading).toMatchObject({
      endpoint: 'POST /api/v3/order',
      orders: [
        [
          term('symbol', 'symbol', 'BTCUSDT'),
          term('side', 'side', 'SELL'),
          term('type', 'order_type', 'LIMIT'),
          term('quantity', 'amount', '3'),
          term('price', 'price', '61250.5'),
          term('newClientOrderId', 'client_id', 'x'),
        ],
      ],
      other_parameters: [{ name: 'pegOffsetValue', value: '4', from: 'query' }],
      signature_at_the_venue_covers: ['query', 'body', 'time'],
    });
  });

  it('is read for the venue that the approver names, and a gateway that names another is found out', () => {
    const shown = show({ ...asking(order), ...facts('binance') }, 'binance');
    expect(shown.reads_as).toMatchObject({ venue: 'binance', operation_class: 'withdraw' });
    expect(shown.reads_as).not.toHaveProperty('venue_said_by_the_gateway_not_verified');
    expect(shown.record_differs_in).not.toContain('venue_id');
    const lied = show({ ...asking(order), ...facts('okx') }, 'binance');
    expect(lied.reads_as).toEqual(shown.reads_as);
    expect(lied.record_differs_in).toContain('venue_id');
    expect(lied.said_by_the_gateway_not_verified).toMatchObject({ venue_id: 'okx' });
  });

  it('is read for the venue that the entry proves which made the key, whoever names another', () => {
    const body = { type: 'hmac', display_name: 'Key', venue_id: 'binance' };
    const { keyId, entry } = bornBy(body);
    const asked = asking(order);
    const path = `/v1/keys/${keyId}/sign`;
    const born = { content: { ...asked.content, path }, key_entry: entry };
    const shown = show({ ...born, ...facts('binance') });
    expect(shown.reads_as).toMatchObject({ venue: 'binance', operation_class: 'withdraw' });
    expect(shown.record_differs_in).not.toContain('venue_id');
    expect(shown.said_by_the_gateway_not_verified).not.toHaveProperty('venue_id');
    const lied = show({ ...born, ...facts('okx') });
    expect(lied.reads_as).toEqual(shown.reads_as);
    expect(lied.record_differs_in).toContain('venue_id');
    expect(show({ ...born, ...facts('binance') }, 'okx').record_differs_in).toContain('venue_id');
    // the entry of another key
    const other = show({ ...asking(order), key_entry: entry, ...facts('binance') });
    expect(other.record_differs_in).toContain('venue_id');
    expect(other.reads_as).toHaveProperty('venue_said_by_the_gateway_not_verified', 'binance');
  });

  it('says so where it cannot be read', () => {
    const unread = { unreadable: expect.any(String) };
    expect(show({ ...asking(order), ...facts('nowhere') }).reads_as).toEqual(unread);
    expect(show(asking({ venue_request: 7 })).reads_as).toEqual(unread);
    expect(show({}).reads_as).toBeUndefined();
  });

  it('names the bytes of a raw signature by their hash', () => {
    const { content } = asking({ message: 'aGVsbG8=' });
    const path = content.path.replace('/sign', '/raw-sign');
    expect(show({ content: { ...content, path } }).reads_as).toEqual({
      message_sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      message_bytes: 5,
    });
  });
});
