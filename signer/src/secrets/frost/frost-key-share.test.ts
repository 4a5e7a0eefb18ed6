import { describe, expect, test } from '@jest/globals';
import { ed25519_FROST as noble } from '@noble/curves/ed25519.js';
import {
  decodeKeyShare,
  encodeKeyShare,
  KEY_SHARE_BYTES,
  validateKeyShare,
  type FrostKeyShare,
} from './frost-key-share.js';

function dealtShare(): FrostKeyShare {
  const dealt = noble.trustedDealer({ min: 2, max: 3 });
  const [groupPublicKey] = dealt.public.commitments;
  const [first, second, third] = [1, 2, 3].map(
    (n) => dealt.public.verifyingShares[noble.Identifier.fromNumber(n)],
  );
  const signingShare = dealt.secretShares[noble.Identifier.fromNumber(2)]?.signingShare;
  if (!groupPublicKey || !first || !second || !third || !signingShare) throw new Error();
  return { identifier: 2, signingShare, groupPublicKey, verifyingShares: [first, second, third] };
}

describe('a key share', () => {
  test('comes back from its encoding, as views that one wipe clears', () => {
    const share = dealtShare();
    const encoded = encodeKeyShare(share);
    expect(encoded).toHaveLength(KEY_SHARE_BYTES);
    const decoded = decodeKeyShare(encoded);
    expect(decoded).toEqual(share);
    encoded.fill(0);
    expect(decoded.signingShare).toEqual(new Uint8Array(32));
  });

  test('of another length, version or identifier does not decode', () => {
    const encoded = encodeKeyShare(dealtShare());
    const change = (index: number, value: number): Uint8Array =>
      encoded.map((byte, at) => (at === index ? value : byte));
    const longer = new Uint8Array(KEY_SHARE_BYTES + 1);
    longer.set(encoded);
    for (const bad of [
      encoded.subarray(1),
      longer,
      change(0, 2),
      change(1, 0),
      change(1, 4),
      new Uint8Array(0),
    ]) {
      expect(() => decodeKeyShare(bad)).toThrow('not an encoded FROST key share');
    }
  });

  test('of one key is valid, and of no other', () => {
    const share = dealtShare();
    const other = dealtShare();
    expect(() => validateKeyShare(share)).not.toThrow();
    const [first, second, third] = share.verifyingShares;
    for (const change of [
      { signingShare: other.signingShare },
      { signingShare: new Uint8Array(32) },
      { groupPublicKey: other.groupPublicKey },
      { groupPublicKey: new Uint8Array(32) },
      { identifier: 1 as const },
      { verifyingShares: [other.verifyingShares[0], second, third] as const },
      { verifyingShares: [first, second, other.verifyingShares[2]] as const },
    ]) {
      expect(() => validateKeyShare({ ...share, ...change })).toThrow('key share');
    }
  });
});
