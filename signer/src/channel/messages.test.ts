import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ErrType } from '@countersign/core/errors.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';
import type { Receipt } from '@countersign/api/receipt.js';
import {
  decodeMessage,
  encodeMessage,
  kindOf,
  type PartyMessage,
  type PartnerPart,
} from './messages.js';

const receipt: Receipt = {
  requestId: randomUUID(),
  keyId: randomUUID(),
  messageSha256: randomBytes(32).toString('hex'),
  policy: { id: randomUUID(), version: 3, ruleId: randomUUID() },
  ledgerSeq: 12,
  ledgerHash: randomBytes(32).toString('hex'),
  rulesVersion: 1,
  parties: [2, 3],
  signedAt: 1_767_614_400_000,
};

const contributed: PartnerPart = {
  kind: 'contributed',
  slot: 7,
  serial: 4_000_000_000,
  contribution: randomBytes(96),
  nonce: 1_767_614_400_000_123n,
  receipt,
};

const given = { givenAt: 1_767_614_400_000, treeSignature: randomBytes(64) };

const parts: PartnerPart[] = [
  contributed,
  { ...contributed, slot: 0, serial: 0, contribution: randomBytes(300), nonce: 0n },
  { ...contributed, contribution: Buffer.alloc(0), nonce: 2n ** 64n - 1n },
  { kind: 'denied', errType: 'forbidden', reason: 'no rule — none' },
  { kind: 'retry', reason: '' },
];

const messages: Record<string, PartyMessage> = {
  'need-commitments': { kind: 'need-commitments', token: 9, count: 32 },
  commitments: {
    kind: 'commitments',
    token: 9,
    commitments: [
      { slot: 1, serial: 2, commitment: randomBytes(64) },
      { slot: 3, serial: 4, commitment: randomBytes(64) },
    ],
  },
  contribution: { kind: 'contribution', batchId: randomBytes(16).toString('hex'), ...given, parts },
  finished: { kind: 'finished', batchId: randomBytes(16).toString('hex') },
  'vouch-request': { kind: 'vouch-request', token: 2 ** 32 - 1, clearedSeq: 2 ** 40 },
  vouch: { kind: 'vouch', token: 9, seq: 2 ** 40, hash: randomBytes(32) },
  ceremony: {
    kind: 'ceremony',
    session: randomBytes(16).toString('hex'),
    keyId: randomUUID(),
    tag: 'round1',
    payload: randomBytes(500),
  },
};

describe('a message between parties', () => {
  it.each(Object.entries(messages))('%s is read back as it was written', (_kind, message) => {
    expect(decodeMessage(encodeMessage(message))).toEqual(message);
  });

  it('of a ceremony may have any tag and payload', () => {
    const payload = fc.uint8Array({ maxLength: 60 }).map((data) => Buffer.from(data));
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, payload, (session, keyId, tag, bytes) => {
        const message: PartyMessage = { kind: 'ceremony', session, keyId, tag, payload: bytes };
        expect(decodeMessage(encodeMessage(message))).toEqual(message);
      }),
    );
  });

  it.each(Object.keys(ERR_STATUS) as ErrType[])('keeps the reason of a denial: %s', (errType) => {
    const batchId = '00'.repeat(16);
    const denied = { kind: 'denied', errType, reason: 'no' } as const;
    const message: PartyMessage = { kind: 'contribution', batchId, ...given, parts: [denied] };
    expect(decodeMessage(encodeMessage(message))).toEqual(message);
  });

  it.each(Object.entries(messages))('%s is refused when cut at any byte', (_kind, message) => {
    const encoded = encodeMessage(message);
    for (let length = 0; length < encoded.length; length++) {
      expect(() => decodeMessage(encoded.subarray(0, length))).toThrow(RangeError);
    }
    expect(() => decodeMessage(Buffer.concat([encoded, Buffer.alloc(1)]))).toThrow('trailing');
  });

  it('is refused when its kind, part or reason is unknown', () => {
    for (const kind of [0, 8, 255]) {
      expect(() => decodeMessage(Buffer.from([kind]))).toThrow('unknown message');
    }
    const batchId = '00'.repeat(16);
    const denied = { kind: 'denied', errType: 'forbidden', reason: '' } as const;
    const encoded = encodeMessage({ kind: 'contribution', batchId, ...given, parts: [denied] });
    const partAt = 1 + 16 + 8 + 68 + 4;
    for (const [at, value, message] of [
      [partAt, 0, 'unknown part'],
      [partAt, 4, 'unknown part'],
      [partAt + 1, 200, 'unknown error type'],
    ] as const) {
      const changed = Buffer.from(encoded);
      changed[at] = value;
      expect(() => decodeMessage(changed)).toThrow(message);
    }
  });

  it('promises no more items than a batch can have', () => {
    const encoded = encodeMessage(messages['commitments']!);
    encoded.writeUInt32LE(257, 1 + 4);
    expect(() => decodeMessage(encoded)).toThrow('too many');
    const batch = encodeMessage(messages['contribution']!);
    batch.writeUInt32LE(0xffff_ffff, 1 + 16 + 8 + 68);
    expect(() => decodeMessage(batch)).toThrow('too many');
    const greedy = encodeMessage({ kind: 'need-commitments', token: 1, count: 4_000_000_000 });
    expect(decodeMessage(greedy)).toMatchObject({ count: 256 });
  });

  it('has as many parts as a batch can have items, and not one more', () => {
    const batchId = '00'.repeat(16);
    const contribution = (count: number): PartyMessage => ({
      kind: 'contribution',
      batchId,
      givenAt: 5,
      treeSignature: Buffer.alloc(64),
      parts: Array.from({ length: count }, () => ({ kind: 'retry', reason: '' })),
    });
    expect(decodeMessage(encodeMessage(contribution(64)))).toEqual(contribution(64));
    expect(() => decodeMessage(encodeMessage(contribution(65)))).toThrow('too many');
  });

  it.each([
    ['contribution', 524_288],
    ['ceremony', 1_048_576],
    ['finished', 1_048_576],
  ] as const)('%s is refused unread when it is longer than %d bytes', (kind, most) => {
    const encoded = encodeMessage(messages[kind]!);
    const padded = (length: number) =>
      Buffer.concat([encoded, Buffer.alloc(length - encoded.length)]);
    expect(() => decodeMessage(padded(most))).toThrow('trailing');
    expect(() => decodeMessage(padded(most + 1))).toThrow('too long');
  });

  it('is known by its first byte', () => {
    for (const [kind, message] of Object.entries(messages)) {
      expect(kindOf(encodeMessage(message).subarray(0, 1))).toBe(kind);
    }
    for (const bytes of [[], [0], [8], [255]]) expect(kindOf(Buffer.from(bytes))).toBeUndefined();
  });
});

const bytesOf = (length: number, byte: number) => Buffer.alloc(length, byte);
const idOf = (digit: number) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;

/** Say the same for ever. */
const RECORDED: PartyMessage[] = [
  { kind: 'need-commitments', token: 9, count: 32 },
  {
    kind: 'commitments',
    token: 9,
    commitments: [{ slot: 1, serial: 2, commitment: bytesOf(64, 3) }],
  },
  {
    kind: 'contribution',
    batchId: '04'.repeat(16),
    givenAt: 1_767_614_400_000,
    treeSignature: bytesOf(64, 5),
    parts: [
      {
        kind: 'contributed',
        slot: 7,
        serial: 8,
        contribution: bytesOf(96, 6),
        nonce: 5n,
        receipt: {
          ...receipt,
          ...{ requestId: idOf(1), keyId: idOf(2), messageSha256: '07'.repeat(32) },
          policy: { id: idOf(3), version: 3, ruleId: idOf(4) },
          ledgerHash: '08'.repeat(32),
        },
      },
      { kind: 'denied', errType: 'forbidden', reason: 'no rule' },
      { kind: 'retry', reason: 'no share' },
    ],
  },
  {
    kind: 'ceremony',
    session: '09'.repeat(16),
    keyId: idOf(5),
    tag: 'word',
    payload: bytesOf(9, 9),
  },
  { kind: 'finished', batchId: '0a'.repeat(16) },
  { kind: 'vouch-request', token: 9, clearedSeq: 40 },
  { kind: 'vouch', token: 9, seq: 40, hash: bytesOf(32, 11) },
];

it('messages have the form that they have had in every version of the protocol', () => {
  const all = Buffer.concat(RECORDED.map(encodeMessage));
  expect(createHash('sha256').update(all).digest('hex')).toBe(
    '19ec1cdaca7af774dc38ecf88cfd6ff1f485fbf43879109adb44b75c0a395326',
  );
});
