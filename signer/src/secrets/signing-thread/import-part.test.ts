import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  encodeImportPackage,
  importInfo,
  publicPackageHash,
  type ImportPackage,
} from '@countersign/custody/import-package.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import {
  sealPackage,
  sealPlaintext,
  splitEd25519,
  splitHmac,
  splitHmacPayload,
  splitRsa,
  type SealContext,
  type SplitSecret,
} from '../../../../test/support/split-secrets.js';
import { rsaTestKey } from '../../../../test/support/rsa-test-keys.js';
import {
  openThreadParties,
  PAIRS,
  PARTIES,
  present,
  storedAs,
  isSigned,
  type Party,
  type ThreadParties,
} from '../../../../test/support/thread-parties.js';
import type {
  NewRecipient,
  OpenImportInput,
  OpenImportResult,
} from '../../threads/thread-tasks.js';

const GENESIS = 'ab'.repeat(32);
const USER = 'user-1';
const KEY = 'key-1';

const seed = randomBytes(32);
const seedPublicKey = Buffer.from(ed25519.getPublicKey(seed));
const rsa = rsaTestKey('2048');
const rsaSpki = rsa.publicKey.export({ format: 'der', type: 'spki' });

const secrets = {
  hmac: { split: splitHmac(Buffer.from('a venue secret'), 'third'), publicKey: Buffer.alloc(0) },
  ed25519: { split: splitEd25519(seed), publicKey: seedPublicKey },
  rsa: { split: splitRsa(rsa.privateKey), publicKey: rsaSpki },
} as const;
type Type = keyof typeof secrets;
const TYPES = Object.keys(secrets) as Type[];

let parties: ThreadParties;
let recipients: NewRecipient[];

beforeAll(async () => {
  parties = await openThreadParties();
  recipients = await Promise.all(
    parties.pools.map((pool) => pool.makeRecipient(`recipient-${pool.party}`)),
  );
}, 30_000);

afterAll(() => parties.close());

const contextOf = (party: Party, type: Type): SealContext => ({
  genesisHash: GENESIS,
  party,
  userId: USER,
  type,
});

interface Change {
  readonly sealedFor?: Partial<SealContext>;
  readonly sealedTo?: Party;
  readonly content?: (content: ImportPackage) => ImportPackage;
  readonly plaintext?: (bytes: Buffer) => Uint8Array;
  readonly sealed?: (bytes: Uint8Array) => Uint8Array;
  readonly input?: Partial<OpenImportInput>;
}

/** One party's part of a secret, sealed to it and opened there, with something changed on the way. */
async function open(
  party: Party,
  type: Type,
  change: Change = {},
  split: SplitSecret = secrets[type].split,
): Promise<OpenImportResult> {
  const context = contextOf(party, type);
  const original = present(split[party - 1]);
  const content = change.content?.(original) ?? original;
  const encoded = encodeImportPackage(content);
  const { publicKey } = present(recipients[(change.sealedTo ?? party) - 1]);
  const sealed = await sealPlaintext(change.plaintext?.(encoded) ?? encoded, publicKey, {
    ...context,
    ...change.sealedFor,
  });
  const { recipientId, wrappedDek, sealed: sealedKey } = present(recipients[party - 1]);
  return parties.poolsOf(party).openImport({
    recipient: { recipientId, wrappedDek, sealed: sealedKey },
    info: importInfo(context),
    sealedPart: change.sealed?.(sealed) ?? sealed,
    keyId: KEY,
    version: 1,
    type,
    publicKey: secrets[type].publicKey,
    ...change.input,
  });
}

const refused = (reason: RegExp) => ({
  ok: false,
  reason: expect.stringMatching(reason) as unknown,
});

describe('a recipient', () => {
  test('is a fresh X25519 key, its private half sealed', async () => {
    const again = await parties.poolsOf(1).makeRecipient('recipient-1');
    const [first] = recipients;
    expect(again.publicKey).toHaveLength(32);
    expect(again.publicKey).not.toEqual(first?.publicKey);
    expect(again.recipientId).toBe('recipient-1');
    // 12 nonce + 32 private key + 16 tag
    expect([first?.sealed.length, first?.wrappedDek.length]).toEqual([60, 60]);
  });

  test('that is not the one which the part was sealed to does not open it', async () => {
    const sealed = await sealPackage(
      present(secrets.hmac.split[0]),
      (await parties.poolsOf(1).makeRecipient('another')).publicKey,
      contextOf(1, 'hmac'),
    );
    expect(await open(1, 'hmac', { sealed: () => sealed })).toEqual(refused(/does not open/));
  });

  test("whose stored key is another's, renamed or damaged is this party's fault, and no refusal", async () => {
    const [first, second] = recipients.map(({ recipientId, wrappedDek, sealed }) => ({
      recipientId,
      wrappedDek,
      sealed,
    }));
    const damaged = Uint8Array.from(present(first).sealed, (byte, at) =>
      at === 20 ? byte ^ 1 : byte,
    );
    for (const recipient of [
      present(second),
      { ...present(first), recipientId: 'renamed' },
      { ...present(first), sealed: damaged },
    ]) {
      await expect(open(1, 'hmac', { input: { recipient } })).rejects.toThrow('does not open');
    }
  });
});

describe.each(TYPES)('a part of type %s', (type) => {
  const { split, publicKey } = secrets[type];

  test('is opened by its party, and kept sealed under its KEK', async () => {
    const results = await Promise.all(PARTIES.map((party) => open(party, type)));
    const hash = publicPackageHash(present(split[0]).common);
    for (const result of results) {
      if (!result.ok) throw new Error(result.reason);
      expect(Buffer.from(result.transcriptHash)).toEqual(hash);
      expect(Buffer.from(result.publicKey)).toEqual(publicKey);
      expect(result.wrappedDek).toHaveLength(60);
      for (const content of Object.values(present(split[0]).part).flat()) {
        if (typeof content === 'string') continue;
        expect(Buffer.from(result.sealed).includes(content)).toBe(false);
      }
    }
  });

  test.each<[string, Partial<SealContext>]>([
    ['party', { party: 2 }],
    ['user', { userId: 'user-2' }],
    ['vault', { genesisHash: 'ac'.repeat(32) }],
    ['type', { type: type === 'hmac' ? 'rsa' : 'hmac' }],
  ])('that was sealed for another %s does not open', async (_what, sealedFor) => {
    expect(await open(1, type, { sealedFor })).toEqual(refused(/does not open/));
  });

  test('that was sealed to another party does not open', async () => {
    expect(await open(1, type, { sealedTo: 2 })).toEqual(refused(/does not open/));
  });

  test('that was changed or cut on its way does not open', async () => {
    const changes: ((bytes: Uint8Array) => Uint8Array)[] = [
      (bytes) => bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte)),
      (bytes) => bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte)),
      (bytes) => bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte)),
      (bytes) => bytes.subarray(0, -1),
      (bytes) => bytes.subarray(0, 32),
      (bytes) => bytes.subarray(0, 10),
      () => new Uint8Array(),
      // the all-zero point gives a secret that everybody knows
      (bytes) => bytes.map((byte, at) => (at < 32 ? 0 : byte)),
    ];
    for (const sealed of changes) {
      expect(await open(1, type, { sealed })).toEqual(refused(/does not open/));
    }
  });

  test('that is malformed inside is refused', async () => {
    const changes: ((bytes: Buffer) => Uint8Array)[] = [
      (bytes) => bytes.subarray(0, -1),
      (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]),
      (bytes) => bytes.map((byte, at) => (at === 0 ? 4 : byte)),
      () => new Uint8Array(),
    ];
    for (const plaintext of changes) {
      expect(await open(1, type, { plaintext })).toEqual(refused(/^the part is malformed$/));
    }
  });

  test('of another party, though sealed to this one, or of another type is refused', async () => {
    const content = () => present(split[1]);
    expect(await open(1, type, { content })).toEqual(refused(/not for this party/));
    const other = type === 'hmac' ? 'ed25519' : 'hmac';
    const foreign = () => present(secrets[other].split[0]);
    expect(await open(1, type, { content: foreign })).toEqual(refused(/of another type/));
  });
});

describe('a part that does not fit', () => {
  const damage = (bytes: Uint8Array, position = bytes.length >> 1) =>
    Uint8Array.from(bytes, (byte, at) => (at === position ? byte ^ 1 : byte));

  /** With one part, or one commitment, that is not what the importer committed to. */
  function changedParts(change: (parts: readonly [Uint8Array, Uint8Array]) => Uint8Array[]) {
    return (content: ImportPackage): ImportPackage => {
      if (content.part.type === 'ed25519') throw new Error('not replicated');
      const [own, next] = change(content.part.parts);
      return { ...content, part: { ...content.part, parts: [present(own), present(next)] } };
    };
  }

  test.each(['hmac', 'rsa'] as const)('its commitments is refused: %s', async (type) => {
    const changes = [
      changedParts(([own, next]) => [damage(own), next]),
      changedParts(([own, next]) => [own, damage(next)]),
      changedParts(([own, next]) => [next, own]),
      changedParts(([own]) => [own, own]),
    ];
    for (const party of PARTIES) {
      for (const content of changes) {
        expect(await open(party, type, { content })).toEqual(
          refused(/^the part does not fit its commitments$/),
        );
      }
    }
  });

  test("its commitments is refused: another party's commitment is no matter", async () => {
    const swapped =
      (at: number) =>
      (content: ImportPackage): ImportPackage => {
        if (content.common.type !== 'hmac') throw new Error('not an HMAC secret');
        const partCommitments = content.common.partCommitments.with(at, randomBytes(32));
        const [first, second, third] = partCommitments;
        const common = { ...content.common, partCommitments: [first!, second!, third!] as const };
        return { ...content, common };
      };
    expect(await open(1, 'hmac', { content: swapped(0) })).toEqual(refused(/commitments/));
    expect(await open(1, 'hmac', { content: swapped(1) })).toEqual(refused(/commitments/));
    // what it cannot check it attests: the hash differs from what the others attest
    const result = await open(1, 'hmac', { content: swapped(2) });
    const hash = publicPackageHash(present(secrets.hmac.split[0]).common);
    expect(result.ok && Buffer.from(result.transcriptHash).equals(hash)).toBe(false);
    expect(result.ok).toBe(true);
  });

  test('its commitments is refused: ed25519', async () => {
    const change = (by: (bytes: Uint8Array) => Uint8Array) => (content: ImportPackage) => {
      if (content.part.type !== 'ed25519') throw new Error('no signing share');
      const signingShare = by(content.part.signingShare);
      return { ...content, part: { ...content.part, signingShare } };
    };
    for (const party of PARTIES) {
      for (const content of [
        change((bytes) => damage(bytes, 3)),
        change(() => new Uint8Array(32)),
        // above the group order: another spelling of some scalar
        change(() => new Uint8Array(32).fill(0xff)),
      ]) {
        expect(await open(party, 'ed25519', { content })).toEqual(
          refused(/^the part does not fit its commitments$/),
        );
      }
    }
    const slope = (content: ImportPackage): ImportPackage => {
      if (content.common.type !== 'ed25519') throw new Error('no commitments');
      const [constant] = content.common.commitments;
      return { ...content, common: { ...content.common, commitments: [constant, constant] } };
    };
    expect(await open(2, 'ed25519', { content: slope })).toEqual(refused(/commitments/));
    const noPoint = (content: ImportPackage): ImportPackage => {
      if (content.common.type !== 'ed25519') throw new Error('no commitments');
      const [constant] = content.common.commitments;
      const bad = Buffer.alloc(32, 0xff);
      return { ...content, common: { ...content.common, commitments: [constant, bad] } };
    };
    expect(await open(2, 'ed25519', { content: noPoint })).toEqual(refused(/commitments/));
  });

  test('a polynomial is refused: with a slope of zero each party would hold the secret', async () => {
    const identity = Buffer.from(ed25519.Point.ZERO.toBytes());
    const { scalar } = ed25519.utils.getExtendedPublicKey(seed);
    const signingShare = Buffer.from(ed25519.Point.Fn.toBytes(ed25519.Point.Fn.create(scalar)));
    for (const party of PARTIES) {
      const content = (): ImportPackage => ({
        party,
        common: { type: 'ed25519', commitments: [seedPublicKey, identity] },
        part: { type: 'ed25519', signingShare },
      });
      expect(await open(party, 'ed25519', { content })).toEqual(
        refused(/^the part does not fit its commitments$/),
      );
    }
  });

  test('the public key that the importer stated is refused', async () => {
    const other = Buffer.from(ed25519.getPublicKey(randomBytes(32)));
    expect(await open(1, 'ed25519', { input: { publicKey: other } })).toEqual(
      refused(/not of the stated public key/),
    );
    const another = rsaTestKey('2048-another').publicKey;
    const publicKey = another.export({ format: 'der', type: 'spki' });
    expect(await open(1, 'rsa', { input: { publicKey } })).toEqual(
      refused(/not of the stated public key/),
    );
  });

  test.each([
    [95, /too short or too long/],
    [4_097, /too short or too long/],
  ])('an HMAC secret in parts of %d bytes is refused', async (length, reason) => {
    const split = splitHmacPayload(randomBytes(length));
    expect(await open(1, 'hmac', {}, split)).toEqual(refused(reason));
  });

  test.each([96, 4_096])('and parts of %d bytes are not', async (length) => {
    expect(await open(1, 'hmac', {}, splitHmacPayload(randomBytes(length)))).toMatchObject({
      ok: true,
    });
  });

  test('an HMAC secret in parts of unequal length is refused', async () => {
    const content = changedParts(([own, next]) => [own, next.subarray(1)]);
    expect(await open(1, 'hmac', { content })).toEqual(refused(/too short or too long/));
  });

  test.each([
    ['an even modulus', (modulus: Uint8Array) => damage(modulus, modulus.length - 1), 65_537],
    ['a modulus of another size', (modulus: Uint8Array) => modulus.subarray(1), 65_537],
    ['an exponent of 1', (modulus: Uint8Array) => modulus, 1],
    ['an even exponent', (modulus: Uint8Array) => modulus, 4],
  ])('an RSA key with %s is refused', async (_what, change, publicExponent) => {
    const content = (original: ImportPackage): ImportPackage => {
      if (original.common.type !== 'rsa') throw new Error('not an RSA key');
      const modulus = change(original.common.modulus);
      return { ...original, common: { ...original.common, modulus, publicExponent } };
    };
    expect(await open(1, 'rsa', { content })).toEqual(refused(/not of a usable RSA key/));
  });

  test('an RSA key with a part that is short, so that its neighbours hold nearly all, is refused', async () => {
    const content = changedParts(([own, next]) => [own.subarray(40), next]);
    expect(await open(1, 'rsa', { content })).toEqual(refused(/not of a usable RSA key/));
  });

  test('parts that would leave resharings no room are refused: rsa', async () => {
    // 2^128 times the modulus's power of two is the least
    const least = Buffer.concat([Buffer.of(1), Buffer.alloc(272)]);
    const withPart = (place: 0 | 1, part: Buffer) =>
      changedParts((parts) => parts.map((each, at) => (at === place ? part : each)));
    for (const place of [0, 1] as const) {
      const short = withPart(place, Buffer.alloc(272, 0xff));
      expect(await open(2, 'rsa', { content: short })).toEqual(refused(/^the part is too short$/));
      const enough = withPart(place, least);
      expect(await open(2, 'rsa', { content: enough })).toEqual(refused(/commitments/));
    }
  });
});

test('an imported seed signs as it did before: each pair, under the public key it had', async () => {
  const results = await Promise.all(PARTIES.map((party) => open(party, 'ed25519')));
  const stored = results.map((result) => {
    if (!result.ok) throw new Error(result.reason);
    return storedAs(KEY, 'ed25519', result);
  });
  for (const [lead, partner] of PAIRS) {
    const { leadItems } = await parties.prepare(lead, partner, [stored]);
    const [result] = await parties.poolsOf(lead).lead(leadItems);
    if (!result?.ok) throw new Error('not signed');
    expect(isSigned(present(leadItems[0]).message, result.signature, seedPublicKey)).toBe(true);
  }
});
