/**
 * The one voice of a party about the ledger: countersigns what its fold has pinned, and says that it obeys a freeze
 * once nothing can leave the party any more that was decided before it.
 */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  acknowledgementMessage,
  countersignatureMessage,
  type Countersignature,
} from '@countersign/core/party-words.js';
import { createLatestRun } from '@countersign/runtime/ledger/latest-run.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { encodeAcknowledgement, encodeCountersignature } from '@countersign/vault/ledger/entry.js';
import { isFreeze } from '@countersign/vault/ledger/logged-entry.js';
import { nextCountersignature } from '@countersign/vault/ledger/next-countersignature.js';
import type { ThreadPools } from '../threads/thread-pools.js';

/** A word that has not come back from the ledger by then is lost: it is given again. */
const LOST_AFTER_MS = 2_000;
const LOOK_EVERY_MS = 250;
/** Two words are enough: the party whose turn it is not gives the others this time first. */
const LAST_IN_TURN_MS = 25;

export interface KeeperDeps {
  readonly party: PartyNumber;
  readonly newestRules: number;
  readonly follower: Pick<LedgerFollower, 'view' | 'fault' | 'onOutcomes'>;
  readonly ledger: Pick<LedgerStore, 'append'>;
  readonly threads: Pick<ThreadPools, 'signIdentity'>;
  readonly logger: Logger;
  readonly now: () => number;
  /** Sequence number of the newest freeze that two parties have judged; 0 for none. */
  newestFreeze(): number;
  /** Whether nothing can leave the party any more that was decided before entry `seq` was seen. */
  isCleared(seq: number): boolean;
}

export interface Keeper {
  /** Looks at once whether a word is due. */
  look(): void;
  stop(): Promise<void>;
}

export function openKeeper(deps: KeeperDeps): Keeper {
  const { party, follower, logger } = deps;
  const said: Said = { countersigned: undefined, at: 0, obeyed: 0, freeze: 0 };
  const turns = createLatestRun(() => speak(deps, said));
  let lastTurn: NodeJS.Timeout | undefined;

  function look(): void {
    if (follower.fault !== undefined) return;
    turns.run().catch((error: unknown) => {
      logger.warn({ event: 'word_not_given', reason: String(error) }, 'no word given');
    });
  }

  follower.onOutcomes(() => {
    noteFreezes(deps, said);
    const { pending } = follower.view;
    const newest = pending.at(-1)?.seq ?? 0;
    if ((newest + party) % PARTY_NUMBERS.length !== 0 || said.freeze > said.obeyed) return look();
    lastTurn ??= setTimeout(() => {
      lastTurn = undefined;
      look();
    }, LAST_IN_TURN_MS);
  });
  const timer = setInterval(look, LOOK_EVERY_MS);
  look();
  return {
    look,
    async stop() {
      clearInterval(timer);
      clearTimeout(lastTurn);
      await turns.settle();
    },
  };
}

/** What this keeper has said since it started, whether or not the ledger shows it yet. */
interface Said {
  countersigned: Countersignature | undefined;
  /** When, ms. */
  at: number;
  /** Up to which entry it said that the party obeys. */
  obeyed: number;
  /** The newest freeze that was seen. */
  freeze: number;
}

/** An accepted freeze: what {@link KeeperDeps.newestFreeze} is the newest of. */
export function isFreezeInForce({ operation, refusal }: EntryOutcome): boolean {
  return operation?.action === 'freeze' && refusal === undefined;
}

function noteFreezes({ follower, newestFreeze }: KeeperDeps, said: Said): void {
  const waiting = follower.view.pending.findLast(isFreeze)?.seq ?? 0;
  said.freeze = Math.max(said.freeze, newestFreeze(), waiting);
}

async function speak(deps: KeeperDeps, said: Said): Promise<void> {
  noteFreezes(deps, said);
  const countersignature = dueCountersignature(deps, said);
  if (countersignature !== undefined) await countersign(deps, said, countersignature);
  await acknowledge(deps, said);
}

function dueCountersignature(
  { party, newestRules, follower, now }: KeeperDeps,
  { countersigned, at }: Said,
): Countersignature | undefined {
  const { view } = follower;
  const seen = view.countersignatures.get(party);
  const isThere = countersigned?.seq === seen?.seq && countersigned?.at === seen?.at;
  const isLost = !isThere && now() - at > LOST_AFTER_MS;
  const spoken = newerOf(seen, isLost ? undefined : countersigned);
  return nextCountersignature(view, { party, newestRules, spoken }, now());
}

function newerOf(
  a: Countersignature | undefined,
  b: Countersignature | undefined,
): Countersignature | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.seq > a.seq || (b.seq === a.seq && b.at > a.at) ? b : a;
}

async function countersign(
  { follower, threads, ledger, now }: KeeperDeps,
  said: Said,
  word: Countersignature,
): Promise<void> {
  const message = countersignatureMessage(word, follower.view.state.genesisHash);
  const [signature] = await threads.signIdentity([message]);
  said.countersigned = word;
  said.at = now();
  await ledger.append([encodeCountersignature(now(), { ...word, signature: signature! })]);
}

async function acknowledge(
  { party, follower, threads, ledger, now, isCleared }: KeeperDeps,
  said: Said,
): Promise<void> {
  const { state, acknowledged } = follower.view;
  const before = Math.max(said.obeyed, acknowledged.get(party) ?? 0);
  if (said.freeze <= before || said.freeze > state.seq || !isCleared(said.freeze)) return;
  const word = { party, seq: state.seq, hash: Buffer.from(state.headHash, 'hex') };
  const message = acknowledgementMessage(word, state.genesisHash);
  const [signature] = await threads.signIdentity([message]);
  await ledger.append([encodeAcknowledgement(now(), { ...word, signature: signature! })]);
  said.obeyed = word.seq;
}
