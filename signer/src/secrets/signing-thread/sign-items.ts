/**
 * Signs one item of a batch, as partner or as lead. A thread trusts the main thread with policy, and with nothing it
 * can check itself: it verifies the caller's assertion, the other party's contribution and the finished signature.
 */
import { sodium } from '@countersign/custody/sodium.js';
import { isIdentifier, SIGNATURE_BYTES, wipeNonces } from '../frost/frost-ed25519.js';
import { frostContribution, frostSignature } from '../maths/frost-maths.js';
import { hmacContribution, hmacSignature } from '../maths/hmac-maths.js';
import { MathsRefusal } from '../maths/maths-refusal.js';
import { rsaContribution, rsaSignature } from '../maths/rsa-maths.js';
import { completedStatement } from '../../threads/lone-statement.js';
import type {
  CombinedSignature,
  LeadItem,
  LeadMathsInput,
  LeadResult,
  PartnerItem,
  PartnerMathsInput,
  PartnerRefusal,
  PartnerResult,
  RefusalReason,
} from '../../threads/thread-tasks.js';
import type { OpenedShare } from './opened-share.js';
import type { ThreadState } from './thread-state.js';

export async function signAsPartner(
  state: ThreadState,
  share: OpenedShare,
  item: PartnerItem,
): Promise<PartnerResult> {
  try {
    if (!state.isAskedFor(item.evidence)) return { ok: false, reason: 'assertion' };
    const contribution = await contribute(state, share, item);
    const { statement } = item;
    if (statement === undefined) return { ok: true, contribution };
    return { ok: true, contribution, said: signWithIdentity(state, statement) };
  } catch (error) {
    const reason = reasonOf(error);
    return { ok: false, reason: isPartnerRefusal(reason) ? reason : 'fault' };
  }
}

export async function signAsLead(
  state: ThreadState,
  share: OpenedShare,
  item: LeadItem,
): Promise<LeadResult> {
  try {
    if (!state.isAskedFor(item.evidence)) {
      // whatever becomes of the item, its nonces are used up
      dropNonces(state, item);
      return { ok: false, reason: 'assertion' };
    }
    const combined = await combine(state, share, item);
    const { statement } = item;
    if (statement === undefined) return { ok: true, ...combined };
    const message = completedStatement(statement, combined.signature);
    return { ok: true, ...combined, said: signWithIdentity(state, message) };
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
  share: OpenedShare,
  input: PartnerMathsInput,
): Promise<Uint8Array> {
  requireOtherParty(state, input.leadParty);
  const opened = await share.of(input.key);
  switch (input.key.type) {
    case 'ed25519':
      return frostContribution(state.party, opened, input);
    case 'rsa':
      return rsaContribution(state.party, opened, input, state.rsaModuli);
    case 'hmac':
      return hmacContribution(state.party, opened, input);
  }
}

/** The lead's maths. Throws `MathsRefusal`. */
export async function combine(
  state: ThreadState,
  share: OpenedShare,
  input: LeadMathsInput,
): Promise<CombinedSignature> {
  try {
    requireOtherParty(state, input.partnerParty);
    const opened = await share.of(input.key);
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

function requireOtherParty(state: ThreadState, party: number): void {
  if (!isIdentifier(party) || party === state.party) throw new MathsRefusal('commitment');
}

/** Why the maths of an item failed: an unforeseen error is a fault. */
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
