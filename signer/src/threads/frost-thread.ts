/**
 * The code of a signing thread: what piscina runs for each task.
 *
 * All that is secret stays on this side: the KEK and the identity seed are read from their files here,
 * shares are opened here for one use each and wiped, nonces are drawn here. A thread trusts the main
 * thread with policy, and with nothing it can check itself: it verifies the caller's assertion, the other
 * party's points and the finished signature.
 */
import { createHmac } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { verifyEd25519 } from '@countersign/shared/ed25519.js';
import { sodium } from '@countersign/shared/sodium.js';
import {
  commit,
  COMMITMENT_BYTES,
  isIdentifier,
  POINT_BYTES,
  SIGNATURE_BYTES,
  signAndAggregate,
  signShare,
  wipeNonces,
  type Identifier,
  type NonceCommitment,
  type SigningNonces,
} from '../frost/frost-ed25519.js';
import { FrostError } from '../frost/frost-error.js';
import {
  decodeKeyShare,
  encodeKeyShare,
  FROST_SCHEME,
  type FrostKeyShare,
} from '../frost/frost-key-share.js';
import { NoncePool } from '../frost/nonce-pool.js';
import { frostSelfTest } from '../frost/self-test.js';
import { createDkgSessions, type DkgSessions } from './dkg-sessions.js';
import { openFileKek } from './file-kek.js';
import type {
  CallerEvidence,
  DkgRound3Input,
  FrostTask,
  FrostTaskResults,
  FrostThreadData,
  GeneratedFrostKey,
  LeadItem,
  LeadResult,
  NonceSlot,
  PartnerItem,
  PartnerRefusal,
  PartnerResult,
  RefusalReason,
  StoredFrostKey,
} from './frost-tasks.js';
import { readSecretFile } from './secret-file.js';
import {
  openShare,
  randomSecret,
  sealShare,
  type KeyEncryptionKey,
  type ShareContext,
} from './share-seal.js';

const DIGEST_BYTES = 32;
const SEED_BYTES = 32;
const HEDGE_DOMAIN = 'countersign nonce hedge v1';
const DKG_SESSION_LIMIT = 64;
const DKG_SESSION_LIFETIME_MS = 120_000;

interface ThreadState {
  readonly party: Identifier;
  readonly kek: KeyEncryptionKey;
  readonly identityPublicKey: Uint8Array;
  /** Seed ‖ public key, 64 bytes, as libsodium wants it. */
  readonly identitySecretKey: Uint8Array;
  readonly noncePool: NoncePool;
  readonly dkgSessions: DkgSessions;
}

let threadState: ThreadState | undefined;

/** Runs one task. A task that cannot run at all rejects; a bad item inside a batch only answers `ok: false`. */
export default async function runFrostTask(
  task: FrostTask,
): Promise<FrostTaskResults[FrostTask['kind']]> {
  // Not at import: a thread that cannot start would be respawned for ever, where a task that rejects
  // tells its caller why.
  threadState ??= openThreadState(workerData as FrostThreadData);
  const state = threadState;
  switch (task.kind) {
    case 'identify':
      return {
        party: state.party,
        identityPublicKey: state.identityPublicKey,
        kekId: state.kek.id,
      };
    case 'commit':
      return commitSlots(state, task.slots);
    case 'partner':
      return inOrder(task.items, (item) => signAsPartner(state, item));
    case 'lead':
      return inOrder(task.items, (item) => signAsLead(state, item));
    case 'sign-identity':
      return task.messages.map((message) => signWithIdentity(state, message));
    case 'dkg-round1':
      return state.dkgSessions.roundOne(task.sessionId);
    case 'dkg-round2':
      return state.dkgSessions.roundTwo(task.sessionId, task.roundOnePackages);
    case 'dkg-round3':
      return finishDkg(state, task);
  }
}

function openThreadState(data: FrostThreadData): ThreadState {
  if (!isIdentifier(data.party)) throw new RangeError(`no party ${String(data.party)}`);
  frostSelfTest();
  const kek = openFileKek(data.kekFile);
  const seed = readSecretFile(data.identitySeedFile, SEED_BYTES);
  const identityPublicKey = new Uint8Array(POINT_BYTES);
  const identitySecretKey = new Uint8Array(SEED_BYTES + POINT_BYTES);
  sodium.crypto_sign_seed_keypair(identityPublicKey, identitySecretKey, seed);
  const hedgeSecret = deriveHedgeSecret(seed);
  sodium.sodium_memzero(seed);
  return {
    party: data.party,
    kek,
    identityPublicKey,
    identitySecretKey,
    noncePool: new NoncePool(data.nonceMemory, hedgeSecret),
    dkgSessions: createDkgSessions({
      identifier: data.party,
      limit: DKG_SESSION_LIMIT,
      lifetimeMs: DKG_SESSION_LIFETIME_MS,
    }),
  };
}

/**
 * The secret hashed into pool nonces, where RFC 9591 has the signing share. It rests on the identity seed,
 * so that it stays secret should the random source fail, and on fresh randomness, so that no two threads
 * share it.
 */
function deriveHedgeSecret(seed: Uint8Array): Uint8Array {
  const freshness = randomSecret(32);
  return createHmac('sha512', seed).update(HEDGE_DOMAIN).update(freshness).digest();
}

function commitSlots(state: ThreadState, slots: readonly NonceSlot[]): Uint8Array {
  const packed = new Uint8Array(slots.length * COMMITMENT_BYTES);
  slots.forEach(({ slot, serial }, index) =>
    packed.set(state.noncePool.fill(slot, serial), index * COMMITMENT_BYTES),
  );
  return packed;
}

async function signAsPartner(state: ThreadState, item: PartnerItem): Promise<PartnerResult> {
  try {
    if (!isAsserted(item.evidence)) return { ok: false, reason: 'assertion' };
    if (!isOtherParty(state, item.leadParty, item.leadCommitment)) {
      return { ok: false, reason: 'commitment' };
    }
    return await withKeyShare(state, item.key, (share): PartnerResult => {
      // Made and used in one go, so a partner has no nonces that could be asked for twice.
      const nonces = commit(share.signingShare);
      const own = { identifier: state.party, commitment: nonces.commitment };
      const signatureShare = signShare({
        identifier: state.party,
        signingShare: share.signingShare,
        groupPublicKey: share.groupPublicKey,
        nonces,
        commitments: inIdentifierOrder(own, {
          identifier: item.leadParty,
          commitment: item.leadCommitment,
        }),
        message: item.message,
        ...(item.scheme !== undefined && { scheme: item.scheme }),
      });
      return {
        ok: true,
        ownCommitment: nonces.commitment,
        signatureShare,
        ...(item.receiptBytes !== undefined && {
          receiptSignature: signWithIdentity(state, item.receiptBytes),
        }),
      };
    });
  } catch (error) {
    const reason = reasonOf(error);
    return { ok: false, reason: isPartnerRefusal(reason) ? reason : 'fault' };
  }
}

async function signAsLead(state: ThreadState, item: LeadItem): Promise<LeadResult> {
  let nonces: SigningNonces | undefined;
  try {
    // First of all: whatever becomes of the item, its nonces are used up.
    nonces = state.noncePool.take(item.slot, item.serial);
    if (!isAsserted(item.evidence)) return { ok: false, reason: 'assertion' };
    if (nonces === undefined) return { ok: false, reason: 'nonce-gone' };
    if (!isOtherParty(state, item.partnerParty, item.partnerCommitment)) {
      return { ok: false, reason: 'commitment' };
    }
    // A receipt that its partner did not sign would prove nothing to whoever is given it.
    if (!isPartnersReceipt(item)) return { ok: false, reason: 'partner-receipt' };
    const ownNonces = nonces;
    return await withKeyShare(state, item.key, (share): LeadResult => {
      const own = { identifier: state.party, commitment: ownNonces.commitment };
      const signature = signAndAggregate({
        identifier: state.party,
        signingShare: share.signingShare,
        groupPublicKey: share.groupPublicKey,
        verifyingShares: share.verifyingShares,
        nonces: ownNonces,
        commitments: inIdentifierOrder(own, {
          identifier: item.partnerParty,
          commitment: item.partnerCommitment,
        }),
        message: item.message,
        ...(item.scheme !== undefined && { scheme: item.scheme }),
        otherSignatureShare: item.partnerShare,
      });
      return { ok: true, signature, receiptSignature: signWithIdentity(state, item.receiptBytes) };
    });
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== 'partner-share') return { ok: false, reason };
    // Blame only what was shown: a share of ours that fails its own check is our defect, and so is a sum
    // that fails although both shares pass.
    const culprits = error instanceof FrostError ? error.culprits : [];
    return culprits.includes(item.partnerParty) && !culprits.includes(state.party)
      ? { ok: false, reason: 'partner-share', culprit: item.partnerParty }
      : { ok: false, reason: 'share' };
  } finally {
    if (nonces !== undefined) wipeNonces(nonces);
  }
}

function isPartnerRefusal(reason: RefusalReason): reason is PartnerRefusal {
  return reason === 'assertion' || reason === 'commitment' || reason === 'share';
}

function isPartnersReceipt(item: LeadItem): boolean {
  return verifyEd25519(item.partnerIdentityKey, item.receiptBytes, item.partnerReceiptSignature);
}

/** Maps what a signing step threw to a reason. */
function reasonOf(error: unknown): RefusalReason {
  if (error instanceof KeyShareError) return 'share';
  if (!(error instanceof FrostError)) return 'fault';
  switch (error.code) {
    case 'invalid_commitment':
      return 'commitment';
    case 'invalid_share':
      return 'partner-share';
    case 'spent_nonce':
      return 'nonce-gone';
    case 'invalid_input':
    case 'invalid_package':
      return 'fault';
  }
}

function isAsserted({ digest, assertion, callerPublicKey }: CallerEvidence): boolean {
  return digest.length === DIGEST_BYTES && verifyEd25519(callerPublicKey, digest, assertion);
}

/** The shape of the other party's entry. Its points are checked where they enter the arithmetic. */
function isOtherParty(state: ThreadState, party: number, commitment: Uint8Array): boolean {
  return isIdentifier(party) && party !== state.party && commitment.length === COMMITMENT_BYTES;
}

function inIdentifierOrder(own: NonceCommitment, other: NonceCommitment): NonceCommitment[] {
  return own.identifier < other.identifier ? [own, other] : [other, own];
}

/** This party's own share cannot be used. */
class KeyShareError extends Error {}

/** Opens the share for one use and wipes it. Throws `KeyShareError` when it is not this key's. */
async function withKeyShare<T>(
  state: ThreadState,
  key: StoredFrostKey,
  use: (share: FrostKeyShare) => T,
): Promise<T> {
  let opened: Uint8Array | undefined;
  try {
    let share: FrostKeyShare;
    try {
      opened = await openShare({
        kek: state.kek,
        aad: shareContext(state, key),
        wrappedDek: key.wrappedDek,
        sealed: key.sealed,
      });
      share = decodeKeyShare(opened);
    } catch (cause) {
      throw new KeyShareError('the share does not open', { cause });
    }
    if (
      share.identifier !== state.party ||
      Buffer.compare(share.groupPublicKey, key.groupPublicKey) !== 0
    ) {
      throw new KeyShareError('the share is not of this key');
    }
    return use(share);
  } finally {
    if (opened !== undefined) sodium.sodium_memzero(opened);
  }
}

async function finishDkg(state: ThreadState, task: DkgRound3Input): Promise<GeneratedFrostKey> {
  const result = state.dkgSessions.roundThree(
    task.sessionId,
    task.roundOnePackages,
    task.roundTwoPackages,
  );
  const encoded = encodeKeyShare(result);
  sodium.sodium_memzero(result.signingShare);
  try {
    const sealed = await sealShare({
      kek: state.kek,
      aad: shareContext(state, task),
      secret: encoded,
    });
    return {
      ...sealed,
      groupPublicKey: result.groupPublicKey,
      verifyingShares: result.verifyingShares,
      transcriptHash: result.transcriptHash,
    };
  } finally {
    sodium.sodium_memzero(encoded);
  }
}

function shareContext(
  state: ThreadState,
  key: { readonly keyId: string; readonly version: number },
): ShareContext {
  return { keyId: key.keyId, party: state.party, scheme: FROST_SCHEME, version: key.version };
}

function signWithIdentity(state: ThreadState, message: Uint8Array): Uint8Array {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  sodium.crypto_sign_detached(signature, message, state.identitySecretKey);
  return signature;
}

/** One at a time: a thread has one core, and an opened share should live as briefly as possible. */
async function inOrder<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}
