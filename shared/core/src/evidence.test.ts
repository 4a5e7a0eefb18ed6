import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeSealedEvidence,
  digestOf,
  openEvidence,
  requestIdOf,
  type Evidence,
} from './evidence.js';
import { decodeEvidence, encodeEvidence, sealEvidence } from './write-evidence.js';
import { createEvidenceKeys } from './evidence-key.js';
import { EvidenceSealError, evidenceKeyIdOf, UnknownEvidenceKeyError } from './evidence-seal.js';

const KEY_ID_BYTES = 8;
const keys = createEvidenceKeys([randomBytes(32)]);

const ascii = (maxLength: number) =>
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength,
  });
const bytes = (constraints: fc.IntArrayConstraints) =>
  fc.uint8Array(constraints).map((array) => Buffer.from(array));

const anyEvidence: fc.Arbitrary<Evidence> = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
  path: ascii(60),
  query: ascii(60),
  body: bytes({ maxLength: 200 }),
  scheme: fc.constantFrom('ApiKey', 'Bearer'),
  credential: ascii(60),
  timestampMs: fc.maxSafeNat(),
  nonce: bytes({ minLength: 8, maxLength: 8 }),
  assertion: bytes({ maxLength: 80 }),
});

const sample: Evidence = {
  method: 'POST',
  path: '/v1/vaults',
  query: 'a=b',
  body: Buffer.from('{}'),
  scheme: 'ApiKey',
  credential: '0b9c6a4e-1111-8222-9333-444455556666',
  timestampMs: 1_767_614_400_000,
  nonce: Buffer.from('0011223344556677', 'hex'),
  assertion: randomBytes(64),
};

function flipBit(input: Uint8Array, bit: number): Buffer {
  const flipped = Buffer.from(input);
  flipped[bit >> 3]! ^= 1 << (bit & 7);
  return flipped;
}

describe('evidence in the clear', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        expect(decodeEvidence(encodeEvidence(evidence))).toEqual(evidence);
      }),
      { numRuns: 300 },
    );
  });

  it('has one encoding: two that differ anywhere differ in their bytes', () => {
    fc.assert(
      fc.property(anyEvidence, anyEvidence, (one, two) => {
        const same = encodeEvidence(one).equals(encodeEvidence(two));
        expect(same).toBe(JSON.stringify(one) === JSON.stringify(two));
      }),
      { numRuns: 300 },
    );
  });

  it('is refused when cut at any byte, and when anything follows', () => {
    const encoded = encodeEvidence(sample);
    for (let length = 0; length < encoded.length; length++) {
      expect(() => decodeEvidence(encoded.subarray(0, length))).toThrow(RangeError);
    }
    const trailed = Buffer.concat([encoded, Buffer.alloc(1)]);
    expect(() => decodeEvidence(trailed)).toThrow('trailing bytes');
  });

  it('never reads arbitrary bytes as anything but what encodes to them', () => {
    fc.assert(
      fc.property(bytes({ maxLength: 120 }), (input) => {
        try {
          expect(encodeEvidence(decodeEvidence(input))).toEqual(input);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('with a credential scheme that does not exist is refused', () => {
    const at = 4 + 4 + 4 + 10 + 4 + 3 + 4 + 2;
    const encoded = encodeEvidence(sample);
    expect(encoded[at]).toBe(0);
    encoded[at] = 2;
    expect(() => decodeEvidence(encoded)).toThrow('unknown credential scheme');
  });
});

describe('the credential inside sealed evidence', () => {
  it('comes back, and stands nowhere in the sealed bytes', () => {
    fc.assert(
      fc.property(anyEvidence, (evidence) => {
        const sealed = sealEvidence(evidence, keys);
        expect(openEvidence(decodeSealedEvidence(sealed), keys)).toEqual(evidence);
      }),
      { numRuns: 200 },
    );
    expect(sealEvidence(sample, keys).includes(sample.credential)).toBe(false);
  });

  it('does not open after any one bit of its seal was changed', () => {
    const sealed = decodeSealedEvidence(sealEvidence(sample, keys));
    for (let bit = 0; bit < sealed.sealedCredential.length * 8; bit++) {
      const sealedCredential = flipBit(sealed.sealedCredential, bit);
      expect(() => openEvidence({ ...sealed, sealedCredential }, keys)).toThrow(
        bit < KEY_ID_BYTES * 8 ? UnknownEvidenceKeyError : EvidenceSealError,
      );
    }
  });

  it('does not open when cut short, to nothing at all included', () => {
    const sealed = decodeSealedEvidence(sealEvidence(sample, keys));
    for (let length = 0; length < sealed.sealedCredential.length; length++) {
      const sealedCredential = sealed.sealedCredential.subarray(0, length);
      expect(() => openEvidence({ ...sealed, sealedCredential }, keys)).toThrow(EvidenceSealError);
    }
  });

  it('does not open inside another request', () => {
    const sealed = decodeSealedEvidence(sealEvidence(sample, keys));
    for (const other of [{ nonce: flipBit(sealed.nonce, 0) }, { timestampMs: 1 }]) {
      expect(() => openEvidence({ ...sealed, ...other }, keys)).toThrow(EvidenceSealError);
    }
  });

  it('is sealed differently each time', () => {
    expect(sealEvidence(sample, keys)).not.toEqual(sealEvidence(sample, keys));
  });
});

describe('evidence keys', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];

  it('after a rotation, what the old key sealed still opens and derives', () => {
    const before = createEvidenceKeys([old]);
    const after = createEvidenceKeys([fresh, old]);
    const sealed = before.seal(Buffer.from('secret'), Buffer.from('context'));
    expect(after.open(sealed, Buffer.from('context')).toString()).toBe('secret');
    const derive = (from: typeof keys) => from.derive(sealed, 'label', Buffer.from('entry'));
    expect(derive(after)).toEqual(derive(before));
    const renewed = after.seal(Buffer.from('secret'), Buffer.from('context'));
    expect(() => before.open(renewed, Buffer.from('context'))).toThrow(UnknownEvidenceKeyError);
  });

  it.each([
    [
      'of the ledger, as the first release made it',
      '3b13d947d16cdaeca489e2c1fcd9a438dc6dbf2307275fc19eaeccd38df840212a17a9a1cc1a9020082a5294d7e2',
    ],
    [
      'of everything else',
      'd170cb4b94740574a15ef9c8f32edf9677232e3837fcb2d0433cb5ea82b25a9f000000007e3e511d8da1252a7b417b112852fc595a50da9a1cc344b45605',
    ],
  ])('open a recorded seal %s, and derive the same from it', (_what, hex) => {
    const held = createEvidenceKeys([fresh, Buffer.alloc(32, 7)]);
    const sealed = Buffer.from(hex, 'hex');
    expect(held.open(sealed, Buffer.from('context')).toString()).toBe('credential');
    expect(held.derive(sealed, 'label', Buffer.from('entry')).toString('hex')).toBe(
      '96e7588c134cc4a53d37b596e1b3dbb3d0d348e0bf86f83dc7ab6394461e6770',
    );
  });

  it('seal entries of the ledger under the id that is declared there, and nothing else', () => {
    const held = createEvidenceKeys([fresh, old]);
    const [nothing, context] = [Buffer.alloc(0), Buffer.from('context')];
    expect(evidenceKeyIdOf(held.sealEntry(nothing, context))).toBe(held.ids[0]);
    expect(held.ids).not.toContain(evidenceKeyIdOf(held.seal(nothing, context)));
    expect(held.open(held.sealEntry(Buffer.from('secret'), context), context).toString()).toBe(
      'secret',
    );
  });

  it('derive another secret for another label, entry or key', () => {
    const one = createEvidenceKeys([old]);
    const two = createEvidenceKeys([fresh]);
    const [sealedOne, sealedTwo] = [one, two].map((from) =>
      from.seal(Buffer.alloc(1), Buffer.alloc(0)),
    );
    const secrets = [
      one.derive(sealedOne!, 'a', Buffer.from('b')),
      one.derive(sealedOne!, 'ab', Buffer.alloc(0)),
      one.derive(sealedOne!, 'a', Buffer.from('c')),
      two.derive(sealedTwo!, 'a', Buffer.from('b')),
    ];
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(secrets.length);
  });
});

describe('the request id', () => {
  it('is that of the signed bytes: the same for a copy, another for any change', () => {
    const id = requestIdOf(digestOf(sample));
    expect(requestIdOf(digestOf({ ...sample }))).toBe(id);
    const changes: Partial<Evidence>[] = [
      { method: 'PUT' },
      { path: '/v1/vault' },
      { query: 'a=c' },
      { body: Buffer.from('{ }') },
      { credential: 'other' },
      { timestampMs: sample.timestampMs + 1 },
      { nonce: Buffer.alloc(8) },
    ];
    const ids = changes.map((change) => requestIdOf(digestOf({ ...sample, ...change })));
    expect(new Set([id, ...ids]).size).toBe(changes.length + 1);
  });
});
