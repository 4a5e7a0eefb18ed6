import { generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toBase64, toHex } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { proveBatch } from '../../../test/support/receipt-trees.ts';
import {
  contributionLeaf,
  decodeReceipt,
  encodeReceipt,
  findReceiptFault,
  findViewFault,
  provenReceiptOf,
  receiptView,
  signatureLeaf,
  type Receipt,
  type ReceiptTrust,
} from './receipt.js';
import { createVerifyParty } from './signed-tree.js';
import type { ReceiptView } from './signing-schema.js';

const identityKeys = PARTY_NUMBERS.map(() => generateKeyPairSync('ed25519'));
const parties = PARTY_NUMBERS.map((party, index) => ({
  party,
  identityPublicKey: rawPublicKey(index),
}));
const genesisHash = randomBytes(32).toString('hex');
const trust = { genesisHash, verifyParty: createVerifyParty(parties) };

function rawPublicKey(index: number): string {
  const { x } = identityKeys[index]!.publicKey.export({ format: 'jwk' });
  return toBase64(Buffer.from(x ?? '', 'base64url'));
}

function receiptOf(change: Partial<Receipt> = {}): Receipt {
  return {
    requestId: randomUUID(),
    keyId: randomUUID(),
    messageSha256: randomBytes(32).toString('hex'),
    policy: { id: randomUUID(), version: 3, ruleId: randomUUID() },
    ledgerSeq: 12,
    ledgerHash: randomBytes(32).toString('hex'),
    rulesVersion: 2,
    parties: [3, 1],
    signedAt: 1_767_614_400_123,
    ...change,
  };
}

function proveReceipts(receipts: readonly Receipt[], genesis = genesisHash) {
  const batch = receipts.map((one) => ({
    receipt: one,
    signatureSha256: randomBytes(32),
    answerSha256: randomBytes(32),
  }));
  const signAs = (party: PartyNumber, message: Buffer) =>
    sign(null, message, identityKeys[party - 1]!.privateKey);
  return proveBatch(batch, genesis, signAs);
}

const receipt = receiptOf();
const batch = proveReceipts([receiptOf(), receiptOf(), receipt, receiptOf(), receiptOf()]);
const proven = batch[2]!;
const view = receiptView(proven);
const faultOf = (changed: ReceiptView, other: ReceiptTrust = trust) =>
  findViewFault(changed, other);

/** Of another receipt by the same pair, alone in its trees. */
const other = receiptView(proveReceipts([receiptOf()])[0]!);

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

  it('is these bytes, which each party puts into a leaf of its own', () => {
    const plain: Receipt = {
      requestId: 'r',
      keyId: 'key',
      messageSha256: 'ff',
      policy: { id: 'p', version: 258, ruleId: 'rule' },
      ledgerSeq: 2 ** 40 + 1,
      ledgerHash: 'ee',
      rulesVersion: 2,
      parties: [3, 1],
      signedAt: 1,
    };
    const text = (value: string) => `${toHex(Buffer.of(value.length, 0, 0, 0))}${hexOf(value)}`;
    const bytes = [
      text('r') + text('key') + text('ff') + text('p') + '02010000' + text('rule'),
      '0100000000010000' + text('ee') + '02000000' + '03' + '01' + '0100000000000000',
    ].join('');
    expect(toHex(encodeReceipt(plain))).toBe(bytes);
    expect(toHex(contributionLeaf(plain))).toBe(text('countersign contribution v1') + bytes);
    const hashes = { signatureSha256: Buffer.alloc(32, 5), answerSha256: Buffer.alloc(32, 6) };
    expect(toHex(signatureLeaf(plain, hashes))).toBe(
      text('countersign signature v1') + bytes + '05'.repeat(32) + '06'.repeat(32),
    );
  });

  it('holds as it was given, also after a trip through JSON, and is read back from its view', () => {
    expect(findReceiptFault(proven, trust)).toBeUndefined();
    expect(faultOf(view)).toBeUndefined();
    expect(faultOf(JSON.parse(JSON.stringify(view)) as ReceiptView)).toBeUndefined();
    expect(receiptView(provenReceiptOf(view))).toEqual(view);
    expect(provenReceiptOf(view).receipt).toEqual(receipt);
  });

  it('holds with every other of its batch, and in a batch of its own', () => {
    expect(batch.map((one) => findReceiptFault(one, trust))).toEqual(batch.map(() => undefined));
    expect(faultOf(other)).toBeUndefined();
  });

  const [lead, partner] = view.signatures as [SignatureView, SignatureView];
  const [otherLead, otherPartner] = other.signatures as [SignatureView, SignatureView];
  const neighbour = receiptView(batch[1]!);
  const hash = () => randomBytes(32).toString('hex');
  const ofLead = (change: Partial<SignatureView>) => ({
    signatures: [{ ...lead, ...change }, partner],
  });
  const ofPartner = (change: Partial<SignatureView>) => ({
    signatures: [lead, { ...partner, ...change }],
  });
  const changes: [string, Partial<ReceiptView>][] = [
    ['request_id', { request_id: randomUUID() }],
    ['key_id', { key_id: randomUUID() }],
    ['message_sha256', { message_sha256: hash() }],
    ['message_sha256 in other letters', { message_sha256: view.message_sha256.toUpperCase() }],
    ['signature_sha256', { signature_sha256: hash() }],
    ['signature_sha256, of another', { signature_sha256: neighbour.signature_sha256 }],
    ['signature_sha256 in other letters', { signature_sha256: 'AB'.repeat(32) }],
    ['signature_sha256, too short', { signature_sha256: 'ab'.repeat(31) }],
    ['signature_sha256, none', { signature_sha256: '' }],
    ['answer_sha256', { answer_sha256: hash() }],
    ['answer_sha256, none', { answer_sha256: '' }],
    [
      'hashes, exchanged',
      { answer_sha256: view.signature_sha256, signature_sha256: view.answer_sha256 },
    ],
    ['policy.id', { policy: { ...view.policy, id: randomUUID() } }],
    ['policy.version', { policy: { ...view.policy, version: 4 } }],
    ['policy.version beyond range', { policy: { ...view.policy, version: 2 ** 40 } }],
    ['policy.rule_id', { policy: { ...view.policy, rule_id: randomUUID() } }],
    ['approvals', { approvals: [{ user_id: randomUUID(), entry_hash: hash() }] }],
    ['ledger_seq', { ledger_seq: 13 }],
    ['ledger_seq below zero', { ledger_seq: -1 }],
    ['ledger_hash', { ledger_hash: hash() }],
    ['ledger_hash, none', { ledger_hash: '' }],
    ['rules_version', { rules_version: 1 }],
    ['rules_version beyond range', { rules_version: 2 ** 40 }],
    ['parties', { parties: [3, 2] }],
    ['parties, swapped', { parties: [1, 3] }],
    ['parties and signatures, swapped', { parties: [1, 3], signatures: [partner, lead] }],
    ['parties, one', { parties: [3] }],
    ['parties, none', { parties: [] }],
    ['parties, three', { parties: [3, 1, 2] }],
    ['parties, one twice', { parties: [3, 3] }],
    ['parties, a fourth', { parties: [3, 4] }],
    ['signed_at', { signed_at: '2026-01-05T12:00:00.124Z' }],
    ['signed_at that is no date', { signed_at: 'yesterday' }],
    ['signed_at before 1970', { signed_at: '1969-12-31T23:59:59.999Z' }],
    ['signed_at in other words', { signed_at: '2026-01-05T13:00:00.123+01:00' }],
    ['signed_at with more digits than were signed', { signed_at: '2026-01-05T12:00:00.1239Z' }],
    ['signatures, one missing', { signatures: [lead] }],
    ['signatures, the other missing', { signatures: [partner] }],
    ['signatures, none', { signatures: [] }],
    ['signatures, one more', { signatures: [lead, partner, partner] }],
    ['signatures, in the other order', { signatures: [partner, lead] }],
    ['signatures, the lead twice', { signatures: [lead, { ...lead, party: 1 }] }],
    ['signatures, of another receipt', { signatures: other.signatures }],
    ['signatures, of another in the batch', { signatures: neighbour.signatures }],
    ['signatures, the lead of another', { signatures: [otherLead, partner] }],
    ['signatures, the partner of another', { signatures: [lead, otherPartner] }],
    [
      'signatures, exchanged',
      {
        signatures: [
          { ...lead, signature: partner.signature },
          { ...partner, signature: lead.signature },
        ],
      },
    ],
    ['signature, malformed', ofPartner({ signature: 'not base64!' })],
    ['signature, empty', ofPartner({ signature: '' })],
    ['signature of the lead, empty', ofLead({ signature: '' })],
    ['leaf_index of the lead', ofLead({ leaf_index: 1 })],
    ['leaf_index of the partner', ofPartner({ leaf_index: 1 })],
    ['leaf_index below zero', ofPartner({ leaf_index: -1 })],
    ['tree_size of the lead', ofLead({ tree_size: 6 })],
    ['tree_size of the partner', ofPartner({ tree_size: 6 })],
    ['tree_size beyond range', ofPartner({ tree_size: 2 ** 40, leaf_index: 2 ** 39 })],
    ['inclusion_path of the lead', ofLead({ inclusion_path: lead.inclusion_path.map(hash) })],
    ['inclusion_path, shorter', ofPartner({ inclusion_path: partner.inclusion_path.slice(1) })],
    ['inclusion_path, longer', ofPartner({ inclusion_path: [...partner.inclusion_path, hash()] })],
    ['inclusion_path, no hash', ofPartner({ inclusion_path: ['', '', ''] })],
    [
      'inclusion_path in other letters',
      ofLead({ inclusion_path: lead.inclusion_path.map((one) => one.toUpperCase()) }),
    ],
  ];

  it.each(changes)('does not hold with another %s', (_field, change) => {
    expect(faultOf({ ...view, ...change })).toEqual(expect.any(String));
  });

  it('does not hold after a bit of a signature was changed', () => {
    for (const [index, given] of view.signatures.entries()) {
      for (let bit = 0; bit < 512; bit += 7) {
        const bytes = Buffer.from(given.signature, 'base64');
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        const signatures = view.signatures.with(index, { ...given, signature: toBase64(bytes) });
        expect(faultOf({ ...view, signatures })).toBe(`was not signed by party ${given.party}`);
      }
    }
  });

  it('does not hold in another deployment, nor for other parties', () => {
    const elsewhere = randomBytes(32).toString('hex');
    expect(faultOf(view, { ...trust, genesisHash: elsewhere })).toContain('was not signed');
    expect(faultOf(view, { ...trust, verifyParty: createVerifyParty([]) })).toContain('not signed');
    const strangers = parties.map((row, index) => ({
      ...row,
      identityPublicKey: parties[(index + 1) % 3]!.identityPublicKey,
    }));
    const verifyParty = createVerifyParty(strangers);
    expect(faultOf(view, { ...trust, verifyParty })).toContain('was not signed');
  });

  it('does not hold with signatures of a receipt of another deployment', () => {
    const [there] = proveReceipts([receipt], randomBytes(32).toString('hex'));
    expect(findReceiptFault(there!, trust)).toContain('was not signed');
  });

  it('does not hold where one party says what both would have to say', () => {
    const [alone] = proveReceipts([{ ...receipt, parties: [3, 3] }]);
    expect(findReceiptFault(alone!, trust)).toBe('must name two different parties');
  });

  it('does not hold where the leaf of one role stands in for that of the other', () => {
    // party 1 contributed, and party 3 contributed too: nobody led
    const [asPartners] = proveReceipts([receiptOf({ ...receipt, parties: [1, 3] })]);
    const [ofFirst, ofThird] = asPartners!.proofs;
    expect(findReceiptFault({ ...proven, proofs: [ofThird, ofFirst] }, trust)).toBeDefined();
    expect(findReceiptFault({ ...proven, proofs: [ofFirst, ofThird] }, trust)).toBeDefined();
  });

  it('never throws, whatever its view says', () => {
    const int = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, 1, 2, 3, 2 ** 32, -1));
    const text = fc.oneof(fc.string(), fc.constantFrom('', view.request_id, view.ledger_hash));
    const hashes = fc.oneof(text, fc.constant(view.ledger_hash));
    const one = fc.record({
      party: int,
      leaf_index: int,
      tree_size: int,
      inclusion_path: fc.array(hashes, { maxLength: 40 }),
      signature: fc.oneof(text, fc.constant(lead.signature)),
    });
    const any: fc.Arbitrary<Partial<ReceiptView>> = fc.record(
      {
        request_id: text,
        key_id: text,
        message_sha256: hashes,
        signature_sha256: hashes,
        answer_sha256: hashes,
        policy: fc.record({ id: text, version: int, rule_id: text }),
        approvals: fc.array(fc.record({ user_id: text, entry_hash: hashes }), { maxLength: 1 }),
        ledger_seq: int,
        ledger_hash: hashes,
        rules_version: int,
        parties: fc.array(int, { maxLength: 3 }),
        signed_at: fc.oneof(text, fc.constant(view.signed_at)),
        signatures: fc.array(fc.oneof(one, fc.constantFrom(lead, partner)), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(any, (change) => {
        const changed = { ...view, ...change };
        const isAsGiven = JSON.stringify(changed) === JSON.stringify(view);
        expect(typeof faultOf(changed)).toBe(isAsGiven ? 'undefined' : 'string');
      }),
      { numRuns: 1_000 },
    );
  });
});

type SignatureView = ReceiptView['signatures'][number];

function hexOf(text: string): string {
  return toHex(Buffer.from(text));
}

describe('a receipt with prices', () => {
  const prices = [
    { asset: 'BTC', price: '100000.5', at: 1_767_614_399_000, relay: 'one' },
    { asset: 'USDT', price: '0.9998', at: 1_767_614_398_000, relay: 'two' },
  ];
  const priced = receiptOf({ prices });
  const [provenPriced] = proveReceipts([priced, receiptOf()]);
  const pricedView = receiptView(provenPriced!);

  it('is read back as it was written, and from its view', () => {
    expect(decodeReceipt(encodeReceipt(priced))).toEqual(priced);
    expect(provenReceiptOf(pricedView).receipt).toEqual(priced);
    expect(faultOf(JSON.parse(JSON.stringify(pricedView)) as ReceiptView)).toBeUndefined();
    expect(pricedView.prices![0]).toEqual({ ...prices[0], at: '2026-01-05T11:59:59.000Z' });
  });

  it('is refused when cut at any byte after what every receipt has, and when anything follows', () => {
    const encoded = encodeReceipt(priced);
    const plain = encodeReceipt({ ...priced, prices: undefined }).length;
    for (let length = plain + 1; length < encoded.length; length++) {
      expect(() => decodeReceipt(encoded.subarray(0, length))).toThrow(RangeError);
    }
    expect(() => decodeReceipt(Buffer.concat([encoded, Buffer.alloc(1)]))).toThrow('trailing');
    expect(() => encodeReceipt({ ...priced, prices: [] })).not.toThrow();
    expect(() => decodeReceipt(encodeReceipt({ ...priced, prices: [] }))).toThrow(RangeError);
  });

  it.each<[string, (view: ReceiptView) => ReceiptView['prices']]>([
    ['another price', ({ prices: [one, two] = [] }) => [{ ...one!, price: '1' }, two!]],
    ['another moment', ({ prices: [one, two] = [] }) => [{ ...one!, at: view.signed_at }, two!]],
    ['another relay', ({ prices: [one, two] = [] }) => [{ ...one!, relay: 'two' }, two!]],
    ['one of them', ({ prices: [one] = [] }) => [one!]],
    ['none of them', () => undefined],
    ['a price that is none', ({ prices: [one, two] = [] }) => [{ ...one!, price: '0' }, two!]],
    ['an empty list', () => []],
  ])('does not hold with %s', (_what, change) => {
    expect(faultOf({ ...pricedView, prices: change(pricedView) })).toBeDefined();
  });

  it('is none of those without: prices that are put beside one are no part of it', () => {
    expect(faultOf({ ...view, prices: pricedView.prices })).toBe('was not signed by party 1');
    // the bytes behind a plain receipt in the lead's leaf are hashes, and can be no prices
    expect(
      toHex(contributionLeaf(priced)).startsWith(toHex(contributionLeaf(receipt)).slice(0, 64)),
    ).toBe(false);
  });
});
