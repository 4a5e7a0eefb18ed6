/** Receipts that were made once, as this code and the program for third parties take them. */
import { spawnSync } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFaultOfReceipt } from '@countersign/client/verify-receipt.js';
import { parsePinnedVault } from '@countersign/client/pinned-vault.js';
import { contributionLeaf, provenReceiptOf, signatureLeaf } from '@countersign/api/receipt.js';
import { toHex } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { leafHash, rootOfPath } from '@countersign/core/merkle-tree.js';
import { signedReceipt } from '../../client/fixtures/signed-receipt.ts';
import { createTestVault } from '../../client/fixtures/vault-parties.ts';
import {
  approvedReceipt,
  makeReceiptVectors,
  type ReceiptVectors,
} from '../support/receipt-vectors.ts';

const vectors = JSON.parse(readFileSync('test/vectors/receipts.json', 'utf8')) as ReceiptVectors;
/** The one that docs/reference/receipts.md shows to third parties. */
const program = readFileSync('client/examples/verify-receipt.mjs', 'utf8');
const { genesis, other_genesis: otherGenesis, good, bad } = vectors;
const vault = parsePinnedVault(genesis)!;
const otherVault = parsePinnedVault(otherGenesis)!;

test('the vectors come out as they were made', () => {
  expect(makeReceiptVectors()).toEqual(vectors);
});

test('the vectors are of trees of 1, 2, 3, 7 and 64, and each bad one is bad in its own way', () => {
  const sizes = new Set(good.map(({ receipt }) => receipt.signatures[0]!.tree_size));
  expect([...sizes]).toEqual([1, 2, 3, 7, 64]);
  expect(new Set(bad.map(({ receipt }) => JSON.stringify(receipt))).size).toBe(bad.length);
  expect(bad.length).toBeGreaterThan(35);
});

describe.each(good)('$name', ({ receipt, ...expected }) => {
  test('holds for its genesis, and for no other', () => {
    expect(findFaultOfReceipt(receipt, vault)).toBeUndefined();
    expect(findFaultOfReceipt(receipt, otherVault)).toMatch(/^was not signed by party \d$/);
  });

  test('comes about as the vectors say', () => {
    const proven = provenReceiptOf(receipt);
    const leaves = [signatureLeaf(proven.receipt, proven), contributionLeaf(proven.receipt)];
    expect(leaves.map(toHex)).toEqual(expected.leaf_hex);
    const roots = leaves.map((leaf, at) => rootOfPath(leafHash(leaf), proven.proofs[at]!)!);
    expect(roots.map(toHex)).toEqual(expected.root_hex);
    const [message, signature] = [expected.message_hex, expected.signature_hex].map((hex) =>
      Buffer.from(hex, 'hex'),
    );
    expect(toHex(sha256(message!))).toBe(receipt.message_sha256);
    expect(toHex(sha256(signature!))).toBe(receipt.signature_sha256);
    const x = Buffer.from(vectors.key.public_key, 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, message!, key, signature!)).toBe(expected.name !== 'an HMAC');
  });
});

test.each(bad)('$name: does not hold', ({ receipt }) => {
  expect(findFaultOfReceipt(receipt, vault)).toEqual(expect.any(String));
});

describe('the program for third parties', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'receipts-page-'));
    writeFileSync(join(folder, 'verify-receipt.mjs'), program);
    writeJson('genesis.json', genesis);
    writeJson('other-genesis.json', otherGenesis);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function writeJson(name: string, value: unknown): string {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return name;
  }

  function verdicts(genesisFile: string, receipts: readonly unknown[]) {
    const files = receipts.map((receipt, at) => writeJson(`receipt-${at}.json`, receipt));
    const args = ['verify-receipt.mjs', genesisFile, ...files];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const said = stdout.trim().split('\n');
    return { status, said: said.map((line) => line.replace(/^receipt-\d+\.json: /, '')) };
  }

  test('is as long as about sixty lines of 60 characters, and needs nothing but Node', () => {
    expect(program.replaceAll(/\s+/g, ' ').length).toBeLessThanOrEqual(64 * 60);
    const imported = [...program.matchAll(/from '([^']+)'/g)].map(([, name]) => name);
    expect(imported).toEqual(['node:assert/strict', 'node:crypto', 'node:fs']);
  });

  test('says of approvals what we say: all of them, in their order, are what was signed', () => {
    const receipt = approvedReceipt();
    const [first, second] = receipt.approvals;
    const without = { ...receipt, approvals: [] };
    const changed = [
      without,
      { ...receipt, approvals: [first!] },
      { ...receipt, approvals: [second!, first!] },
      { ...receipt, approvals: [first!, { ...second!, user_id: first!.user_id }] },
      { ...receipt, approvals: [first!, { ...second!, entry_hash: first!.entry_hash }] },
      { ...good[0]!.receipt, approvals: receipt.approvals },
    ];
    expect(findFaultOfReceipt(receipt, vault)).toBeUndefined();
    for (const one of changed) expect(findFaultOfReceipt(one, vault)).toEqual(expect.any(String));
    expect(verdicts('genesis.json', [receipt, ...changed]).said).toEqual([
      'holds',
      ...changed.map(() => 'does not hold'),
    ]);
  });

  test('says of a receipt with prices what we say', async () => {
    const valuing = await createTestVault();
    const at = Date.UTC(2026, 10, 22);
    const price = { asset: 'BTC', price: '100000.5', at, relay: 'a' };
    const receipt = signedReceipt(valuing, undefined, undefined, [
      price,
      { ...price, asset: 'USDT', price: '0.999' },
    ]);
    const [first, second] = receipt.prices!;
    const all = [
      receipt,
      { ...receipt, prices: [{ ...first, price: '1' }, second] },
      { ...receipt, prices: [second, first] },
      { ...receipt, prices: [first] },
      { ...receipt, prices: [] },
      { ...receipt, prices: undefined },
    ];
    const parties = valuing.identities.map(({ party, identityPublicKey }) => ({
      party,
      identity_public_key: identityPublicKey,
    }));
    writeJson('valuing.json', { genesis_hash: valuing.genesisHash, parties });
    const said = all.map((one) => (one === receipt ? 'holds' : 'does not hold'));
    expect(verdicts('valuing.json', all)).toEqual({ status: 1, said });
    const faults = all.map((one) => findFaultOfReceipt(one, valuing) === undefined);
    expect(faults).toEqual(all.map((one) => one === receipt));
  });

  test('says of every vector what we say', () => {
    const goodOnes = good.map(({ receipt }) => receipt);
    const all = (verdict: string, list: readonly unknown[]) => list.map(() => verdict);
    expect(verdicts('genesis.json', goodOnes)).toEqual({ status: 0, said: all('holds', good) });
    const refused = { status: 1, said: all('does not hold', good) };
    expect(verdicts('other-genesis.json', goodOnes)).toEqual(refused);
    const badOnes = bad.map(({ receipt }) => receipt);
    expect(verdicts('genesis.json', badOnes)).toEqual({
      status: 1,
      said: all('does not hold', bad),
    });
  });
});
