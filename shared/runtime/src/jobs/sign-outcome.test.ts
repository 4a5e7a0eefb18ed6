import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toHex } from '@countersign/core/bytes.js';
import { ByteWriter } from '@countersign/core/bytes.js';
import type { ErrType } from '@countersign/core/errors.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { EvidenceSealError, UnknownEvidenceKeyError } from '@countersign/core/evidence-seal.js';
import { findReceiptFault, type Receipt } from '@countersign/api/receipt.js';
import { createVerifyParty, plantTree, type TreeProof } from '@countersign/api/signed-tree.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  decodeOutcome,
  decodeRecorded,
  encodeOutcome,
  findOutcomeFault,
  leadLeaf,
  openReply,
  openSigningDetails,
  partnerDenial,
  partnerLeaf,
  provenReceipt,
  retryMessage,
  sealReply,
  sealSigningDetails,
  type DeniedOutcome,
  type RecordedOutcome,
  type RetryOutcome,
  type SignedOutcome,
  type SignOutcome,
  type SignReply,
  type SigningDetails,
} from './sign-outcome.js';
import { ForeignVersionError, openVersioned } from './protocol.js';
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

const identityKeys = PARTY_NUMBERS.map(() => generateKeyPairSync('ed25519'));
const genesisHash = randomBytes(32).toString('hex');
const trust = {
  genesisHash,
  verifyParty: createVerifyParty(
    PARTY_NUMBERS.map((party, index) => {
      const { x } = identityKeys[index]!.publicKey.export({ format: 'jwk' });
      const identityPublicKey = Buffer.from(x ?? '', 'base64url').toString('base64');
      return { party, identityPublicKey };
    }),
  ),
};

/** A party's proof of a leaf, the second of three. */
function proofOf(party: PartyNumber, leaf: Buffer, genesis = genesisHash): TreeProof {
  const tree = plantTree(party, [randomBytes(9), leaf, randomBytes(9)], genesis);
  return tree.proofOf(1, sign(null, tree.message, identityKeys[party - 1]!.privateKey));
}

function pairOf(outcome: RecordedOutcome): readonly [PartyNumber, PartyNumber] {
  return outcome.outcome === 'signed' ? outcome.receipt.parties : outcome.parties;
}

/** By both parties that it names. */
function proved<Outcome extends RecordedOutcome>(outcome: Outcome): Outcome {
  const [lead, partner] = pairOf(outcome);
  const proofs = [proofOf(lead, leadLeaf(outcome)), proofOf(partner, partnerLeaf(outcome))];
  return { ...outcome, proofs };
}

const idOf = (digit: number) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;
const NO_PROOF: TreeProof = { index: 0, size: 1, path: [], signature: Buffer.alloc(64) };
const submission = randomBytes(16).toString('hex');

const signed: SignedOutcome = proved({
  outcome: 'signed',
  submission,
  signature: randomBytes(64),
  details: new Uint8Array(),
  receipt,
  proofs: [NO_PROOF, NO_PROOF],
});

const rsaSigned: SignedOutcome = proved({
  ...signed,
  signature: randomBytes(512),
  details: randomBytes(90),
});

const denied: DeniedOutcome = proved({
  outcome: 'denied',
  submission,
  requestId: receipt.requestId,
  parties: [2, 3],
  errType: 'forbidden',
  reason: '',
  proofs: [NO_PROOF, NO_PROOF],
});

const retry: RetryOutcome = {
  outcome: 'retry',
  reason: 'the lead has no such nonce — try again',
  nonce: 2n ** 64n - 1n,
  isPartnerAtFault: true,
};

const outcomes: SignOutcome[] = [
  signed,
  rsaSigned,
  retry,
  { ...retry, nonce: 0n, isPartnerAtFault: false },
  denied,
];

const reply: SignReply = {
  version: 1,
  batchId: randomBytes(16).toString('hex'),
  outcomes: outcomes.map((outcome, index) => ({ index: index * 3, outcome })),
  retrySignature: randomBytes(64),
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
        const outcome = { ...denied, errType, reason };
        const decoded = decodeOutcome(encodeOutcome(outcome));
        expect(comparable(decoded)).toEqual(comparable(outcome));
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
    const encoded = encodeOutcome(denied);
    encoded[encoded.length - 5] = 200; // before the length of an empty reason
    expect(() => decodeOutcome(encoded)).toThrow('unknown error type');
  });

  it('names no fourth party', () => {
    const encoded = encodeOutcome(denied);
    const at = encoded.length - 5 - (4 + 36) - 2;
    for (const place of [at, at + 1]) {
      for (const party of [0, 4, 255]) {
        const other = Buffer.from(encoded);
        other[place] = party;
        expect(() => decodeOutcome(other)).toThrow('unknown party');
      }
    }
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
  it('is read as the claim that it is, and a retry is none', () => {
    const decoded = decodeRecorded(encodeOutcome(signed));
    expect(comparable(decoded)).toEqual(comparable(signed));
    expect(() => decodeRecorded(encodeOutcome(retry))).toThrow('no result');
    expect(() => decodeRecorded(new Uint8Array())).toThrow(RangeError);
  });
});

describe('what two parties made of a request', () => {
  const faultOf = (outcome: RecordedOutcome, requestId = receipt.requestId) =>
    findOutcomeFault(outcome, requestId, trust);

  it.each([
    ['signed', signed],
    ['signed with details', rsaSigned],
    ['denied', denied],
  ])('holds as %s, also after a trip through bytes', (_what, outcome) => {
    expect(faultOf(outcome)).toBeUndefined();
    expect(faultOf(decodeRecorded(encodeOutcome(outcome)))).toBeUndefined();
    expect(faultOf(outcome, randomUUID())).toBe('is of another request');
  });

  it('is a receipt where it was signed', () => {
    expect(findReceiptFault(provenReceipt(signed), trust)).toBeUndefined();
  });

  const other = proved({ ...signed, receipt: { ...receipt, keyId: randomUUID() } });
  const lies: [string, RecordedOutcome][] = [
    ['another signature', { ...signed, signature: randomBytes(64) }],
    ['no signature', { ...signed, signature: new Uint8Array() }],
    ['other details', { ...rsaSigned, details: randomBytes(90) }],
    ['no details', { ...rsaSigned, details: new Uint8Array() }],
    ['another delivery', { ...signed, submission: randomBytes(16).toString('hex') }],
    ['another message', { ...signed, receipt: { ...receipt, messageSha256: '00'.repeat(32) } }],
    ['another key', { ...signed, receipt: { ...receipt, keyId: randomUUID() } }],
    ['other parties', { ...signed, receipt: { ...receipt, parties: [2, 1] } }],
    ['one party twice', { ...signed, receipt: { ...receipt, parties: [2, 2] } }],
    ['the proofs of another', { ...signed, proofs: other.proofs }],
    ["the lead's proof of another", { ...signed, proofs: [other.proofs[0], signed.proofs[1]] }],
    ["the partner's proof of another", { ...signed, proofs: [signed.proofs[0], other.proofs[1]] }],
    ['the proofs exchanged', { ...signed, proofs: [signed.proofs[1], signed.proofs[0]] }],
    ['no proof', { ...signed, proofs: [NO_PROOF, NO_PROOF] }],
    ['a reason that its lead did not give', { ...denied, reason: 'because' }],
    ['another error', { ...denied, errType: 'unauthorized' }],
    ['a denial of another delivery', { ...denied, submission: '00'.repeat(16) }],
    ['a denial by other parties', { ...denied, parties: [2, 1] }],
    ['a denial by one party twice', { ...denied, parties: [2, 2] }],
    ['a denial without proof', { ...denied, proofs: [NO_PROOF, NO_PROOF] }],
    ['a denial with the proofs of a signature', { ...denied, proofs: signed.proofs }],
    ['a signature with the proofs of a denial', { ...signed, proofs: denied.proofs }],
  ];
  it.each(lies)('does not hold with %s', (_what, outcome) => {
    expect(faultOf(outcome)).toEqual(expect.any(String));
  });

  it('is not what one party says alone, in the name of both', () => {
    for (const alone of [2, 3] as const) {
      const both = (outcome: RecordedOutcome) => ({
        ...outcome,
        proofs: [proofOf(alone, leadLeaf(outcome)), proofOf(alone, partnerLeaf(outcome))] as const,
      });
      expect(faultOf(both(signed))).toEqual(expect.any(String));
      expect(faultOf(both(denied))).toEqual(expect.any(String));
    }
  });

  it("is no denial where the partner's leaf is a lead's, or of another pair", () => {
    const [lead] = denied.proofs;
    const ofLead = proofOf(3, leadLeaf(denied));
    expect(faultOf({ ...denied, proofs: [lead, ofLead] })).toBe('was not signed by party 3');
    const elsewhere = proofOf(3, partnerDenial({ ...denied, parties: [1, 3] }));
    expect(faultOf({ ...denied, proofs: [lead, elsewhere] })).toBe('was not signed by party 3');
  });

  it('is nothing of another deployment', () => {
    const there = { ...trust, genesisHash: randomBytes(32).toString('hex') };
    expect(findOutcomeFault(signed, receipt.requestId, there)).toContain('was not signed');
    expect(findOutcomeFault(denied, receipt.requestId, there)).toContain('was not signed');
  });
});

describe('what a lead signs of a reply', () => {
  it('is which items are to be tried again, and why, of one batch in one deployment', () => {
    const message = toHex(retryMessage(reply, genesisHash));
    const retries = reply.outcomes.filter(({ outcome }) => outcome.outcome === 'retry');
    expect(toHex(retryMessage({ ...reply, outcomes: retries }, genesisHash))).toBe(message);
    const withRetry = (change: Partial<RetryOutcome>, index = 6) => ({
      ...reply,
      outcomes: [{ index, outcome: { ...retry, ...change } }, ...retries.slice(1)],
    });
    expect(toHex(retryMessage(withRetry({}), genesisHash))).toBe(message);
    const others = [
      retryMessage(withRetry({ reason: 'another' }), genesisHash),
      retryMessage(withRetry({ nonce: 7n }), genesisHash),
      retryMessage(withRetry({ isPartnerAtFault: false }), genesisHash),
      retryMessage(withRetry({}, 7), genesisHash),
      retryMessage({ ...reply, outcomes: retries.slice(1) }, genesisHash),
      retryMessage({ ...reply, batchId: '00'.repeat(16) }, genesisHash),
      retryMessage(reply, '00'.repeat(32)),
    ].map(toHex);
    expect(new Set([message, ...others]).size).toBe(others.length + 1);
  });
});

describe('a sealed reply', () => {
  const sealed = sealReply(reply, 'gateway-1', keys);

  it('is read back by the gateway it is for', () => {
    const opened = openReply(sealed, 'gateway-1', keys);
    expect(opened.batchId).toBe(reply.batchId);
    expect(opened.outcomes.map(({ index }) => index)).toEqual([0, 3, 6, 9, 12]);
    expect(opened.outcomes.map(({ outcome }) => comparable(outcome))).toEqual(
      outcomes.map(comparable),
    );
    expect(toHex(opened.retrySignature)).toBe(toHex(reply.retrySignature));
    const empty = {
      version: 1,
      batchId: reply.batchId,
      outcomes: [],
      retrySignature: Buffer.alloc(0),
    };
    expect(openReply(sealReply(empty, 'g', keys), 'g', keys)).toEqual(empty);
  });

  it.each([1, 2])('has in version %d the form that it has had in every version', (version) => {
    const proof: TreeProof = {
      index: 1,
      size: 2,
      path: [Buffer.alloc(32, 1)],
      signature: Buffer.alloc(64, 2),
    };
    const ours = { submission: '03'.repeat(16), proofs: [proof, proof] as [TreeProof, TreeProof] };
    const recordedReceipt: Receipt = {
      ...receipt,
      ...{ requestId: idOf(2), keyId: idOf(3), messageSha256: '07'.repeat(32) },
      policy: { id: idOf(4), version: 3, ruleId: idOf(5) },
      ledgerHash: '08'.repeat(32),
    };
    const recorded: SignReply = {
      version,
      batchId: '04'.repeat(16),
      outcomes: [
        { index: 0, outcome: { ...denied, ...ours, requestId: idOf(1), reason: 'no rule' } },
        {
          index: 1,
          outcome: { ...signed, ...ours, signature: Buffer.alloc(64, 6), receipt: recordedReceipt },
        },
        { index: 2, outcome: { ...retry, reason: 'again' } },
      ],
      retrySignature: Buffer.alloc(64, 5),
    };
    const context = (of: number) =>
      new ByteWriter().field(`countersign sign reply v${of}`).field('gateway-1').bytes();
    const spoken = { oldest: version, newest: version };
    const { plain } = openVersioned(keys, sealReply(recorded, 'gateway-1', keys), context, spoken);
    expect(createHash('sha256').update(plain).digest('hex')).toBe(
      'cd698cb5636f7eb71bffb362c2a110fe0f9220d2b6135fecb6ef9c7562d7ec64',
    );
  });

  it('does not open at another gateway, nor as a batch', () => {
    for (const gatewayId of ['gateway-2', 'gateway-', 'gateway-11', '']) {
      expect(() => openReply(sealed, gatewayId, keys)).toThrow(EvidenceSealError);
    }
    expect(() => openSignBatch(sealed, keys)).toThrow(EvidenceSealError);
  });

  it('does not open after any one bit was changed', () => {
    const open = (changed: Buffer) => openReply(changed, 'gateway-1', keys);
    expect(unnoticedBits(sealed, open, 1)).toEqual([]);
  });

  it('has the version of its batch, and opens for whoever speaks that', () => {
    const next = sealReply({ ...reply, version: 3 }, 'gateway-1', keys);
    expect(openReply(next, 'gateway-1', keys, { oldest: 2, newest: 3 }).version).toBe(3);
    expect(() => openReply(next, 'gateway-1', keys)).toThrow(ForeignVersionError);
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
    expect(unnoticedBits(Buffer.from(sealed), open, 0)).toEqual([]);
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
    const asReply = Buffer.concat([Buffer.from([1]), sealed]);
    expect(() => openReply(asReply, 'gateway-1', keys)).toThrow(EvidenceSealError);
    const other = sealReply(reply, 'gateway-1', keys).subarray(1); // behind the version
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
  if (outcome.outcome === 'retry') return outcome;
  const proofs = outcome.proofs.map(({ path, signature, ...place }) => ({
    ...place,
    path: path.map(toHex),
    signature: toHex(signature),
  }));
  if (outcome.outcome === 'denied') return { ...outcome, proofs };
  const { signature, details } = outcome;
  return { ...outcome, signature: toHex(signature), details: toHex(details), proofs };
}

/** The bits of which a flip is not answered by throwing the error expected for it. */
function unnoticedBits(
  sealed: Buffer,
  open: (changed: Buffer) => unknown,
  keyIdAt: number,
): number[] {
  return Array.from({ length: sealed.length * 8 }, (_, bit) => bit).filter((bit) => {
    const changed = Buffer.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    try {
      open(changed);
      return true;
    } catch (error) {
      const isOfKeyId = bit >= keyIdAt * 8 && bit < (keyIdAt + 8) * 8;
      return !(error instanceof (isOfKeyId ? UnknownEvidenceKeyError : EvidenceSealError));
    }
  });
}
