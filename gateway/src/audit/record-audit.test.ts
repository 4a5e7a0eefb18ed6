import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { parsePolicyText } from '@countersign/runtime/records/audited-record.js';
import { createSigningScene } from '../../../test/support/signing-scene.js';
import { auditRecordQuery, createFindAuditRecords } from './record-audit.js';

describe('the query', () => {
  test('never carries a value in its text', () => {
    const canary = "canary'; DROP TABLE refused_request; --";
    const { text, values } = auditRecordQuery(
      {
        vault_ids: [canary],
        wallet_addresses: [canary],
        key_ids: [canary],
        user_ids: [canary],
        actions: [canary],
        outcome: 'denied',
        request_id: canary,
        from: 1,
        to: 2,
      },
      { time: canary, chain: canary, seq: 5 },
      51,
    );
    expect(text).not.toContain('canary');
    const used = new Set(text.match(/\$\d+/g));
    expect([...used].toSorted()).toEqual(values.map((_, index) => `$${index + 1}`).toSorted());
  });

  test('asks for one value by equality, which an index answers in order, and for several by any of them', () => {
    const ofUsers = (...ids: string[]) => auditRecordQuery({ user_ids: ids }, null, 51);
    expect(ofUsers('a').text).toContain('WHERE actor = $1::uuid');
    expect(ofUsers('a').values[0]).toBe('a');
    expect(ofUsers('a', 'b').text).toContain('WHERE actor = ANY($1::uuid[])');
    expect(ofUsers('a', 'b').values[0]).toEqual(['a', 'b']);
    expect(ofUsers().text).toContain('WHERE actor = ANY($1::uuid[])');
  });

  test('limits each of the four sources and the whole', () => {
    expect(auditRecordQuery({}, null, 51).text.match(/LIMIT \$1\b/g)).toHaveLength(5);
  });

  test('leaves out the partner’s half of a signature, and its receipt, but for verifiers', () => {
    for (const party of [1, 2, 3]) {
      const from = `FROM party_${party}.sign_record AS record`;
      const { text } = auditRecordQuery({}, null, 51);
      expect(text).toContain(`${from} WHERE (role = 'lead' OR outcome = 'denied' OR (`);
      const whole = auditRecordQuery({ isWhole: true }, null, 51).text;
      expect(whole).toContain(`${from}\n`);
    }
    expect(auditRecordQuery({}, null, 51).text).not.toContain('request_result');
  });
});

describe('the receipt of a signature', () => {
  const scene = createSigningScene();
  const request = scene.request();
  const { payload } = scene.row(request, scene.signed(request));

  async function receiptWith(stored: Buffer | null, requestId = request.requestId) {
    const row = {
      chain_id: 'party_1-a',
      seq: '1',
      prev_hash: Buffer.alloc(32),
      hash: Buffer.alloc(32),
      time: '2026-11-22T00:00:00.000000Z',
      record: { writer: 'party_1', at: 1, request_id: requestId, parties: '1,2', policy: null },
      is_lone: false,
      payload: stored,
    };
    const store = { query: async () => ({ rows: [row] }) };
    const find = createFindAuditRecords(store as unknown as pg.Pool);
    const [found] = await find({ isWhole: true }, null, 1);
    return found?.evidence?.receipt;
  }

  test('is what its lead stored, for the verifier to check', async () => {
    expect(await receiptWith(payload)).toMatchObject({
      request_id: request.requestId,
      signatures: [{ party: 1 }, { party: 2 }],
    });
  });

  test('is none where the row cannot be read or is another request’s, and holds up no other row', async () => {
    for (const junk of [null, Buffer.alloc(0), randomBytes(300), payload!.subarray(1)]) {
      expect(await receiptWith(junk)).toBeUndefined();
    }
    expect(await receiptWith(payload, scene.request().requestId)).toBeUndefined();
  });
});

test('a store that does not answer is 504', async () => {
  const unreachable = { query: async () => Promise.reject(new Error('down')) };
  const find = createFindAuditRecords(unreachable as unknown as pg.Pool);
  await expect(find({}, null, 1)).rejects.toMatchObject({ errType: 'gateway_timeout' });
});

test('policy texts of the records', () => {
  expect(parsePolicyText('p-1/v12/r-1')).toEqual({ id: 'p-1', version: 12, rule_id: 'r-1' });
  expect(parsePolicyText('p-1/v1')).toEqual({ id: 'p-1', version: 1 });
  expect(parsePolicyText('something else')).toBeUndefined();
});
