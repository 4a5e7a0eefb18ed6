/**
 * A condition of a signing rule, with everything about it: how a request states it, what it means, how the state keeps it,
 * what of a request it is compared with, what a venue's signature must cover for that, and its words for people. One file
 * of this folder each; `conditions.ts` lists them, and whoever handles rules goes through that list.
 *
 * How a condition is stated and kept is part of what an entry of the ledger means. How it is compared is not: signing asks
 * that anew for every request. Pure, and without catalogues: what a condition cannot know by itself it is given.
 */
import type * as s from '@countersign/core/shapes.js';
import type { SigningOperationName, Weekday } from '@countersign/core/vocabulary.js';
import type { OperationClass } from '@countersign/core/vocabulary.js';
import type { VenueCondition, VenueFacts } from '@countersign/venues/engine/venue.js';
import type { ConditionWords } from './condition-words.js';

export interface Condition<
  Kept = unknown,
  Stated extends s.AnyShape = s.AnyShape,
  Shown extends s.AnyShape = s.AnyShape,
> {
  /** In requests, answers and refusals. */
  readonly name: string;
  /** In the state, whose hash holds it. */
  readonly field: string;
  /** What it means, in a request and in an answer. */
  readonly text: string;
  readonly stated: Stated;
  readonly shown: Shown;
  keep(stated: s.OutputOf<Stated>): Kept;
  show(kept: Kept): s.InputOf<Shown>;
  readonly words: ConditionWords<s.InputOf<Stated>>;
  /** What a rule covers that does not state it. Absent: whatever there is. */
  unstated?(denies: boolean): Kept;
  /** What else of the rule does not go with it: part of the form, so of what an entry means. */
  findFault?(kept: Kept | undefined, rule: ConditionedRule): string | undefined;
  /** As `findFault`, but asked only before an entry is appended: the next release may know better. */
  findSlip?(kept: Kept, rule: ConditionedRule): string | undefined;

  readonly turn: Turn;
  /** The kinds of requests that it can hold of. Absent: all of them, bytes that nobody reads included. */
  readonly reads?: readonly ContentKind[];
  /** Why no request can meet it in this rule. */
  findDeadEnd?(kept: Kept, rule: ConditionedRule): string | undefined;
  /** Why a rule about venue requests cannot state it: where it does not read them. */
  readonly strange?: string;
  /** Asked of a venue request behind the others: what it cannot compare denies, and only a request that the rest is about. */
  readonly isLastAtVenues?: boolean;
  /** What opens a session has it, too; whatever follows then is bound by nothing. */
  readonly isOfSessions?: boolean;
  /** The parts of a venue request that the venue's signature must cover for it to mean anything. */
  parts?(kept: Kept): readonly VenueCondition[];
  /** Whether nobody can tell without prices. */
  needsPrices?(kept: Kept): boolean;
  /** Absent: a limit, which is counted by who signs. */
  test?(wanted: Kept, asked: Asked, rule: ConditionedRule): Tested;
  /** Whether it holds of every request, and can be told, wherever `narrow` does: that of a later rule, if it states one. */
  covers(wide: Kept, narrow: Kept | undefined, rules: ComparedRules): boolean;
  /** The classes of requests out of the account that a rule may allow because it states this. */
  readonly bounds?: readonly OutgoingClass[];
  /** Of those that bound a sum: its maximum. */
  cap?(kept: Kept): string | undefined;
}

/**
 * When a rule asks for it. `standing`: who asks for what, known before a word of the request is read. Behind the others
 * `worth`, which takes prices, and `limit`.
 */
export type Turn = 'standing' | 'moment' | 'content' | 'worth' | 'limit';

export type ContentKind = 'transaction' | 'venue_request';

export type OutgoingClass = Extract<OperationClass, 'withdraw' | 'transfer'>;

/** A rule as far as conditions look at each other. */
export interface ConditionedRule {
  readonly when: KeptConditions;
  readonly then: unknown;
}

/** By field. */
export type KeptConditions = Readonly<Record<string, unknown>>;

/** Two rules of one policy: whether `inner`, which comes later, can ever decide. */
export interface ComparedRules {
  readonly outer: ConditionedRule;
  readonly inner: ConditionedRule;
  /** Both want all of several values, or both want any of them: otherwise neither follows from the other. */
  readonly readAlike: boolean;
  /** Whether the later one speaks of what is in a request. */
  readonly innerReads: boolean;
}

/** What a transaction moves; as chains read it. */
export interface ReadTransaction {
  readonly movements: readonly {
    readonly assets: readonly string[];
    readonly destination: string;
  }[];
  readonly unread?: string | undefined;
}

/** A request for a signature. */
export interface AskedRequest {
  readonly operation: SigningOperationName;
  readonly initiator: { readonly id: string; readonly userGroupIds: readonly string[] };
  /** Absent for raw signing, which has no network. */
  readonly networkId?: string | undefined;
  /** The venue that the key is for. */
  readonly venueId?: string | undefined;
  /** What a venue request comes to; absent for everything else. */
  readonly venue?: VenueFacts | undefined;
  /** What a transaction comes to; absent for everything else. */
  readonly transaction?: ReadTransaction | undefined;
}

/** A request, and what is found out about it where a condition asks. */
export interface Asked {
  readonly request: AskedRequest;
  /** What clocks showed there when the gateway received it; undefined where nobody here knows the zone. */
  localTimeIn(zone: string): LocalTime | undefined;
  /** All that the transaction moves of the one asset that is named. */
  moved(assets: readonly string[] | undefined): Moved;
  /** What it is worth in US dollars. */
  worth(): Worth;
}

export interface LocalTime {
  readonly day: Weekday;
  /** `HH:MM`. */
  readonly time: string;
}

export type Moved =
  | { readonly result: 'moved'; readonly amount: string }
  | { readonly result: 'none' }
  | { readonly result: 'error'; readonly reason: string };

export type Worth =
  | { readonly result: 'valued'; readonly value: string }
  | { readonly result: 'none' }
  | { readonly result: 'unpriced' | 'error'; readonly reason: string };

/** `condition`: by name, where it is another one that decides. */
export type Tested =
  | { readonly result: 'holds' }
  | { readonly result: 'fails'; readonly condition?: string }
  | { readonly result: 'error'; readonly condition?: string; readonly reason: string };

export function heldIf(holds: boolean): Tested {
  return { result: holds ? 'holds' : 'fails' };
}

/** What nobody can tell denies the request: it never falls through to a later, wider rule. */
export function untold(reason: string): Tested {
  return { result: 'error', reason };
}

/** A rule that allows must cover all values of a request, one that denies needs one; of none nothing holds. */
export function heldOf<Value>(
  values: readonly Value[],
  { then }: ConditionedRule,
  isWanted: (value: Value) => boolean,
): Tested {
  return heldIf(
    values.length > 0 && (then === 'deny' ? values.some(isWanted) : values.every(isWanted)),
  );
}

/** What conditions of the rule hold, of another condition. */
export function keptOf<Kept>(
  { field }: { readonly field: string; keep(stated: never): Kept },
  when: KeptConditions,
): Kept | undefined {
  return when[field] as Kept | undefined;
}
