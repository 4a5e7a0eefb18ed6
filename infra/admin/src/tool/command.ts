/** A command of `countersign` as data: parsing, help, completion and the reference page are made from it. */
export interface Argument {
  /** In upper case, e.g. `FILE`. */
  readonly name: string;
  readonly about: string;
  readonly isOptional?: true;
  /** One or more. */
  readonly isList?: true;
  /** The only values it may have. */
  readonly words?: readonly string[];
}

export interface Option {
  /** Without the dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** What stands behind it, e.g. `FILE`; absent for a switch. */
  readonly value?: string;
  readonly about: string;
  readonly isRequired?: true;
  /** It may be repeated. */
  readonly isList?: true;
  readonly words?: readonly string[];
}

/** What was typed, by the name of an argument or option. */
export interface Given {
  /** Of what the table requires. */
  one(name: string): string;
  maybe(name: string): string | undefined;
  all(name: string): readonly string[];
  is(name: string): boolean;
}

/** The process around a command. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readStandardInput(): Buffer;
  /** The result. */
  writeOutput(text: string | Uint8Array): void;
  /** For people. */
  writeNote(text: string): void;
  /** For people who watch: replaced by the next one, and by nothing. Nothing where nobody watches. */
  showProgress(text: string): void;
  /** Whether somebody says yes; undefined where nobody is there to ask. */
  confirm(question: string): Promise<boolean | undefined>;
}

export interface Outcome {
  /** Printed as JSON. */
  readonly value?: unknown;
  /** For people, instead of JSON. */
  readonly text?: string;
  /** 0 when absent. 1: refused, failed, or something does not hold. */
  readonly code?: 0 | 1;
}

export interface Command {
  /** Noun and verb, e.g. `policies apply`. */
  readonly words: string;
  /** One line. */
  readonly about: string;
  /** Shown by its `--help`. */
  readonly details?: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** What to type, without the program's name. */
  readonly examples: readonly string[];
  /** Undefined: all is said, and good. */
  readonly run: (given: Given, io: Surroundings) => Promise<Outcome | void>;
}

/** Commands under one heading of the help and of the page. */
export interface Topic {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** What was typed or given is wrong, so that nothing was done: exit code 2. `message` names no secret. */
export class UsageError extends Error {}

/** The service, or what was looked at, says no: exit code 1. */
export class RefusedError extends Error {}

export const JSON_OPTION: Option = { name: 'json', about: 'Print JSON, for programs.' };

/** All options of a command. */
export function optionsOf({ options = [] }: Command): readonly Option[] {
  return [...options, JSON_OPTION];
}

/** e.g. `--file FILE`. */
export function flagOf({ name, value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}
