/** Two-party FROST over an opened share, in the form in which threads exchange it. */
import { ByteWriter } from '@countersign/core/bytes.js';
import type { NoncePool } from '../frost/nonce-pool.js';
import {
  commit,
  COMMITMENT_BYTES,
  signAndAggregate,
  signShare,
  wipeNonces,
  type Identifier,
  type NonceCommitment,
} from '../frost/frost-ed25519.js';
import { FrostError } from '../frost/frost-error.js';
import { decodeKeyShare, type FrostKeyShare } from '../frost/frost-key-share.js';
import type { LeadMathsInput, PartnerMathsInput } from '../../threads/thread-tasks.js';
import { MathsRefusal } from './maths-refusal.js';

const SHARE_BYTES = 32;
const USE_DOMAIN = 'countersign partner nonce v1';

/** Own commitment D ‖ E (64 bytes) ‖ signature share (32 bytes). */
export function frostContribution(
  party: Identifier,
  opened: Uint8Array,
  input: PartnerMathsInput,
): Uint8Array {
  const { leadParty, leadCommitment, message, scheme } = input;
  if (leadCommitment.length !== COMMITMENT_BYTES) throw new MathsRefusal('commitment');
  const share = keyShareOf(party, opened, input);
  // Made and used in one go, so a partner has no nonces that could be asked for twice.
  const nonces = commit(share.signingShare, useOf(party, input));
  const own = { identifier: party, commitment: nonces.commitment };
  const lead = { identifier: leadParty as Identifier, commitment: leadCommitment };
  const signatureShare = refusing(() =>
    signShare({
      identifier: party,
      signingShare: share.signingShare,
      groupPublicKey: share.groupPublicKey,
      nonces,
      commitments: inIdentifierOrder(own, lead),
      message,
      scheme: frostScheme(scheme),
    }),
  );
  const contribution = new Uint8Array(COMMITMENT_BYTES + SHARE_BYTES);
  contribution.set(nonces.commitment);
  contribution.set(signatureShare, COMMITMENT_BYTES);
  return contribution;
}

/**
 * All that a partner's signature share depends on besides its secret and its nonces. A random state that repeats gives
 * the same share for the same message, key, lead and commitment, and other nonces for any other.
 */
function useOf(party: Identifier, input: PartnerMathsInput): Uint8Array {
  const { leadParty, leadCommitment, key, scheme, message } = input;
  return new ByteWriter()
    .field(USE_DOMAIN)
    .u8(party)
    .u8(leadParty)
    .fixed(leadCommitment)
    .field(key.publicKey)
    .field(scheme)
    .field(message)
    .bytes();
}

/** 64 bytes, verified under the group public key. The nonces of the slot are used up in any case. */
export function frostSignature(
  party: Identifier,
  opened: Uint8Array,
  input: LeadMathsInput,
  noncePool: NoncePool,
): Uint8Array {
  const nonces = noncePool.take(input.slot, input.serial);
  if (nonces === undefined) throw new MathsRefusal('nonce-gone');
  try {
    const { partnerParty, contribution, message, scheme } = input;
    if (contribution.length !== COMMITMENT_BYTES + SHARE_BYTES) {
      throw new MathsRefusal('commitment');
    }
    const share = keyShareOf(party, opened, input);
    const partner = {
      identifier: partnerParty as Identifier,
      commitment: contribution.subarray(0, COMMITMENT_BYTES),
    };
    const own = { identifier: party, commitment: nonces.commitment };
    return refusing(
      () =>
        signAndAggregate({
          identifier: party,
          signingShare: share.signingShare,
          groupPublicKey: share.groupPublicKey,
          verifyingShares: share.verifyingShares,
          nonces,
          commitments: inIdentifierOrder(own, partner),
          message,
          scheme: frostScheme(scheme),
          otherSignatureShare: contribution.subarray(COMMITMENT_BYTES),
        }),
      { party, partnerParty },
    );
  } finally {
    wipeNonces(nonces);
  }
}

function keyShareOf(
  party: Identifier,
  opened: Uint8Array,
  { key }: { readonly key: { readonly publicKey: Uint8Array } },
): FrostKeyShare {
  let share: FrostKeyShare;
  try {
    share = decodeKeyShare(opened);
  } catch (cause) {
    throw new MathsRefusal('share', { cause });
  }
  const isOfKey = Buffer.compare(share.groupPublicKey, key.publicKey) === 0;
  if (share.identifier !== party || !isOfKey) throw new MathsRefusal('share');
  return share;
}

function frostScheme(scheme: string): 'ed25519' | 'ed25519ph' {
  if (scheme !== 'ed25519' && scheme !== 'ed25519ph') throw new MathsRefusal('fault');
  return scheme;
}

function inIdentifierOrder(own: NonceCommitment, other: NonceCommitment): NonceCommitment[] {
  return own.identifier < other.identifier ? [own, other] : [other, own];
}

/** Turns what the arithmetic throws into the reason for which an item is not signed. */
function refusing<T>(
  run: () => T,
  pair?: { readonly party: number; readonly partnerParty: number },
): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof FrostError)) throw error;
    switch (error.code) {
      case 'invalid_commitment':
        throw new MathsRefusal('commitment', { cause: error });
      case 'spent_nonce':
        throw new MathsRefusal('nonce-gone', { cause: error });
      case 'invalid_share': {
        // Blame only what was shown: a share of ours that fails its own check is our defect, and so is
        // a sum that fails although both shares pass.
        const isPartners =
          pair !== undefined &&
          error.culprits.includes(pair.partnerParty as Identifier) &&
          !error.culprits.includes(pair.party as Identifier);
        throw new MathsRefusal(isPartners ? 'partner-share' : 'share', { cause: error });
      }
      case 'invalid_input':
      case 'invalid_package':
        throw new MathsRefusal('fault', { cause: error });
    }
  }
}
