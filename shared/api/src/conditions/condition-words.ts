/** How a page for people asks for a condition, and says it. */
export type ConditionWords<Stated = unknown> = ListWords | BoundWords | OtherWords<Stated>;

export interface ListWords {
  readonly form: 'list';
  readonly label: string;
  /** What its entries look like, or all there are. */
  readonly entries: string | KnownEntries;
}

export interface KnownEntries {
  readonly known: readonly string[];
  /** What a rule is about that states none. */
  readonly none: string;
  readonly meanings?: Readonly<Partial<Record<string, string>>>;
}

/** An amount of at least and at most. */
export interface BoundWords {
  readonly form: 'bounds';
  readonly label: string;
  /** What stands beside the number; `side`: the asset of the markets or coins that the rule names, where that is certain. */
  readonly unit: string | { readonly side: 'base' | 'quote'; readonly otherwise: string };
  readonly remark?: string;
}

/** `people`: users and groups are looked up by name. `json`: it has no fields of its own. */
export interface OtherWords<Stated> {
  readonly form: 'people' | 'json';
  readonly label: string;
  /** Undefined where only a page that knows the names can say it. */
  say(stated: Stated): string | undefined;
}
