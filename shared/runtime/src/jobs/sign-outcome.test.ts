import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toHex } from '@countersign/core/bytes.js';
import { ByteWriter } from '@countersign/core/bytes.js';
import { ERR_STATUS, type ErrType } from '@countersign/core/errors.js';
import {
  createEvidenceKeys,
  EvidenceSealError,
  UnknownEvidenceKeyError,
} from '@countersign/core/evidence-key.js';
import type { Receipt } from '@countersign/api/receipt.js';
import {
  decodeOutcome,
  encodeOutcome,
  openReply,
  openSigningDetails,
  recordedOutcome,
  sealReply,
  sealSigningDetails,
  type SignOutcome,
  type SignReply,
  type SigningDetails,
} from './sign-outcome.js';
import { openSignBatch } from './sign-batch.js';

const keys = createEvidenceKeys([randomBytes(32)]);

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

const signed: SignOutcome = {
  outcome: 'signed',
  signature: randomBytes(64),
  details: new Uint8Array(),
  receipt,
  receiptSignatures: [randomBytes(64), randomBytes(64)],
};

const rsaSigned: SignOutcome = {
  ...signed,
  signature: randomBytes(512),
  details: randomBytes(90),
};

const outcomes: SignOutcome[] = [
  signed,
  rsaSigned,
  { outcome: 'retry', reason: 'the lead has no such nonce — try again' },
  { outcome: 'denied', errType: 'forbidden', reason: '' },
];

const reply: SignReply = {
  batchId: randomBytes(16).toString('hex'),
  outcomes: outcomes.map((outcome, index) => ({ index: index * 3, outcome })),
};

describe('an outcome', () => {
  it('of each kind is read back as it was written', () => {
    for (const outcome of outcomes) {
      const decoded = decodeOutcome(encodeOutcome(outcome));
      expect(comparable(decoded)).toEqual(comparable(outcome));
    }
  });

  it('keeps signature and details apart, however long each is', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 600 }),
        fc.uint8Array({ maxLength: 200 }),
        (signature, details) => {
          const outcome = { ...signed, signature, details };
          const decoded = decodeOutcome(encodeOutcome(outcome));
          expect(comparable(decoded)).toEqual(comparable(outcome));
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each(Object.keys(ERR_STATUS) as ErrType[])('keeps the reason %s', (errType) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (reason) => {
        const outcome = { outcome: 'denied' as const, errType, reason };
        expect(decodeOutcome(encodeOutcome(outcome))).toEqual(outcome);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused when cut at any byte, when anything follows, and with an unknown tag', () => {
    for (const outcome of outcomes) {
      const encoded = encodeOutcome(outcome);
      for (let length = 0; length < encoded.length; length++) {
        expect(() => decodeOutcome(encoded.subarray(0, length))).toThrow(RangeError);
      }
      expect(() => decodeOutcome(Buffer.concat([encoded, Buffer.alloc(1)]))).toThrow('trailing');
      for (const tag of [0, 4, 255]) {
        expect(() =>
          decodeOutcome(Buffer.concat([Buffer.from([tag]), encoded.subarray(1)])),
        ).toThrow('unknown outcome');
      }
    }
    const denied = encodeOutcome(outcomes.at(-1)!);
    denied[1] = 200;
    expect(() => decodeOutcome(denied)).toThrow('unknown error type');
  });

  it('never reads arbitrary bytes as a signature', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(decodeOutcome(bytes).outcome).not.toBe('signed');
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a stored result', () => {
  it('is nothing in the row of another request, and a retry is none', () => {
    const payload = encodeOutcome(signed);
    expect(recordedOutcome(payload, receipt.requestId)).toEqual(signed);
    expect(() => recordedOutcome(payload, randomUUID())).toThrow('another request');
    const retry = encodeOutcome({ outcome: 'retry', reason: 'again' });
    expect(() => recordedOutcome(retry, receipt.requestId)).toThrow('no result');
  });
});

describe('a sealed reply', () => {
  const sealed = sealReply(reply, 'gateway-1', keys);

  it('is read back by the gateway it is for', () => {
    const opened = openReply(sealed, 'gateway-1', keys);
    expect(opened.batchId).toBe(reply.batchId);
    expect(opened.outcomes.map(({ index }) => index)).toEqual([0, 3, 6, 9]);
    expect(opened.outcomes.map(({ outcome }) => comparable(outcome))).toEqual(
      outcomes.map(comparable),
    );
    const empty = { batchId: reply.batchId, outcomes: [] };
    expect(openReply(sealReply(empty, 'g', keys), 'g', keys)).toEqual(empty);
  });

  it('does not open at another gateway, nor as a batch', () => {
    for (const gatewayId of ['gateway-2', 'gateway-', 'gateway-11', '']) {
      expect(() => openReply(sealed, gatewayId, keys)).toThrow(EvidenceSealError);
    }
    expect(() => openSignBatch(sealed, keys)).toThrow(EvidenceSealError);
  });

  it('does not open after any one bit was changed', () => {
    expect(unnoticedBits(sealed, (changed) => openReply(changed, 'gateway-1', keys))).toEqual([]);
  });

  it('does not open when cut at any byte or followed by one', () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(() => openReply(sealed.subarray(0, length), 'gateway-1', keys)).toThrow(
        EvidenceSealError,
      );
    }
    const trailed = Buffer.concat([sealed, Buffer.alloc(1)]);
    expect(() => openReply(trailed, 'gateway-1', keys)).toThrow(EvidenceSealError);
  });
});

describe('the details of a venue signature', () => {
  const details: SigningDetails = {
    nonce: 1_767_614_400_000_000_123n,
    venueApiKey: 'public-part',
    passphrase: 'geheim £ 秘密',
  };
  const owner = { requestId: randomUUID(), keyId: randomUUID() };
  const sealed = sealSigningDetails(details, owner, keys);

  it('are read back, whatever they hold', () => {
    expect(openSigningDetails(sealed, owner, keys)).toEqual(details);
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        (nonce, venueApiKey, passphrase) => {
          const any = { nonce, venueApiKey, passphrase };
          expect(openSigningDetails(sealSigningDetails(any, owner, keys), owner, keys)).toEqual(
            any,
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('are empty when there are none', () => {
    const none = { nonce: 0n, venueApiKey: '', passphrase: '' };
    expect(openSigningDetails(new Uint8Array(), owner, keys)).toEqual(none);
  });

  it('show nothing of the passphrase where they are kept', () => {
    const text = Buffer.from(sealed).toString('latin1');
    expect(text).not.toContain(Buffer.from(details.passphrase).toString('latin1'));
    expect(text).not.toContain(details.venueApiKey);
  });

  it('do not open after any one bit was changed', () => {
    const open = (changed: Buffer) => openSigningDetails(changed, owner, keys);
    expect(unnoticedBits(Buffer.from(sealed), open)).toEqual([]);
  });

  it('do not open when cut at any byte or followed by one', () => {
    for (let length = 1; length < sealed.length; length++) {
      expect(() => openSigningDetails(sealed.subarray(0, length), owner, keys)).toThrow(
        EvidenceSealError,
      );
    }
    const trailed = Buffer.concat([sealed, Buffer.alloc(1)]);
    expect(() => openSigningDetails(trailed, owner, keys)).toThrow(EvidenceSealError);
  });

  it('do not open as anything else, nor anything else as them', () => {
    expect(() => openReply(sealed, 'gateway-1', keys)).toThrow(EvidenceSealError);
    const other = sealReply(reply, 'gateway-1', keys);
    expect(() => openSigningDetails(other, owner, keys)).toThrow(EvidenceSealError);
    const context = new ByteWriter()
      .field('countersign signing details v1')
      .field(owner.requestId)
      .field(owner.keyId)
      .bytes();
    const longer = keys.seal(Buffer.alloc(8 + 4 + 4 + 1), context);
    expect(() => openSigningDetails(longer, owner, keys)).toThrow('trailing');
  });

  it('do not open for another request or another key', () => {
    for (const other of [
      { ...owner, requestId: randomUUID() },
      { ...owner, keyId: randomUUID() },
    ]) {
      expect(() => openSigningDetails(sealed, other, keys)).toThrow(EvidenceSealError);
    }
  });

  it('do not open under another evidence key', () => {
    const others = createEvidenceKeys([randomBytes(32)]);
    expect(() => openSigningDetails(sealed, owner, others)).toThrow(UnknownEvidenceKeyError);
  });
});

/** Bytes as hex, whatever holds them. */
function comparable(outcome: SignOutcome): unknown {
  if (outcome.outcome !== 'signed') return outcome;
  const { signature, details, receiptSignatures } = outcome;
  return {
    ...outcome,
    signature: toHex(signature),
    details: toHex(details),
    receiptSignatures: receiptSignatures.map(toHex),
  };
}

/** The bits of which a flip is not answered by throwing the error expected for it. */
function unnoticedBits(sealed: Buffer, open: (changed: Buffer) => unknown): number[] {
  return Array.from({ length: sealed.length * 8 }, (_, bit) => bit).filter((bit) => {
    const changed = Buffer.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    try {
      open(changed);
      return true;
    } catch (error) {
      const isOfKeyId = bit < 64;
      return !(error instanceof (isOfKeyId ? UnknownEvidenceKeyError : EvidenceSealError));
    }
  });
}
