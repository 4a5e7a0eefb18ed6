/**
 * A signer passes this known-answer test before it touches a key: a wrong build of either libsodium would otherwise
 * show as failed signatures at best.
 */
import { sodium } from '@countersign/custody/sodium.js';
import { ed25519_FROST as noble } from '@noble/curves/ed25519.js';
import { RFC9591_ED25519 as vector } from './rfc9591-vector.js';
import {
  aggregate,
  commitFromRandomness,
  signShare,
  verifyShare,
  type SigningPackage,
} from './frost-ed25519.js';

/**
 * Made for this test: R is the sum of a multiple of B and of a point of order eight. It satisfies the equation with the
 * cofactor (RFC 8032, section 5.1.7, the first of the two that it allows), and not the one without.
 */
const COFACTORED = {
  publicKey: '61d581505571106f8ad8fd42af43a06e4ebb479a77d239ef2b834ce74e6b3d63',
  message: Buffer.from('cofactor'),
  signature:
    '4dc8a15add7989f1a1683228edceb548502d588152bf6a71b3c313cab9629caf' +
    '593917217ed43863969dd1cbfebfb4184713736a82d4a1b4dc90063788fa4900',
};

/**
 * Runs the vector of RFC 9591, appendix E.1, through the libsodium back-end. Throws unless nonces, commitments,
 * signature shares and signature are the RFC's, byte for byte. Throws unless libsodium verifies without the cofactor,
 * which a lead's check of the other signer's points rests on. Takes a few milliseconds.
 */
export function frostSelfTest(): void {
  requireNoCofactor((signature, message, key) =>
    sodium.crypto_sign_verify_detached(signature, message, key),
  );
  const firsts = vector.signers.map(commit);
  const input = packageOf(firsts);
  const signatureShares = firsts.map((first) => sign(first, input));
  expectEqual('signature', aggregate({ ...input, signatureShares }), vector.signature);
}

/** Throws when a signature passes that is one only with the cofactor. */
export function requireNoCofactor(
  verify: (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean,
): void {
  const { signature, message, publicKey } = COFACTORED;
  if (verify(bytes(signature), message, bytes(publicKey))) {
    throw new Error('FROST self-test: signatures are verified with the cofactor');
  }
}

/**
 * Tests noble, which makes the keys, in the same way. Throws unless it comes to the RFC's values too, and so to the
 * back-end's. It takes about a tenth of a second, so only threads that make keys run it.
 */
export function frostReferenceSelfTest(): void {
  const message = bytes(vector.message);
  const keys = referenceKeys();
  const firsts = vector.signers.map(commitAsReference);
  const commitments = firsts.map(({ oracle }) => oracle.commitments);
  const shares = firsts.map(({ signer, secret, oracle }) => {
    const share = noble.signShare(secret, keys, oracle.nonces, commitments, message);
    expectEqual('signature share of the reference', share, signer.signatureShare);
    return [secret.identifier, share] as const;
  });
  const signature = noble.aggregate(keys, commitments, message, Object.fromEntries(shares));
  expectEqual('signature of the reference', signature, vector.signature);
}

type VectorSigner = (typeof vector.signers)[number];
type FirstRound = ReturnType<typeof commit>;

function packageOf(firsts: readonly FirstRound[]): SigningPackage {
  return {
    groupPublicKey: bytes(vector.groupPublicKey),
    message: bytes(vector.message),
    commitments: firsts.map(({ identifier, nonces }) => ({
      identifier,
      commitment: nonces.commitment,
    })),
  };
}

/** Round one of a signer: nonces and commitment. */
function commit(signer: VectorSigner) {
  const { identifier } = signer;
  const randomness = bytes(signer.hidingNonceRandomness + signer.bindingNonceRandomness);
  const signingShare = bytes(signer.participantShare);
  const nonces = commitFromRandomness(randomness, signingShare);
  expectEqual('hiding nonce', nonces.hiding, signer.hidingNonce);
  expectEqual('binding nonce', nonces.binding, signer.bindingNonce);
  expectEqual(
    'nonce commitment',
    nonces.commitment,
    signer.hidingNonceCommitment + signer.bindingNonceCommitment,
  );
  return { signer, identifier, signingShare, nonces };
}

/** Round one by noble. */
function commitAsReference(signer: VectorSigner) {
  const halves = [bytes(signer.hidingNonceRandomness), bytes(signer.bindingNonceRandomness)];
  const signingShare = bytes(signer.participantShare);
  const secret = { identifier: noble.Identifier.fromNumber(signer.identifier), signingShare };
  const oracle = noble.commit(secret, () => halves.shift() ?? new Uint8Array(32));
  expectEqual('nonce of the reference', oracle.nonces.hiding, signer.hidingNonce);
  expectEqual('nonce of the reference', oracle.nonces.binding, signer.bindingNonce);
  return { signer, secret, oracle };
}

function referenceKeys() {
  return {
    signers: { min: 2, max: 3 },
    commitments: [bytes(vector.groupPublicKey)],
    verifyingShares: Object.fromEntries(
      vector.signers.map((signer) => [
        noble.Identifier.fromNumber(signer.identifier),
        bytes(signer.verifyingShare),
      ]),
    ),
  };
}

/** Round two of a signer: its share of the signature, checked as a lead checks it. */
function sign({ signer, identifier, signingShare, nonces }: FirstRound, input: SigningPackage) {
  const signatureShare = signShare({ ...input, identifier, signingShare, nonces });
  expectEqual('signature share', signatureShare, signer.signatureShare);
  const verifyingShare = bytes(signer.verifyingShare);
  if (!verifyShare({ ...input, identifier, signatureShare, verifyingShare })) {
    throw new Error('FROST self-test: a good signature share does not verify');
  }
  return { identifier, signatureShare };
}

function bytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

function expectEqual(what: string, actual: Uint8Array, expectedHex: string): void {
  if (Buffer.from(actual).toString('hex') !== expectedHex) {
    throw new Error(`FROST self-test: ${what} differs from RFC 9591`);
  }
}
