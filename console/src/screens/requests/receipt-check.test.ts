import { beforeAll, describe, expect, it } from '@jest/globals';
import { pendingRequest } from '@countersign/api/example-values.js';
import { itemIdOf } from '@countersign/core/batch-item.js';
import { requestIdOf } from '@countersign/core/evidence.js';
import { signedReceipt } from '../../../../client/fixtures/signed-receipt.ts';
import { createTestVault, type TestVault } from '../../../../client/fixtures/vault-parties.ts';
import { findReceiptFault } from './receipt-check.js';
import type { RequestRecord } from './shown-record.js';

const TRANSCRIPT = 'ab'.repeat(32);
const ASKED = requestIdOf(Buffer.from(TRANSCRIPT, 'hex'));
const MESSAGE = Buffer.from('pay the rent');

let vault: TestVault;

beforeAll(async () => {
  vault = await createTestVault();
});

interface Change {
  readonly requestId?: string;
  readonly keyId?: string;
  readonly path?: string;
  readonly body?: object;
  readonly batch?: RequestRecord['batch'];
  readonly page?: string;
  readonly receipt?: object;
}

/** What the page says of a record and its receipt, which differ from honest ones in what is given. */
function faultOf(change: Change = {}): string | undefined {
  const requestId = change.requestId ?? ASKED;
  const given = signedReceipt(vault, MESSAGE, undefined, undefined, { requestId });
  const keyId = change.keyId ?? given.key_id;
  const body = change.body ?? { message: MESSAGE.toString('base64') };
  const content = {
    transcript: TRANSCRIPT,
    method: 'POST',
    path: change.path ?? `/v1/keys/${keyId}/raw-sign`,
    query: '',
    body: Buffer.from(JSON.stringify(body)).toString('base64'),
  };
  const receipt = { ...given, ...change.receipt };
  const record = { ...pendingRequest, content, receipt, batch: change.batch } as RequestRecord;
  return findReceiptFault(record, receipt, change.page ?? requestId, vault);
}

describe('a receipt', () => {
  it('of what is shown, signed by two parties of the trusted genesis, holds', () => {
    expect(faultOf()).toBeUndefined();
  });

  it('that says another thing than was signed does not', () => {
    expect(faultOf({ receipt: { ledger_seq: 8 } })).toBe('was not signed by party 3');
  });

  it('of parties of another vault does not', async () => {
    const other = await createTestVault();
    const receipt = signedReceipt(other, MESSAGE, undefined, undefined, { requestId: ASKED });
    expect(findReceiptFault(pendingRequest, receipt, ASKED, vault)).toMatch('was not signed');
  });

  it.each<[string, Change]>([
    ['is of another request', { page: '00000000-0000-8000-8000-000000000000' }],
    [
      'is of another request than the one that is shown',
      { requestId: '00000000-0000-8000-8000-000000000000' },
    ],
    ['is of another key than the one that was asked for', { keyId: 'another' }],
    [
      'is of another message than the one that is shown',
      { body: { message: Buffer.from('pay me').toString('base64') } },
    ],
  ])('that %s does not', (words, change) => {
    expect(faultOf(change)).toBe(words);
  });
});

describe('the receipt of an item of a batch', () => {
  const messages = ['b25l', MESSAGE.toString('base64')];
  const item = {
    requestId: itemIdOf(ASKED, 1),
    batch: { request_id: ASKED, index: 1 },
    path: '/v1/vaults/v/wallets/a/raw-sign-batch',
    body: { messages },
  };

  it('is of what stands at its place', () => {
    expect(faultOf(item)).toBeUndefined();
    const shifted = { ...item, batch: { request_id: ASKED, index: 0 } };
    expect(faultOf(shifted)).toBe('is of another request than the one that is shown');
    const other = { ...item, body: { messages: messages.toReversed() } };
    expect(faultOf(other)).toBe('is of another message than the one that is shown');
  });
});
