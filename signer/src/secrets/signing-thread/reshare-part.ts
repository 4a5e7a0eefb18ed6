/**
 * A party's part in a resharing. What it draws and takes stays in this thread between the rounds, and what the other
 * parties say is checked here. A fault of theirs is a result, since an error loses its fields on the way to the main
 * thread.
 */
import { sodium } from '@countersign/custody/sodium.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { ResharingError } from '../../threads/resharing-error.js';
import type {
  FromParty,
  OwnDeal,
  ResharingContext,
  ResharingDeal,
  ResharingFault,
  ResharingFinishInput,
  ResharingRevealInput,
  ResharingTakeInput,
  TakenResult,
} from '../../threads/resharing-tasks.js';
import type {
  BeginResharingInput,
  CompletedShare,
  ResharedResult,
  StoredKey,
} from '../../threads/thread-tasks.js';
import { dealTranscript, dealWord, HASH_BYTES, sharesHash } from '../resharing/deal-words.js';
import type { Dealing, ResharingPlace, TakenShare } from '../resharing/dealing.js';
import { dealFrost, takeFrost } from '../resharing/frost-resharing.js';
import { HMAC_PARTS } from '../resharing/hmac-parts.js';
import {
  dealReplicated,
  takeReplicated,
  type ReplicatedForm,
} from '../resharing/replicated-resharing.js';
import { RSA_PARTS } from '../resharing/rsa-parts.js';
import { openShare, sealShare } from '../sealing/share-seal.js';
import { SHARE_SCHEMES } from './opened-share.js';
import type { Resharing } from './resharings.js';
import type { ThreadState } from './thread-state.js';

interface Form {
  /** `opened`: the old share, which the caller wipes. */
  deal(place: ResharingPlace, opened: Uint8Array): Dealing;
  /** For a party that deals nothing. */
  take(place: ResharingPlace, deals: readonly ResharingDeal[]): TakenShare;
}

const FORMS: Readonly<Record<KeyType, Form>> = {
  ed25519: { deal: dealFrost, take: takeFrost },
  rsa: replicated(RSA_PARTS),
  hmac: replicated(HMAC_PARTS),
};

function replicated(form: ReplicatedForm): Form {
  return {
    deal: (place, opened) => dealReplicated(form, place, opened),
    take: (place, deals) => takeReplicated(form, place, deals),
  };
}

/**
 * Begins a resharing. Returns a dealer's word, which binds it before it sees the other's deal, and nothing at the third
 * party. Rejects when a dealer's share does not open, or is damaged.
 */
export async function beginResharing(
  state: ThreadState,
  { context, old }: BeginResharingInput,
): Promise<Uint8Array | undefined> {
  const { session, dealers } = context;
  state.resharings.requireRoom(session);
  const place = { self: state.party, context };
  const dealing = dealers.includes(state.party) ? await dealOld(state, place, old) : undefined;
  state.resharings.open(session, { ...place, dealing, words: [], taken: undefined });
  return dealing && Uint8Array.from(dealWord(context, state.party, dealing.published));
}

/** Takes the words of the others. Only then does a dealer show what it deals. */
export function revealDeal(
  { resharings }: ThreadState,
  { session, words }: ResharingRevealInput,
): OwnDeal | undefined {
  return resharings.step(session, (resharing) => {
    const { self, dealing } = resharing;
    if (resharing.words.length > 0) throw new Error('a deal is shown once');
    resharing.words = wordsOfOthers(resharing, words);
    if (dealing === undefined) return undefined;
    const others = ([1, 2, 3] as const).filter((party) => party !== self);
    return {
      published: dealing.published,
      pieces: others.map((party) => ({ party, bytes: dealing.pieceFor(party) })),
    };
  });
}

export function takeNewShare(
  { resharings }: ThreadState,
  { session, deals }: ResharingTakeInput,
): TakenResult {
  return orFault(() =>
    resharings.step(session, (resharing) => {
      const { dealing, context } = resharing;
      for (const { party, bytes } of resharing.words) {
        const published = deals.find(({ dealer }) => dealer === party)?.published;
        const isAsSaid =
          published !== undefined &&
          Buffer.compare(dealWord(context, party, published), bytes) === 0;
        if (!isAsSaid)
          throw new ResharingError(`party ${party} dealt something else than it said`, party);
      }
      const inOrder = context.dealers.flatMap(
        (dealer) => deals.find((deal) => deal.dealer === dealer) ?? [],
      );
      const share =
        dealing === undefined
          ? FORMS[context.type].take(resharing, inOrder)
          : dealing.take(inOrder[0]!);
      const transcript = dealTranscript(context, publishedInOrder(resharing, inOrder));
      resharing.taken = { share, transcript };
      return {
        ok: true,
        statement: Uint8Array.from(Buffer.concat([transcript, share.statement])),
      };
    }),
  );
}

/** Compares what all say of the new shares, and seals this party's. */
export async function finishResharing(
  state: ThreadState,
  { session, statements }: ResharingFinishInput,
): Promise<ResharedResult> {
  try {
    const finished = orFault(() =>
      state.resharings.step(session, (resharing) => ({
        ok: true as const,
        context: resharing.context,
        ...compared(resharing, statements),
      })),
    );
    if (!finished.ok) return finished;
    return { ok: true, ...(await sealNew(state, finished)) };
  } finally {
    state.resharings.end(session);
  }
}

async function dealOld(
  state: ThreadState,
  place: ResharingPlace,
  old: StoredKey | undefined,
): Promise<Dealing> {
  const { keyId, type } = place.context;
  if (old?.keyId !== keyId || old.type !== type) {
    throw new Error(`a dealer has no share of key ${keyId}`);
  }
  const { version, wrappedDek, sealed } = old;
  const scheme = SHARE_SCHEMES[type];
  const aad = { purpose: 'key share', keyId, party: state.party, scheme, version } as const;
  const opened = await openShare({ kek: state.kek, aad, wrappedDek, sealed });
  try {
    return FORMS[type].deal(place, opened);
  } finally {
    sodium.sodium_memzero(opened);
  }
}

function wordsOfOthers(
  { self, context }: ResharingPlace,
  words: readonly FromParty[],
): readonly FromParty[] {
  const others = context.dealers.filter((dealer) => dealer !== self);
  const isWhole =
    words.length === others.length &&
    words.every(({ party, bytes }) => others.includes(party) && bytes.length === HASH_BYTES) &&
    new Set(words.map(({ party }) => party)).size === others.length;
  if (!isWhole) throw new Error('the words of the other dealers are needed');
  return words;
}

/** Of both dealers, this party's own too. */
function publishedInOrder(
  { self, context, dealing }: Resharing,
  deals: readonly ResharingDeal[],
): Uint8Array[] {
  return context.dealers.map((dealer) =>
    dealer === self ? dealing!.published : deals.find((deal) => deal.dealer === dealer)!.published,
  );
}

function compared({ taken }: Resharing, statements: readonly FromParty[]) {
  if (taken === undefined) throw new Error('no new share was taken');
  const { share, transcript } = taken;
  const said = new Map<PartyNumber, Uint8Array>();
  for (const { party, bytes } of statements) {
    if (Buffer.compare(bytes.subarray(0, HASH_BYTES), transcript) !== 0) {
      throw new ResharingError(`this party and party ${party} were not dealt the same, it says`);
    }
    said.set(party, bytes.subarray(HASH_BYTES));
  }
  if (said.size !== 2) throw new Error('the statements of both others are needed');
  const { secret, publicValues } = share.finish(said);
  return { secret, transcriptHash: Uint8Array.from(sharesHash(transcript, publicValues)) };
}

interface Finished {
  readonly context: ResharingContext;
  readonly secret: Uint8Array;
  readonly transcriptHash: Uint8Array;
}

async function sealNew(
  { kek, party }: ThreadState,
  { context, secret, transcriptHash }: Finished,
): Promise<CompletedShare> {
  const { keyId, version, type, publicKey } = context;
  const scheme = SHARE_SCHEMES[type];
  const aad = { purpose: 'key share', keyId, party, scheme, version } as const;
  try {
    return { ...(await sealShare({ kek, aad, secret })), scheme, publicKey, transcriptHash };
  } finally {
    sodium.sodium_memzero(secret);
  }
}

function orFault<T>(run: () => T): T | ResharingFault {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ResharingError)) throw error;
    return { ok: false, reason: error.message, party: error.party };
  }
}
