/** How a page for people asks for a condition, and puts it into words. */
export type ConditionWords<Stated = unknown> = ListWords | BoundWords | OtherWords<Stated>;

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

/** A lower and an upper bound. */
export interface BoundWords {
  readonly form: 'bounds';
  readonly label: string;
  /** The unit beside the number; `side`: the asset of the markets or coins that the rule names, if that is certain. */
  readonly unit: string | { readonly side: 'base' | 'quote'; readonly otherwise: string };
  readonly remark?: string;
}

/** `people`: users and groups are looked up by name. `json`: there are no form fields for it. */
export interface OtherWords<Stated> {
  readonly form: 'people' | 'json';
  readonly label: string;
  /** Undefined if only a page that knows the names can put it into words. */
  say(stated: Stated): string | undefined;
}
