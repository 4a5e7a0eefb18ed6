/**
 * The one voice of a party about the ledger. It countersigns what its fold has pinned, and acknowledges a freeze once
 * nothing can leave the party any more that was decided before it.
 */
import { toHex } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  acknowledgementMessage,
  countersignatureMessage,
  type Acknowledgement,
  type Countersignature,
} from '@countersign/core/party-statements.js';
import { createLatestRun } from '@countersign/runtime/ledger/latest-run.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import {
  encodeAcknowledgement,
  encodeCountersignature,
} from '@countersign/vault/ledger/write-entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import type { LoggedEntry } from '@countersign/vault/ledger/entry-types.js';
import { isFreeze } from '@countersign/vault/ledger/logged-entry.js';
import { nextCountersignature } from '@countersign/vault/ledger/next-countersignature.js';
import type { ThreadPools } from '../threads/thread-pools.js';

/** A statement that has not come back from the ledger by then is lost, and is given again. */
const LOST_AFTER_MS = 2_000;
/** For what has come due by the time alone. */
const LOOK_EVERY_MS = 1_000;
/** While something waits for this party's word. */
const LOOK_AGAIN_MS = 250;
/** Two statements are enough, so the party whose turn it is not waits this long for the other two. */
const LAST_IN_TURN_MS = 25;

export interface PrimaryDeps {
  readonly party: PartyNumber;
  readonly newestRules: number;
  readonly follower: Pick<LedgerFollower, 'view' | 'fault' | 'onOutcomes' | 'pinnedSeq'>;
  readonly ledger: Pick<LedgerStore, 'append'>;
  readonly threads: Pick<ThreadPools, 'signIdentity'>;
  readonly logger: Logger;
  readonly now: () => number;
  /** This process's own monotonic clock, ms. */
  readonly elapsed: () => number;
  /** Sequence number of the newest freeze that two parties had judged by now; 0 for none. */
  readonly newestFreeze: number;
  /** Whether nothing can leave the party any more that was decided before entry `seq` was seen. */
  isCleared(seq: number): boolean;
}

export interface Primary {
  /** Looks at once whether a statement is due. */
  look(): void;
  stop(): Promise<void>;
}

export function openPrimary(deps: PrimaryDeps): Primary {
  const { party, follower, logger } = deps;
  const said = nothingSaid(deps);
  const turns = createLatestRun(() => speak(deps, said));
  let lastTurn: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;

  function look(): void {
    if (follower.fault !== undefined) return;
    if (isWaitedFor(deps, said)) again ??= setTimeout(lookAgain, LOOK_AGAIN_MS);
    turns.run().catch((error: unknown) => {
      logger.warn({ event: 'statement_not_given', reason: String(error) }, 'no statement given');
    });
  }

  function lookAgain(): void {
    again = undefined;
    look();
  }

  follower.onOutcomes((outcomes) => {
    const { view } = follower;
    noteFreezes(said, view, outcomes);
    const { pending } = view;
    const newest = pending.at(-1)?.seq ?? 0;
    if ((newest + party) % PARTY_NUMBERS.length !== 0 || said.freeze > said.acknowledged)
      return look();
    lastTurn ??= setTimeout(() => {
      lastTurn = undefined;
      look();
    }, LAST_IN_TURN_MS);
  });
  const ticks = openTicks(LOOK_EVERY_MS, look);
  look();
  return {
    look,
    async stop() {
      ticks.stop();
      for (const timer of [lastTurn, again]) clearTimeout(timer);
      await turns.settle();
    },
  };
}

function nothingSaid({ newestFreeze, follower }: PrimaryDeps): Said {
  const said: Said = {
    countersigned: undefined,
    saidAt: Number.NEGATIVE_INFINITY,
    acknowledged: 0,
    freeze: newestFreeze,
    obeyedFrom: follower.view.state.seq,
    noted: new Set(),
  };
  noteFreezes(said, follower.view, []);
  return said;
}

function isWaitedFor(deps: PrimaryDeps, said: Said): boolean {
  return deps.follower.view.pending.length > 0 || said.freeze > acknowledgedBy(deps, said);
}

/** What this primary replica has said since it started, whether or not the ledger shows it. */
interface Said {
  countersigned: Countersignature | undefined;
  /** When, ms, by the monotonic clock: a statement is lost after a while, whatever happens to the clock meanwhile. */
  saidAt: number;
  /** The entry up to which it said that the party obeys. */
  acknowledged: number;
  /** The newest freeze that is obeyed. */
  freeze: number;
  /** The head over which obeying it began. */
  obeyedFrom: number;
  /** Freezes that are obeyed and still wait. */
  readonly noted: Set<number>;
}

/** An accepted freeze. */
export function isFreezeInForce({ operation, refusal }: EntryOutcome): boolean {
  return operation?.action === 'freeze' && refusal === undefined;
}

/** A freeze is obeyed from the first head whose state or optimistic state shows it, which need not be its own entry. */
function noteFreezes(said: Said, view: LedgerView, outcomes: readonly EntryOutcome[]): void {
  const note = (seq: number) => {
    if (said.noted.has(seq)) return;
    said.noted.add(seq);
    said.freeze = Math.max(said.freeze, seq);
    said.obeyedFrom = view.state.seq;
  };
  for (const entry of view.pending)
    if (isFreeze(entry) && isInOptimistic(view, entry)) note(entry.seq);
  for (const outcome of outcomes) {
    if (isFreezeInForce(outcome)) note(outcome.seq);
    said.noted.delete(outcome.seq);
  }
}

function isInOptimistic({ optimistic }: LedgerView, { content }: LoggedEntry): boolean {
  return content.kind === 'evidence' && optimistic.nonces.has(toHex(content.evidence.nonce));
}

/**
 * How far an acknowledgement may reach. It says that all up to its entry is obeyed, and a freeze that the optimistic
 * state refuses may yet be judged good. Flooding the ledger with such freezes keeps no statement back.
 */
function endOfObeyed(view: LedgerView): number {
  const refused = view.pending.find((entry) => isFreeze(entry) && !isInOptimistic(view, entry));
  return refused === undefined ? view.state.seq : refused.seq - 1;
}

/** Appends all that is due together: every node reads, pins and wakes for each append. */
async function speak(deps: PrimaryDeps, said: Said): Promise<void> {
  const { follower, threads, ledger, now, elapsed } = deps;
  const { genesisHash, seq } = follower.view.state;
  // it does not speak for what a restart would forget
  if (seq > follower.pinnedSeq) return;
  const countersignature = dueCountersignature(deps, said);
  const acknowledgement = dueAcknowledgement(deps, said);
  const statements: UnsignedStatement[] = [];
  if (countersignature !== undefined)
    statements.push(countersigning(countersignature, genesisHash));
  if (acknowledgement !== undefined) statements.push(acknowledging(acknowledgement, genesisHash));
  if (statements.length === 0) return;
  const signatures = await threads.signIdentity(statements.map(({ message }) => message));
  if (countersignature !== undefined) {
    said.countersigned = countersignature;
    said.saidAt = elapsed();
  }
  await ledger.append(
    statements.map((statement, index) => statement.encode(now(), signatures[index]!)),
  );
  if (acknowledgement !== undefined) said.acknowledged = acknowledgement.seq;
}

interface UnsignedStatement {
  readonly message: Uint8Array;
  /** The body of its entry. `at`: ms. */
  encode(at: number, signature: Uint8Array): Uint8Array;
}

function countersigning(statement: Countersignature, genesisHash: string): UnsignedStatement {
  return {
    message: countersignatureMessage(statement, genesisHash),
    encode: (at, signature) => encodeCountersignature(at, { ...statement, signature }),
  };
}

function acknowledging(statement: Acknowledgement, genesisHash: string): UnsignedStatement {
  return {
    message: acknowledgementMessage(statement, genesisHash),
    encode: (at, signature) => encodeAcknowledgement(at, { ...statement, signature }),
  };
}

function dueCountersignature(
  { party, newestRules, follower, now, elapsed }: PrimaryDeps,
  { countersigned, saidAt }: Said,
): Countersignature | undefined {
  const { view } = follower;
  const seen = view.countersignatures.get(party);
  const isThere = countersigned?.seq === seen?.seq && countersigned?.at === seen?.at;
  const isLost = !isThere && elapsed() - saidAt > LOST_AFTER_MS;
  // compares with what it said last, whatever its time: a clock that was ahead and is right again says an earlier one
  const isOlder = countersigned === undefined || countersigned.seq < (seen?.seq ?? 0);
  const spoken = isLost || isOlder ? seen : countersigned;
  return nextCountersignature(view, { party, newestRules, spoken }, now());
}

/** The last entry that this party has acknowledged, as far as it or the ledger knows. */
function acknowledgedBy(
  { party, follower }: Pick<PrimaryDeps, 'party' | 'follower'>,
  { acknowledged }: Said,
): number {
  return Math.max(acknowledged, follower.view.acknowledged.get(party) ?? 0);
}

function dueAcknowledgement(
  { party, follower, isCleared }: PrimaryDeps,
  said: Said,
): Acknowledgement | undefined {
  const { view } = follower;
  const before = acknowledgedBy({ party, follower }, said);
  const seq = endOfObeyed(view);
  if (said.freeze <= before || said.freeze > seq || !isCleared(said.obeyedFrom)) return undefined;
  return { party, seq, hash: Buffer.from(view.hashAt(seq)!, 'hex') };
}
