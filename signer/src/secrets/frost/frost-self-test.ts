/**
 * The known-answer test a signer passes before it touches a key: a wrong build of either libsodium would
 * otherwise show as failed signatures at best.
 */
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
 * Runs the vector of RFC 9591, appendix E.1, through the libsodium back-end and through noble, and throws
 * unless nonces, commitments, signature shares and signature are equal, byte for byte, to the RFC's and
 * to each other. Takes about a tenth of a second.
 */
export function frostSelfTest(): void {
  const firsts = vector.signers.map(commitAsBoth);
  const input: SigningPackage = {
    groupPublicKey: bytes(vector.groupPublicKey),
    message: bytes(vector.message),
    commitments: firsts.map(({ identifier, nonces }) => ({
      identifier,
      commitment: nonces.commitment,
    })),
  };
  const reference: Reference = {
    keys: referenceKeys(),
    commitments: firsts.map(({ oracle }) => oracle.commitments),
  };
  const shares = firsts.map((first) => signAsBoth(first, input, reference));
  expectEqual('signature', aggregate({ ...input, signatureShares: shares }), vector.signature);
  const ofReference = noble.aggregate(
    reference.keys,
    reference.commitments,
    input.message,
    Object.fromEntries(
      shares.map((share) => [noble.Identifier.fromNumber(share.identifier), share.signatureShare]),
    ),
  );
  expectEqual('signature of the reference', ofReference, vector.signature);
}

type VectorSigner = (typeof vector.signers)[number];
type FirstRound = ReturnType<typeof commitAsBoth>;

/** What noble, the reference, is given in the place of a {@link SigningPackage}. */
interface Reference {
  readonly keys: ReturnType<typeof referenceKeys>;
  readonly commitments: FirstRound['oracle']['commitments'][];
}

/** Round one of a signer: nonces and commitment, by this back-end and by the reference. */
function commitAsBoth(signer: VectorSigner) {
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
  const halves = [randomness.slice(0, 32), randomness.slice(32)];
  const secret = { identifier: noble.Identifier.fromNumber(identifier), signingShare };
  const oracle = noble.commit(secret, () => halves.shift() ?? new Uint8Array(32));
  expectEqual('nonce of the reference', oracle.nonces.hiding, signer.hidingNonce);
  expectEqual('nonce of the reference', oracle.nonces.binding, signer.bindingNonce);
  return { signer, identifier, signingShare, nonces, secret, oracle };
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

/** Round two of a signer: its share of the signature, by both, and checked as a lead checks it. */
function signAsBoth(
  { signer, identifier, signingShare, nonces, secret, oracle }: FirstRound,
  input: SigningPackage,
  { keys, commitments }: Reference,
) {
  const signatureShare = signShare({ ...input, identifier, signingShare, nonces });
  expectEqual('signature share', signatureShare, signer.signatureShare);
  const ofReference = noble.signShare(secret, keys, oracle.nonces, commitments, input.message);
  expectEqual('signature share of the reference', ofReference, signer.signatureShare);
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
