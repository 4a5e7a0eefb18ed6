import { generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ReceiptView } from './signing-schema.js';
import { toBase64 } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyIdentity } from '@countersign/core/parties.js';
import {
  decodeReceipt,
  encodeReceipt,
  findReceiptFault,
  receiptMessage,
  receiptView,
  type Receipt,
} from './receipt.js';

const identityKeys = PARTY_NUMBERS.map(() => generateKeyPairSync('ed25519'));
const parties: PartyIdentity[] = PARTY_NUMBERS.map((party, index) => ({
  party,
  identityPublicKey: rawPublicKey(index),
  exchangePublicKey: toBase64(randomBytes(32)),
}));
const genesisHash = randomBytes(32).toString('hex');

function rawPublicKey(index: number): string {
  const { x } = identityKeys[index]!.publicKey.export({ format: 'jwk' });
  return toBase64(Buffer.from(x ?? '', 'base64url'));
}

const receipt: Receipt = {
  requestId: randomUUID(),
  keyId: randomUUID(),
  messageSha256: randomBytes(32).toString('hex'),
  policy: { id: randomUUID(), version: 3, ruleId: randomUUID() },
  ledgerSeq: 12,
  ledgerHash: randomBytes(32).toString('hex'),
  rulesVersion: 2,
  parties: [3, 1],
  signedAt: 1_767_614_400_123,
};

function signedBy(party: number, genesis = genesisHash): Buffer {
  return sign(null, receiptMessage(receipt, genesis), identityKeys[party - 1]!.privateKey);
}

const view = receiptView(receipt, [signedBy(3), signedBy(1)]);
const faultOf = (changed: ReceiptView) => findReceiptFault(changed, parties, genesisHash);

describe('a receipt', () => {
  it('is read back as it was written', () => {
    const anyReceipt: fc.Arbitrary<Receipt> = fc.record({
      requestId: fc.string(),
      keyId: fc.string(),
      messageSha256: fc.string(),
      policy: fc.record({ id: fc.string(), version: fc.nat(), ruleId: fc.string() }),
      ledgerSeq: fc.maxSafeNat(),
      ledgerHash: fc.string(),
      rulesVersion: fc.nat(),
      parties: fc.tuple(fc.constantFrom(1, 2, 3), fc.constantFrom(1, 2, 3)),
      signedAt: fc.maxSafeNat(),
    });
    fc.assert(
      fc.property(anyReceipt, (row) => {
        expect(decodeReceipt(encodeReceipt(row))).toEqual(row);
      }),
      { numRuns: 200 },
    );
  });

  it('is refused when cut at any byte, when anything follows, and with an unknown party', () => {
    const encoded = encodeReceipt(receipt);
    for (let length = 0; length < encoded.length; length++) {
      expect(() => decodeReceipt(encoded.subarray(0, length))).toThrow(RangeError);
    }
    expect(() => decodeReceipt(Buffer.concat([encoded, Buffer.alloc(1)]))).toThrow('trailing');
    for (const party of [0, 4, 255]) {
      const other = Buffer.from(encoded);
      other[encoded.length - 10] = party;
      expect(() => decodeReceipt(other)).toThrow('unknown party');
    }
  });

  it('holds as it was given, also after a trip through JSON', () => {
    expect(faultOf(view)).toBeUndefined();
    expect(faultOf(JSON.parse(JSON.stringify(view)) as ReceiptView)).toBeUndefined();
  });

  const [lead, partner] = view.signatures as [
    ReceiptView['signatures'][number],
    ReceiptView['signatures'][number],
  ];
  const changes: [string, Partial<ReceiptView>][] = [
    ['request_id', { request_id: randomUUID() }],
    ['key_id', { key_id: randomUUID() }],
    ['message_sha256', { message_sha256: randomBytes(32).toString('hex') }],
    ['message_sha256 in other letters', { message_sha256: view.message_sha256.toUpperCase() }],
    ['policy.id', { policy: { ...view.policy, id: randomUUID() } }],
    ['policy.version', { policy: { ...view.policy, version: 4 } }],
    ['policy.version beyond range', { policy: { ...view.policy, version: 2 ** 40 } }],
    ['policy.rule_id', { policy: { ...view.policy, rule_id: randomUUID() } }],
    ['approvals', { approvals: [randomUUID()] }],
    ['ledger_seq', { ledger_seq: 13 }],
    ['ledger_seq below zero', { ledger_seq: -1 }],
    ['ledger_hash', { ledger_hash: randomBytes(32).toString('hex') }],
    ['ledger_hash, none', { ledger_hash: '' }],
    ['rules_version', { rules_version: 1 }],
    ['rules_version beyond range', { rules_version: 2 ** 40 }],
    ['parties', { parties: [3, 2] }],
    ['parties, swapped', { parties: [1, 3] }],
    ['parties, one', { parties: [3] }],
    ['parties, none', { parties: [] }],
    ['parties, three', { parties: [3, 1, 2] }],
    ['parties, one twice', { parties: [3, 3] }],
    ['parties, a fourth', { parties: [3, 4] }],
    ['signed_at', { signed_at: '2026-01-05T12:00:00.124Z' }],
    ['signed_at that is no date', { signed_at: 'yesterday' }],
    ['signatures, one missing', { signatures: [lead] }],
    ['signatures, none', { signatures: [] }],
    [
      'signatures, exchanged',
      {
        signatures: [
          { party: 3, signature: partner.signature },
          { party: 1, signature: lead.signature },
        ],
      },
    ],
    ['signatures, malformed', { signatures: [lead, { party: 1, signature: 'not base64!' }] }],
    ['signatures, empty', { signatures: [lead, { party: 1, signature: '' }] }],
  ];

  it.each(changes)('does not hold with another %s', (_field, change) => {
    expect(faultOf({ ...view, ...change })).toEqual(expect.any(String));
  });

  it('does not hold after a bit of a signature was changed', () => {
    for (const [index, { party, signature }] of view.signatures.entries()) {
      for (let bit = 0; bit < 512; bit += 7) {
        const bytes = Buffer.from(signature, 'base64');
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        const signatures = view.signatures.with(index, { party, signature: toBase64(bytes) });
        expect(faultOf({ ...view, signatures })).toContain('is wrong');
      }
    }
  });

  it('does not hold in another deployment, nor for other parties', () => {
    const elsewhere = randomBytes(32).toString('hex');
    expect(findReceiptFault(view, parties, elsewhere)).toContain('is wrong');
    expect(findReceiptFault(view, [], genesisHash)).toEqual(expect.any(String));
    const strangers = parties.map((row, index) => ({
      ...row,
      identityPublicKey: parties[(index + 1) % 3]!.identityPublicKey,
    }));
    expect(findReceiptFault(view, strangers, genesisHash)).toContain('is wrong');
  });

  it('does not hold with signatures of a receipt of another deployment', () => {
    const elsewhere = randomBytes(32).toString('hex');
    const other = receiptView(receipt, [signedBy(3, elsewhere), signedBy(1, elsewhere)]);
    expect(faultOf(other)).toContain('is wrong');
  });
});
