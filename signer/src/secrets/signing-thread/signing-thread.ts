/**
 * The code of a signing thread: what piscina runs for each task.
 *
 * All that is secret stays on this side. The KEK and the identity seed are read from their files here, and nonces are
 * drawn here. Shares are opened here, one at a time for the items of one task, and wiped.
 */
import { workerData } from 'node:worker_threads';
import { sodium } from '@countersign/custody/sodium.js';
import { COMMITMENT_BYTES } from '../frost/frost-ed25519.js';
import { encodeKeyShare, FROST_SCHEME } from '../frost/frost-key-share.js';
import { KekError } from '../kek/kek-provider.js';
import { makeRecipient, openImport } from './import-part.js';
import { beginResharing, finishResharing, revealDeal, takeNewShare } from './reshare-part.js';
import { resealRsaShare } from './reseal-rsa-share.js';
import { sealShare } from '../sealing/share-seal.js';
import { keyByKey, withOpenedShares } from './opened-share.js';
import { signAsLead, signAsPartner, signWithIdentity } from './sign-items.js';
import { openThreadState, type ThreadState } from './thread-state.js';
import { contributeToTrial, leadTrial } from './trial-part.js';
import type {
  CompletedShare,
  DkgRound3Input,
  KekCheck,
  NonceSlot,
  ThreadData,
  ThreadTask,
  ThreadTaskResults,
} from '../../threads/thread-tasks.js';

let threadState: ThreadState | undefined;

/** Runs one task. A task that cannot run at all rejects; a bad item inside a batch only answers `ok: false`. */
export default async function runThreadTask(
  task: ThreadTask,
): Promise<ThreadTaskResults[ThreadTask['kind']]> {
  if (task.kind === 'identify') return identify();
  const state = await openedState();
  switch (task.kind) {
    case 'commit':
      return commitSlots(state, task.slots);
    case 'partner':
      return withOpenedShares(state, (share) =>
        keyByKey(task.items, (item) => signAsPartner(state, share, item)),
      );
    case 'lead':
      return withOpenedShares(state, (share) =>
        keyByKey(task.items, (item) => signAsLead(state, share, item)),
      );
    case 'open-exchange-key':
      return giveExchangeKey(state, task.into);
    case 'check-kek':
      return checkKek(state);
    case 'sign-identity':
      return task.messages.map((message) => signWithIdentity(state, message));
    case 'trial-partner':
      return contributeToTrial(state, task);
    case 'trial-lead':
      return leadTrial(state, task);
    case 'make-recipient':
      return makeRecipient(state, task.recipientId);
    case 'open-import':
      return openImport(state, task);
    case 'reseal':
      return resealRsaShare(state, task);
    default:
      return takeRound(state, task);
  }
}

type RoundOf<Kind extends ThreadTask['kind']> = Extract<ThreadTask, { readonly kind: Kind }>;
type CeremonyRound = RoundOf<
  | 'dkg-round1'
  | 'dkg-round2'
  | 'dkg-round3'
  | 'begin-resharing'
  | 'reveal-deal'
  | 'take-new-share'
  | 'finish-resharing'
>;

/** Runs one round with the other parties, whose session this thread keeps. */
async function takeRound(
  state: ThreadState,
  task: CeremonyRound,
): Promise<ThreadTaskResults[CeremonyRound['kind']]> {
  switch (task.kind) {
    case 'dkg-round1':
      return state.dkgSessions.roundOne(task.sessionId);
    case 'dkg-round2':
      return state.dkgSessions.roundTwo(task.sessionId, task.roundOnePackages);
    case 'dkg-round3':
      return finishDkg(state, task);
    case 'begin-resharing':
      return beginResharing(state, task);
    case 'reveal-deal':
      return revealDeal(state, task);
    case 'take-new-share':
      return takeNewShare(state, task);
    case 'finish-resharing':
      return finishResharing(state, task);
  }
}

async function checkKek({ kek, reopenKek }: ThreadState): Promise<KekCheck> {
  try {
    const { id } = await reopenKek();
    if (id === kek.id) return { ok: true };
    return { ok: false, reason: `it is ${id} by now, and was ${kek.id}`, isFinal: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, reason, isFinal: error instanceof KekError && error.isFinal };
  }
}

/** Not at import: a thread that cannot start would be respawned for ever, where a task that rejects tells its caller why. */
async function openedState(): Promise<ThreadState> {
  threadState ??= await openThreadState(workerData as ThreadData);
  return threadState;
}

async function identify(): Promise<ThreadTaskResults['identify']> {
  try {
    const { party, identityPublicKey, kek } = await openedState();
    return { party, identityPublicKey, kekId: kek.id };
  } catch (error) {
    // an error loses its class on its way out
    if (error instanceof KekError && error.isFinal) return { unfit: error.message };
    throw error;
  }
}

function giveExchangeKey(state: ThreadState, into: SharedArrayBuffer): undefined {
  const key = state.openExchangeKey();
  new Uint8Array(into).set(key);
  sodium.sodium_memzero(key);
}

function commitSlots(state: ThreadState, slots: readonly NonceSlot[]): Uint8Array {
  const packed = new Uint8Array(slots.length * COMMITMENT_BYTES);
  slots.forEach(({ slot, serial }, index) =>
    packed.set(state.noncePool.fill(slot, serial), index * COMMITMENT_BYTES),
  );
  return packed;
}

async function finishDkg(state: ThreadState, task: DkgRound3Input): Promise<CompletedShare> {
  const result = state.dkgSessions.roundThree(
    task.sessionId,
    task.roundOnePackages,
    task.roundTwoPackages,
  );
  const encoded = encodeKeyShare(result);
  sodium.sodium_memzero(result.signingShare);
  const { keyId, version } = task;
  try {
    const sealed = await sealShare({
      kek: state.kek,
      aad: { purpose: 'key share', keyId, party: state.party, scheme: FROST_SCHEME, version },
      secret: encoded,
    });
    return {
      ...sealed,
      scheme: FROST_SCHEME,
      publicKey: result.groupPublicKey,
      transcriptHash: result.transcriptHash,
    };
  } finally {
    sodium.sodium_memzero(encoded);
  }
}
