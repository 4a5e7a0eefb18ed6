import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { EvidenceSealError, UnknownEvidenceKeyError } from '@countersign/core/evidence-seal.js';
import { ForeignVersionError, openVersioned, sealVersioned, SPOKEN } from './protocol.js';
import { startReplica } from './replica.js';
import { openSignBatch, sealSignBatch, type SignBatch } from './sign-batch.js';
import { openReply } from './sign-outcome.js';

const keys = createEvidenceKeys([randomBytes(32)]);

function batchOf(count: number): SignBatch {
  return {
    version: SPOKEN.newest,
    batchId: randomBytes(16).toString('hex'),
    gatewayId: 'gateway-1',
    lead: startReplica(3, 'a'),
    partner: startReplica(1, 'b-2'),
    ledgerSeq: 77,
    ledgerHash: randomBytes(32).toString('hex'),
    items: Array.from({ length: count }, (_, index) => ({
      submission: randomBytes(16).toString('hex'),
      receivedAt: 1_767_614_400_000 + index,
      nonce: BigInt(index) * 2n ** 58n,
      evidence: {
        method: 'POST',
        path: '/v1/keys/some-key/raw-sign',
        query: '',
        body: randomBytes(index * 10),
        scheme: 'ApiKey',
        credential: 'canary-credential',
        timestampMs: 1_767_614_400_000,
        nonce: randomBytes(8),
        assertion: randomBytes(64),
      },
    })),
  };
}

const replicaOf = (party: 1 | 2 | 3, byte: string) =>
  ({ party, name: 'a', boot: byte.repeat(16) }) as const;

/** Says the same for ever: two items of one request, one of another. */
const RECORDED: SignBatch = {
  version: SPOKEN.newest,
  batchId: '01'.repeat(16),
  gatewayId: 'gateway-1',
  lead: replicaOf(3, '02'),
  partner: replicaOf(1, '03'),
  ledgerSeq: 77,
  ledgerHash: '04'.repeat(32),
  items: recordedItems(),
};

function recordedItems(): SignBatch['items'] {
  const [one, other] = batchOf(2).items.map(({ evidence }, index) => ({
    ...evidence,
    body: Buffer.alloc(20, index),
    nonce: Buffer.alloc(8, index),
    assertion: Buffer.alloc(64, index),
  }));
  const item = { receivedAt: 1_767_614_400_000, nonce: 5n };
  return [
    { ...item, submission: '05'.repeat(16), evidence: one!, index: 0 },
    { ...item, submission: '06'.repeat(16), evidence: one!, index: 1 },
    {
      ...item,
      submission: '07'.repeat(16),
      evidence: other!,
      trace: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    },
  ];
}

describe('a sealed batch', () => {
  it('is read back as it was written, empty or of 64 items', () => {
    for (const count of [0, 1, 2, 64]) {
      const batch = batchOf(count);
      expect(openSignBatch(sealSignBatch(batch, keys), keys)).toEqual(batch);
    }
  });

  it('has the evidence of a request once, however many of its items there are', () => {
    const batch = batchOf(1);
    const [item] = batch.items;
    const evidence = { ...item!.evidence, body: randomBytes(10_000) };
    const items = Array.from({ length: 64 }, (_, index) => ({ ...item!, evidence, index }));
    const sealed = sealSignBatch({ ...batch, items }, keys);
    expect(sealed.length).toBeLessThan(20_000);
    const opened = openSignBatch(sealed, keys);
    expect(opened.items).toEqual(items);
    expect(new Set(opened.items.map((each) => each.evidence)).size).toBe(1);
  });

  it('tells under which span each item is drawn', () => {
    const trace = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    const batch = batchOf(2);
    const items = [{ ...batch.items[0]!, trace }, batch.items[1]!];
    expect(openSignBatch(sealSignBatch({ ...batch, items }, keys), keys).items).toEqual(items);
  });

  it.each([
    [1, 'e7e685a363c30a25f0ed9e028af5feac2994d4bc84faa0e3ddf602d2a90f5ac9'],
    [2, 'e5b443987bcd02cb1f425c2b1ea27a53c52b6a8d24800fe6bfd49ee819abcc1e'],
  ])('has the form that version %d has for good', (version, digest) => {
    const plain = plaintextOf(sealSignBatch({ ...RECORDED, version }, keys));
    expect(createHash('sha256').update(plain).digest('hex')).toBe(digest);
  });

  it('tells no span to a release whose jobs have none', () => {
    const items = RECORDED.items.map(({ trace: _trace, ...item }) => item);
    const opened = openSignBatch(sealSignBatch({ ...RECORDED, version: 1 }, keys), keys);
    expect(opened).toEqual({ ...RECORDED, version: 1, items });
  });

  it.each([
    'nonsense',
    `00-${'0'.repeat(32)}-${'2'.repeat(16)}-01`,
    '\u00fc'.repeat(55),
    'x'.repeat(9_999),
  ])('is the same with a forged span as without one: %j', (trace) => {
    const batch = batchOf(2);
    const items = batch.items.map((item) => ({ ...item, trace }));
    expect(openSignBatch(sealSignBatch({ ...batch, items }, keys), keys)).toEqual(batch);
  });

  it('shows nothing of its items', () => {
    expect(sealSignBatch(batchOf(1), keys).includes('canary')).toBe(false);
  });

  it('does not open after any one bit was changed', () => {
    const sealed = sealSignBatch(batchOf(1), keys);
    expect(unnoticedBits(sealed, (changed) => openSignBatch(changed, keys))).toEqual([]);
  });

  it('does not open when cut at any byte or followed by one', () => {
    const sealed = sealSignBatch(batchOf(1), keys);
    for (let length = 0; length < sealed.length; length++) {
      expect(() => openSignBatch(sealed.subarray(0, length), keys)).toThrow(EvidenceSealError);
    }
    const trailed = Buffer.concat([sealed, Buffer.alloc(1)]);
    expect(() => openSignBatch(trailed, keys)).toThrow(EvidenceSealError);
  });

  it('of a version that this process does not speak is told apart from a forged one', () => {
    const next = sealSignBatch({ ...batchOf(1), version: 3 }, keys);
    expect(openSignBatch(next, keys, { oldest: 2, newest: 3 }).version).toBe(3);
    expect(() => openSignBatch(next, keys)).toThrow(ForeignVersionError);
    expect(() => openSignBatch(next, keys, { oldest: 4, newest: 5 })).toThrow(ForeignVersionError);
    // nobody who lacks the key can change the version, or have something taken for another release's
    for (const version of [0, 1, 2, 255]) {
      const changed = Buffer.concat([Buffer.from([version]), next.subarray(1)]);
      expect(() => openSignBatch(changed, keys, { oldest: 1, newest: 3 })).toThrow(
        EvidenceSealError,
      );
    }
  });

  it('means nothing as a reply', () => {
    const sealed = sealSignBatch(batchOf(1), keys);
    expect(() => openReply(sealed, 'gateway-1', keys)).toThrow(EvidenceSealError);
  });

  it('is refused as malformed when its maker sealed something else: cut, padded, or random', () => {
    const plain = plaintextOf(sealSignBatch(batchOf(2), keys));
    const seal = (bytes: Buffer) => sealVersioned(keys, SPOKEN.newest, bytes, domainOf);
    expect(openSignBatch(seal(plain), keys).items).toHaveLength(2);
    for (let length = 0; length < plain.length; length++) {
      expect(() => openSignBatch(seal(plain.subarray(0, length)), keys)).toThrow(RangeError);
    }
    expect(() => openSignBatch(seal(Buffer.concat([plain, Buffer.alloc(1)])), keys)).toThrow(
      RangeError,
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => openSignBatch(seal(Buffer.from(bytes)), keys)).toThrow(RangeError);
      }),
      { numRuns: 300 },
    );
  });

  it('that claims four billion items is refused at once', () => {
    const plain = plaintextOf(sealSignBatch(batchOf(0), keys));
    plain.fill(0xff, plain.length - 4);
    // of the processor: what others do with it meanwhile is no time of the reader's
    const before = process.cpuUsage();
    expect(() => openSignBatch(sealVersioned(keys, SPOKEN.newest, plain, domainOf), keys)).toThrow(
      RangeError,
    );
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  it.each([0, 4, 255])('with party %d is refused', (party) => {
    const batch = batchOf(0);
    const other = { ...batch, lead: startReplica(party as 1, 'a') };
    expect(() => openSignBatch(sealSignBatch(other, keys), keys)).toThrow('unknown party');
  });
});

const domainOf = (version: number) => Buffer.from(`countersign sign batch v${version}`);

/** The bits of which a flip is not answered by throwing the error expected for it. */
function unnoticedBits(sealed: Buffer, open: (changed: Buffer) => unknown): number[] {
  return Array.from({ length: sealed.length * 8 }, (_, bit) => bit).filter((bit) => {
    const changed = Buffer.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    try {
      open(changed);
      return true;
    } catch (error) {
      const isOfKeyId = bit >= 8 && bit < 72; // behind the version
      return !(error instanceof (isOfKeyId ? UnknownEvidenceKeyError : EvidenceSealError));
    }
  });
}

function plaintextOf(sealed: Buffer): Buffer {
  return openVersioned(keys, sealed, domainOf, SPOKEN).plain;
}
