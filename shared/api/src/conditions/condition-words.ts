/** How a page for people asks for a condition, and puts it into words. */
import type { VelocityUnit } from '@countersign/core/vocabulary.js';

export type ConditionWords<Stated = unknown> =
  | ListWords
  | BoundWords
  | LimitWords
  | AddressListWords
  | OtherWords<Stated>;

export interface ListWords {
  readonly form: 'list';
  readonly label: string;
  /** The form of its entries, or a list of all. */
  readonly entries: string | KnownEntries;
}

export interface KnownEntries {
  readonly known: readonly string[];
  /** What a rule covers if it states none. */
  readonly none: string;
  readonly meanings?: Readonly<Partial<Record<string, string>>>;
}

/** Stands beside a number. `side`: the asset of the markets or coins that the rule names, if that is certain. */
export type UnitWords = string | { readonly side: 'base' | 'quote'; readonly otherwise: string };

/** A lower and an upper bound. */
export interface BoundWords {
  readonly form: 'bounds';
  readonly label: string;
  readonly unit: UnitWords;
  readonly remark?: string;
}

/** How much in a span of time. */
export interface LimitWords {
  readonly form: 'limit';
  readonly label: string;
  readonly units: Readonly<Record<VelocityUnit, UnitWords>>;
}

/** Lists of the address book, looked up by name. */
export interface AddressListWords {
  readonly form: 'address lists';
  readonly label: string;
}

/** `people`: users and groups are looked up by name. `time`: a part of the week. */
export interface OtherWords<Stated> {
  readonly form: 'people' | 'time';
  readonly label: string;
  /** Undefined if only a page that knows the names can put it into words. */
  say(stated: Stated): string | undefined;
}
