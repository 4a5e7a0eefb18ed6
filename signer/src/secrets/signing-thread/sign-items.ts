/**
 * One item of a batch, as partner or as lead. A thread trusts the main thread with policy, and with
 * nothing it can check itself: it verifies the caller's assertion, the other party's contribution and the
 * finished signature.
 */
import { isAsserted } from '@countersign/core/caller-key.js';
import { sodium } from '@countersign/custody/sodium.js';
import { isIdentifier, SIGNATURE_BYTES, wipeNonces } from '../frost/frost-ed25519.js';
import { FROST_SCHEME } from '../frost/frost-key-share.js';
import { RSA_SHARE_SCHEME } from '../../threads/rsa-public-values.js';
import { frostContribution, frostSignature } from '../maths/frost-maths.js';
import { HMAC_SCHEME, hmacContribution, hmacSignature } from '../maths/hmac-maths.js';
import { MathsRefusal } from '../maths/maths-refusal.js';
import { rsaContribution, rsaSignature } from '../maths/rsa-maths.js';
import { openShare } from '../sealing/share-seal.js';
import type {
  CallerEvidence,
  CombinedSignature,
  LeadItem,
  LeadMathsInput,
  LeadResult,
  PartnerItem,
  PartnerMathsInput,
  PartnerRefusal,
  PartnerResult,
  RefusalReason,
  StoredKey,
} from '../../threads/thread-tasks.js';
import type { ThreadState } from './thread-state.js';

const DIGEST_BYTES = 32;

/** Names each form of secret where it is sealed. */
export const SHARE_SCHEMES = {
  ed25519: FROST_SCHEME,
  rsa: RSA_SHARE_SCHEME,
  hmac: HMAC_SCHEME,
} as const;

export async function signAsPartner(state: ThreadState, item: PartnerItem): Promise<PartnerResult> {
  try {
    if (!isAskedFor(item.evidence)) return { ok: false, reason: 'assertion' };
    return { ok: true, contribution: await contribute(state, item) };
  } catch (error) {
    const reason = reasonOf(error);
    return { ok: false, reason: isPartnerRefusal(reason) ? reason : 'fault' };
  }
}

export async function signAsLead(state: ThreadState, item: LeadItem): Promise<LeadResult> {
  try {
    if (!isAskedFor(item.evidence)) {
      // whatever becomes of the item, its nonces are used up
      dropNonces(state, item);
      return { ok: false, reason: 'assertion' };
    }
    return { ok: true, ...(await combine(state, item)) };
  } catch (error) {
    const reason = reasonOf(error);
    return reason === 'partner-share'
      ? { ok: false, reason, culprit: item.partnerParty }
      : { ok: false, reason };
  }
}

/** The partner's maths. Throws `MathsRefusal`. */
export async function contribute(
  state: ThreadState,
  input: PartnerMathsInput,
): Promise<Uint8Array> {
  requireOtherParty(state, input.leadParty);
  return withOpenedShare(state, input.key, (opened) => {
    switch (input.key.type) {
      case 'ed25519':
        return frostContribution(state.party, opened, input);
      case 'rsa':
        return rsaContribution(state.party, opened, input, state.rsaModuli);
      case 'hmac':
        return hmacContribution(state.party, opened, input);
    }
  });
}

/** The lead's maths. Throws `MathsRefusal`. */
export async function combine(
  state: ThreadState,
  input: LeadMathsInput,
): Promise<CombinedSignature> {
  try {
    requireOtherParty(state, input.partnerParty);
    return await withOpenedShare(state, input.key, (opened): CombinedSignature => {
      switch (input.key.type) {
        case 'ed25519': {
          const signature = frostSignature(state.party, opened, input, state.noncePool);
          return { signature, passphrase: '' };
        }
        case 'rsa': {
          const signature = rsaSignature(state.party, opened, input, state.rsaModuli);
          return { signature, passphrase: '' };
        }
        case 'hmac':
          return hmacSignature(state.party, opened, input);
      }
    });
  } finally {
    dropNonces(state, input);
  }
}

/** Nonces that were not taken are never used again. */
function dropNonces(state: ThreadState, { key, slot, serial }: LeadMathsInput): void {
  if (key.type !== 'ed25519') return;
  const nonces = state.noncePool.take(slot, serial);
  if (nonces !== undefined) wipeNonces(nonces);
}

function isAskedFor({ digest, assertion, callerKey }: CallerEvidence): boolean {
  return digest.length === DIGEST_BYTES && isAsserted(callerKey, digest, assertion);
}

function requireOtherParty(state: ThreadState, party: number): void {
  if (!isIdentifier(party) || party === state.party) throw new MathsRefusal('commitment');
}

/** Opens the share for one use and wipes it. Throws `MathsRefusal` `share` when it does not open. */
async function withOpenedShare<T>(
  state: ThreadState,
  { keyId, version, type, wrappedDek, sealed }: StoredKey,
  use: (opened: Uint8Array) => T,
): Promise<T> {
  const scheme = SHARE_SCHEMES[type];
  const aad = { purpose: 'key share', keyId, party: state.party, scheme, version } as const;
  let opened: Uint8Array;
  try {
    opened = await openShare({ kek: state.kek, aad, wrappedDek, sealed });
  } catch (cause) {
    throw new MathsRefusal('share', { cause });
  }
  try {
    return use(opened);
  } finally {
    sodium.sodium_memzero(opened);
  }
}

/** Why the maths of an item failed: what nobody foresaw is a fault. */
export function reasonOf(error: unknown): RefusalReason {
  return error instanceof MathsRefusal ? error.reason : 'fault';
}

function isPartnerRefusal(reason: RefusalReason): reason is PartnerRefusal {
  return reason === 'assertion' || reason === 'commitment' || reason === 'share';
}

/** 64 bytes. */
export function signWithIdentity(state: ThreadState, message: Uint8Array): Uint8Array {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  sodium.crypto_sign_detached(signature, message, state.identitySecretKey);
  return signature;
}
