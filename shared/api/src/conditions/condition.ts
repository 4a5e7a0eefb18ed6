/**
 * A condition of a signing rule: how requests state it, what it means, how the state keeps it, and what it compares. It
 * also has what a venue's signature must cover for that, and its words for people.
 *
 * How a condition is stated and kept is part of what an entry of the ledger means: `condition-forms.ts` has that for all
 * of them. How it is compared is not: signing compares anew for every request. Each condition has one file of this
 * folder for it; `conditions.ts` lists them. Pure, and without catalogues: callers supply what a condition cannot know by
 * itself.
 */
import type * as s from '@countersign/core/shapes.js';
import type { SigningOperationName, Weekday } from '@countersign/core/vocabulary.js';
import type { OperationClass } from '@countersign/core/vocabulary.js';
import type { VenueCondition, VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import type { ConditionWords } from './condition-words.js';

/** What an entry of the ledger rests on: `condition-forms.ts` has those of all conditions. */
export interface ConditionForm<Kept = unknown, Stated extends s.AnyShape = s.AnyShape> {
  /** Used in requests, answers and refusals. */
  readonly name: string;
  /** Used in the state, whose hash covers it. */
  readonly field: string;
  readonly stated: Stated;
  keep(stated: s.OutputOf<Stated>): Kept;
  /** What a rule without it covers. Absent: everything. */
  unstated?(denies: boolean): Kept;
  /** Why the rest of the rule does not fit it: part of the form, so of what an entry means. */
  findFault?(kept: Kept | undefined, rule: ConditionedRule): string | undefined;
  /** Whether it holds, if that follows from who asks for what. */
  isOf?(wanted: Kept, request: AskedRequest): boolean;
  /** Whether it cannot be decided without prices. */
  needsPrices?(kept: Kept): boolean;
}

export interface Condition<
  Kept = unknown,
  Stated extends s.AnyShape = s.AnyShape,
  Shown extends s.AnyShape = s.AnyShape,
> extends ConditionForm<Kept, Stated> {
  /** Its meaning, in a request and in an answer. */
  readonly text: string;
  /** The texts of the fields that a request states. */
  readonly fieldTexts?: Readonly<Record<string, string>>;
  readonly shown: Shown;
  show(kept: Kept): s.InputOf<Shown>;
  readonly words: ConditionWords<s.InputOf<Stated>>;
  /** As `findFault`, but asked only before an entry is appended: the next release may know better. */
  findSlip?(kept: Kept, rule: ConditionedRule): string | undefined;

  readonly turn: Turn;
  /** The kinds of requests that it can hold for. Absent: all of them, bytes that nobody reads included. */
  readonly reads?: readonly ContentKind[];
  /** Why no request can meet it in this rule. */
  findDeadEnd?(kept: Kept, rule: ConditionedRule): string | undefined;
  /** Why a rule about venue requests cannot state it, if it does not read them. */
  readonly strange?: string;
  /**
   * Asked last for a venue request: what it cannot compare denies, but only requests that the rest of the rule
   * matches.
   */
  readonly isLastAtVenues?: boolean;
  /** Requests that open a session have it too; nothing binds what follows then. */
  readonly isOfSessions?: boolean;
  /** The parts of a venue request that the venue's signature must cover for it to mean anything. */
  parts?(kept: Kept): readonly VenueCondition[];
  /** Absent for a limit, which whoever signs counts. */
  test?(wanted: Kept, asked: Asked, rule: ConditionedRule): Tested;
  /** Whether it holds, and can be told, for every request that `narrow` holds for (a later rule's, if stated). */
  covers(wide: Kept, narrow: Kept | undefined, rules: ComparedRules): boolean;
  /** The classes of outgoing requests that a rule may allow because it states this. */
  readonly bounds?: readonly OutgoingClass[];
  /** The maximum, if it bounds a sum. */
  cap?(kept: Kept): string | undefined;
}

/**
 * When a rule tests it. `standing`: by who asks for what, before the request is read. `worth`, which takes prices, and
 * `limit` come last.
 */
export type Turn = 'standing' | 'moment' | 'content' | 'worth' | 'limit';

export type ContentKind = 'transaction' | 'venue_request';

export type OutgoingClass = Extract<OperationClass, 'withdraw' | 'transfer'>;

/** The part of a rule that conditions look at. */
export interface ConditionedRule {
  readonly when: KeptConditions;
  readonly then: unknown;
}

/** Keyed by field. */
export type KeptConditions = Readonly<Record<string, unknown>>;

/** Two rules of one policy, to see whether `inner`, the later one, can ever decide. */
export interface ComparedRules {
  readonly outer: ConditionedRule;
  readonly inner: ConditionedRule;
  /** Whether both want all of several values, or both want any of them: otherwise neither follows from the other. */
  readonly readAlike: boolean;
  /** Whether the later one looks at the content of a request. */
  readonly innerReads: boolean;
}

/** The movements of a transaction, as chains read it. */
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
  /** Absent unless it is a venue request. */
  readonly venue?: VenueFacts | undefined;
  /** Absent unless it is a transaction. */
  readonly transaction?: ReadTransaction | undefined;
}

/** A request, with findings that are made when a condition asks. */
export interface Asked {
  readonly request: AskedRequest;
  /** Local time there when the gateway received it; undefined if the zone is not known here. */
  localTimeIn(zone: string): LocalTime | undefined;
  /** Sum of all movements of the one asset that is named. */
  moved(assets: readonly string[] | undefined): Moved;
  /** Its worth in US dollars. */
  worth(): Worth;
  /** The entries of an address list, in the state that decides; undefined if there is no such list. */
  addressesIn(listId: string): ReadonlySet<string> | undefined;
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

/** `condition` names another condition, if that one decides. */
export type Tested =
  | { readonly result: 'holds' }
  | { readonly result: 'fails'; readonly condition?: string }
  | { readonly result: 'error'; readonly condition?: string; readonly reason: string };
