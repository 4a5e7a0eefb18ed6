/** Types of what shapes read, and of faults. */
export type Path = readonly (string | number)[];

export interface Issue {
  /** Starts at the value that was read. */
  readonly path: Path;
  /** Public: it repeats nothing of the value. */
  readonly message: string;
  /** `type` and `syntax`: 400 instead of 422; in a query, `word` (one of a list) and `format` of a text as well. */
  readonly code: 'type' | 'syntax' | 'word' | 'format' | 'keys' | 'other';
  readonly input?: unknown;
  /** Fields that are unknown. */
  readonly keys?: readonly string[];
}

export type Read<Out> = { readonly value: Out } | { readonly issues: readonly Issue[] };

/** A fault that a shape's own check names. */
export interface Fault {
  readonly message: string;
  /** Starts at the value that is checked. */
  readonly path?: Path;
  /** The wrong part of a query, for the error text. */
  readonly input?: unknown;
  /** The text has an entirely different form: 400 instead of 422. */
  readonly syntax?: true;
}

export type Check = (value: unknown) => Issue | undefined;

export interface Description {
  readonly id?: string;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

export type Literal = string | number | boolean;

export type Flat<T> = { [Name in keyof T]: T[Name] };

export type Plain = Readonly<Record<string, unknown>>;
