import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ReceiptView } from '@countersign/api/signing-schema.js';
import { signedReceipt } from '../../fixtures/signed-receipt.js';
import { createTestVault, type TestVault } from '../../fixtures/vault-parties.js';
import { findFaultOfReceipt } from './verify-receipt.js';

let vault: TestVault;
let receipt: ReceiptView;
beforeAll(async () => {
  vault = await createTestVault();
  receipt = signedReceipt(vault);
});

test('a receipt of two parties of the pinned vault holds', () => {
  expect(findFaultOfReceipt(receipt, vault)).toBeUndefined();
  expect(findFaultOfReceipt(JSON.parse(JSON.stringify(receipt)), vault)).toBeUndefined();
});

describe('a receipt does not hold', () => {
  test('for another vault', async () => {
    const other = await createTestVault();
    expect(findFaultOfReceipt(receipt, other)).toBe('was not signed by party 3');
    const renamed = { ...vault, genesisHash: other.genesisHash };
    expect(findFaultOfReceipt(receipt, renamed)).toBe('was not signed by party 3');
  });

  test('when it says something else than was signed', () => {
    const changed = { ...receipt, ledger_seq: receipt.ledger_seq + 1 };
    expect(findFaultOfReceipt(changed, vault)).toBe('was not signed by party 3');
  });

  test.each([undefined, 'receipt', {}, { parties: [1, 3] }])('when it is %j', (value) => {
    expect(findFaultOfReceipt(value, vault)).toBe('is no receipt');
  });

  test('with a field that no receipt has', () => {
    expect(findFaultOfReceipt({ ...receipt, more: 1 }, vault)).toBe('is no receipt');
  });
});
