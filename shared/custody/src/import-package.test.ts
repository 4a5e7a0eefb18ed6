import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PartyNumber } from '@countersign/core/parties.js';
import {
  decodeHmacPayload,
  decodeImportPackage,
  encodeHmacPayload,
  encodeImportPackage,
  encodePublicPackage,
  importInfo,
  nextParty,
  partCommitment,
  publicPackageHash,
  type ImportPackage,
  type PublicPackage,
} from './import-package.js';

const commitments = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;

const publicPackages = {
  ed25519: { type: 'ed25519', commitments: [randomBytes(32), randomBytes(32)] },
  rsa: {
    type: 'rsa',
    modulus: randomBytes(256),
    publicExponent: 65_537,
    partCommitments: commitments,
  },
  hmac: { type: 'hmac', partCommitments: commitments },
} as const satisfies Record<string, PublicPackage>;

const packages: Record<string, ImportPackage> = {
  ed25519: {
    party: 1,
    common: publicPackages.ed25519,
    part: { type: 'ed25519', signingShare: randomBytes(32) },
  },
  rsa: {
    party: 2,
    common: publicPackages.rsa,
    part: { type: 'rsa', parts: [randomBytes(255), randomBytes(257)] },
  },
  hmac: {
    party: 3,
    common: publicPackages.hmac,
    part: { type: 'hmac', parts: [randomBytes(96), randomBytes(96)] },
  },
};

describe('an import package', () => {
  it.each(Object.entries(packages))('of type %s is read back as it was written', (_type, one) => {
    expect(decodeImportPackage(encodeImportPackage(one))).toEqual(one);
  });

  it('keeps parts of any length apart', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((part) => Buffer.from(part));
    fc.assert(
      fc.property(fc.constantFrom('rsa' as const, 'hmac' as const), bytes, bytes, (type, a, b) => {
        const one: ImportPackage = {
          party: 1,
          common: publicPackages[type],
          part: { type, parts: [a, b] },
        };
        expect(decodeImportPackage(encodeImportPackage(one))).toEqual(one);
      }),
    );
  });

  it.each(Object.entries(packages))('of type %s is refused when cut at any byte', (_type, one) => {
    const encoded = encodeImportPackage(one);
    for (let length = 0; length < encoded.length; length++) {
      expect(() => decodeImportPackage(encoded.subarray(0, length))).toThrow(RangeError);
    }
  });

  it.each(Object.entries(packages))('of type %s is refused when anything follows', (_type, one) => {
    const encoded = encodeImportPackage(one);
    expect(() => decodeImportPackage(Buffer.concat([encoded, Buffer.alloc(1)]))).toThrow(
      'trailing',
    );
    const inner = encodePublicPackage(one.common);
    const padded = Buffer.concat([inner, Buffer.alloc(1)]);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(padded.length);
    const rest = encoded.subarray(1 + 4 + inner.length);
    const spoiled = Buffer.concat([encoded.subarray(0, 1), length, padded, rest]);
    expect(() => decodeImportPackage(spoiled)).toThrow('trailing');
  });

  it('is refused for another party than the three, another domain and another type', () => {
    const encoded = encodeImportPackage(packages['hmac']!);
    for (const party of [0, 4, 255]) {
      const other = Buffer.from(encoded);
      other[0] = party;
      expect(() => decodeImportPackage(other)).toThrow('unknown party');
    }
    const replaced = (from: string, to: string) =>
      Buffer.from(encoded.toString('latin1').replace(from, to), 'latin1');
    expect(() => decodeImportPackage(replaced('package v1', 'package v2'))).toThrow(
      'not an import package',
    );
    expect(() => decodeImportPackage(replaced('hmac', 'hmax'))).toThrow('unknown key type');
    // as another type the same bytes mean nothing
    expect(() => decodeImportPackage(replaced('\x04\0\0\0hmac', '\x03\0\0\0rsa'))).toThrow(
      RangeError,
    );
  });
});

describe('what all three parties attest', () => {
  it('is the same for the same package, and another for any other', () => {
    const { ed25519, rsa, hmac } = publicPackages;
    const others: PublicPackage[] = [
      ed25519,
      rsa,
      hmac,
      { ...ed25519, commitments: [ed25519.commitments[1], ed25519.commitments[0]] },
      { ...rsa, publicExponent: 3 },
      { ...rsa, modulus: randomBytes(256) },
      { ...rsa, partCommitments: [commitments[1], commitments[0], commitments[2]] },
      { ...hmac, partCommitments: [commitments[0], commitments[2], commitments[1]] },
    ];
    const hashes = others.map((common) => publicPackageHash(common).toString('hex'));
    expect(new Set(hashes).size).toBe(others.length);
    expect(publicPackageHash({ ...hmac }).toString('hex')).toBe(hashes[2]);
  });

  it('does not depend on who reads it', () => {
    const hashes = ([1, 2, 3] as const).map((party) => {
      const one = decodeImportPackage(encodeImportPackage({ ...packages['hmac']!, party }));
      return publicPackageHash(one.common).toString('hex');
    });
    expect(new Set(hashes).size).toBe(1);
  });
});

it('the parties stand in a ring', () => {
  expect(([1, 2, 3] as const).map(nextParty)).toEqual([2, 3, 1]);
});

describe('the commitment to a part', () => {
  const part = Buffer.alloc(96, 7);

  it('is SHA-256 over domain, index and part, each with its length', () => {
    const domain = 'countersign import part v1';
    const expected = createHash('sha256')
      .update(Buffer.from([domain.length, 0, 0, 0]))
      .update(domain)
      .update(Buffer.from([2, 96, 0, 0, 0]))
      .update(part)
      .digest('hex');
    expect(partCommitment(2, part).toString('hex')).toBe(expected);
  });

  it('is another for another index and another part', () => {
    const all = ([1, 2, 3] as const).flatMap((index) => [
      partCommitment(index, part),
      partCommitment(index, part.subarray(1)),
      partCommitment(index, Buffer.alloc(96, 8)),
    ]);
    expect(new Set(all.map((hash) => hash.toString('hex'))).size).toBe(all.length);
  });
});

it('shares are sealed for one vault, party, importer and type', () => {
  const context = { genesisHash: 'ab', party: 1 as PartyNumber, userId: 'u', type: 'rsa' as const };
  const infos = [
    context,
    { ...context, genesisHash: 'ac' },
    { ...context, party: 2 as const },
    { ...context, userId: 'v' },
    { ...context, type: 'hmac' as const },
    { ...context, genesisHash: 'abu', userId: '' },
  ].map((one) => importInfo(one).toString('hex'));
  expect(new Set(infos).size).toBe(infos.length);
});

describe('the payload of an HMAC secret', () => {
  const read = (payload: Uint8Array) => {
    const { secret, passphrase } = decodeHmacPayload(payload);
    return { secret: Buffer.from(secret).toString('hex'), passphrase };
  };

  it('gives secret and passphrase back, and is never shorter than 96 bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        (secret, passphrase) => {
          const payload = encodeHmacPayload({ secret, passphrase });
          expect(payload.length).toBeGreaterThanOrEqual(96);
          expect(read(payload)).toEqual({
            secret: Buffer.from(secret).toString('hex'),
            passphrase,
          });
        },
      ),
    );
  });

  it.each([
    [0, 96],
    [1, 96],
    // 96 bytes hold three lengths of four bytes and a checksum of 16
    [68, 96],
    [69, 97],
    [200, 228],
  ])('of a secret of %d bytes is %d bytes long', (length, expected) => {
    const payload = encodeHmacPayload({ secret: Buffer.alloc(length, 1), passphrase: '' });
    expect(payload).toHaveLength(expected);
  });

  it('does not leave the caller with a wiped secret', () => {
    const secret = Buffer.from('the secret');
    encodeHmacPayload({ secret, passphrase: 'p' });
    expect(secret.toString()).toBe('the secret');
  });

  const payload = encodeHmacPayload({ secret: randomBytes(40), passphrase: 'third secret' });

  it('is refused after any one bit was changed: a part was wrong', () => {
    const unnoticed = Array.from({ length: payload.length * 8 }, (_, bit) => bit).filter((bit) => {
      const changed = Buffer.from(payload);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      try {
        decodeHmacPayload(changed);
        return true;
      } catch (error) {
        return !(error instanceof RangeError && error.message === 'checksum differs');
      }
    });
    expect(unnoticed).toEqual([]);
  });

  it('is refused when cut at any byte, when anything follows, and when it is random', () => {
    for (let length = 0; length < payload.length; length++) {
      expect(() => decodeHmacPayload(payload.subarray(0, length))).toThrow(RangeError);
    }
    expect(() => decodeHmacPayload(Buffer.concat([payload, Buffer.alloc(1)]))).toThrow(RangeError);
    for (let count = 0; count < 50; count++) {
      expect(() => decodeHmacPayload(randomBytes(96))).toThrow('checksum differs');
    }
  });

  it('is refused when a right checksum stands under another form', () => {
    const withChecksum = (body: Buffer) =>
      Buffer.concat([body, createHash('sha256').update(body).digest().subarray(0, 16)]);
    const body = payload.subarray(0, -16);
    expect(read(withChecksum(body))).toEqual(read(payload));
    expect(() => decodeHmacPayload(withChecksum(body.subarray(0, -1)))).toThrow('truncated');
    expect(() => decodeHmacPayload(withChecksum(Buffer.concat([body, Buffer.alloc(1)])))).toThrow(
      'trailing',
    );
    expect(() => decodeHmacPayload(withChecksum(Buffer.alloc(0)))).toThrow('truncated');
  });
});
