/**
 * Shapes: the form that a JSON value must have, and its typed value if it has. They decide what an entry of the ledger
 * means, so every node must read the same value alike for as long as the ledger is kept. They use no package, no
 * locale and no table of Unicode, and no value makes them throw.
 *
 * The first fault decides. Fields are read in the order of their definition; unknown ones are named after them. A
 * check beyond the form (`refine`) runs only if every part of the value is well formed.
 */
import type {
  Check,
  Description,
  Fault,
  Flat,
  Issue,
  Literal,
  Plain,
  Read,
} from './shape-types.js';

export type * from './shape-types.js';

/** How a shape was made: from which others, by which call. Descriptions in another language repeat it. */
export interface Making {
  readonly from?: AnyShape;
  readonly call: string;
  readonly args: readonly unknown[];
}

/** A shape of any value. */
export type AnyShape = Shape<unknown, unknown, boolean>;

export type InputOf<S extends AnyShape> = S['types']['input'];

export type OutputOf<S extends AnyShape> = S['types']['output'];

function customIssue(value: unknown, { message, path = [], syntax, ...rest }: Fault): Issue {
  const input = 'input' in rest ? rest.input : value;
  return { code: syntax === true ? 'syntax' : 'other', message, path, input };
}

/** `Opt`: whether a field of this shape may be left out. */
export class Shape<Out, In = Out, Opt extends boolean = false> {
  /** For the compiler alone. */
  declare readonly types: { readonly input: In; readonly output: Out; readonly optional: Opt };
  readonly making: Making;
  readonly #take: (value: unknown) => Read<unknown>;
  readonly #checks: readonly Check[];

  constructor(
    making: Making,
    take: (value: unknown) => Read<unknown>,
    checks: readonly Check[] = [],
  ) {
    this.making = making;
    this.#take = take;
    this.#checks = checks;
  }

  read(value: unknown): Read<Out> {
    const read = this.#take(value);
    if ('issues' in read) return read;
    for (const check of this.#checks) {
      const issue = check(read.value);
      if (issue !== undefined) return { issues: [issue] };
    }
    return read as Read<Out>;
  }

  /** For our own values: throws if they do not fit. */
  parse(value: unknown): Out {
    const read = this.read(value);
    if ('value' in read) return read.value;
    const { path, code } = read.issues[0]!;
    throw new TypeError(`unexpected value at "${path.join('.')}": ${code}`);
  }

  /** The same shape with one more check. */
  protected and(making: Making, check?: Check): this {
    const checks = check === undefined ? this.#checks : [...this.#checks, check];
    return new (this.constructor as new (...of: unknown[]) => this)(making, this.#take, checks);
  }

  protected made(call: string, ...args: unknown[]): Making {
    return { from: this as AnyShape, call, args };
  }

  describe(text: string): this {
    return this.and(this.made('describe', text));
  }

  meta(description: Description): this {
    return this.and(this.made('meta', description));
  }

  refine(holds: (value: Out) => boolean, fault: string | Fault): this {
    const named = typeof fault === 'string' ? { message: fault } : fault;
    return this.check((value) => (holds(value) ? undefined : named));
  }

  /** Adds a check that itself names the fault. */
  check(find: (value: Out) => Fault | undefined): this {
    return this.and(this.made('refine'), (value) => {
      const fault = find(value as Out);
      return fault === undefined ? undefined : customIssue(value, fault);
    });
  }

  transform<Next>(change: (value: Out) => Next): Shape<Next, In> {
    return this.convert((value) => ({ value: change(value) }));
  }

  /** Converts the value, or names its fault. */
  convert<Next>(change: (value: Out) => { readonly value: Next } | Fault): Shape<Next, In> {
    return new Shape(this.made('transform'), (value) => {
      const read = this.read(value);
      if ('issues' in read) return read;
      const changed = change(read.value);
      return 'value' in changed ? changed : { issues: [customIssue(read.value, changed)] };
    });
  }

  pipe<Next>(next: Shape<Next, Out, boolean>): Shape<Next, In> {
    return new Shape(this.made('pipe', next), (value) => {
      const read = this.read(value);
      return 'issues' in read ? read : next.read(read.value);
    });
  }

  optional(): Shape<Out | undefined, In | undefined, true> {
    return new Shape(this.made('optional'), (value) =>
      value === undefined ? { value } : this.read(value),
    );
  }

  nullable(): Shape<Out | null, In | null> {
    return new Shape(this.made('nullable'), (value) =>
      value === null ? { value } : this.read(value),
    );
  }
}

const only = (issue: Issue): Read<never> => ({ issues: [issue] });
const REQUIRED = 'is required';
const wrongType = (expected: string, input: unknown): Read<never> =>
  input === undefined
    ? only({ code: 'other', message: REQUIRED, path: [] })
    : only({ code: 'type', message: `must be of type ${expected}`, path: [], input });
const wrongWord = (values: readonly unknown[], input: unknown): Issue => {
  const message =
    input === undefined ? REQUIRED : `must be one of ${values.map(String).join(', ')}`;
  return { code: 'word', message, path: [], input };
};

const below = (step: string | number, issue: Issue): Issue => ({
  ...issue,
  path: [step, ...issue.path],
});

/** A value with a size: a text's characters, a list's items, or a number itself. */
export class SizedShape<Out, In = Out> extends Shape<Out, In> {
  min(minimum: number): this {
    return this.#bounded('min', minimum, 'at least', (size) => size >= minimum);
  }

  max(maximum: number): this {
    return this.#bounded('max', maximum, 'at most', (size) => size <= maximum);
  }

  length(size: number): this {
    const bounded = this.min(size).max(size);
    return bounded.and(bounded.made('length', size));
  }

  #bounded(call: string, bound: number, words: string, holds: (size: number) => boolean): this {
    return this.and(this.made(call, bound), (input) => {
      const [size, unit] = sizeOf(input);
      const message = `must be ${words} ${bound}${unit}`;
      return holds(size) ? undefined : customIssue(input, { message });
    });
  }
}

function sizeOf(value: unknown): [size: number, unit: string] {
  if (typeof value === 'number') return [value, ''];
  if (typeof value === 'string') return [value.length, ' characters long'];
  return [(value as unknown[]).length, ' items long'];
}

const fits = (pattern: RegExp, message: string) => (input: unknown) =>
  pattern.test(input as string)
    ? undefined
    : ({ code: 'format', message, path: [], input } as const);

export class TextShape extends SizedShape<string> {
  /** `pattern` must have no `\p{...}` and no flag `i`, whose meaning depends on a table of Unicode. */
  regex(pattern: RegExp, message = 'has another form'): this {
    return this.and(this.made('regex', pattern), fits(pattern, message));
  }
}

/** Takes values of a type as they are. */
const taking = (type: string, isOne: (value: unknown) => boolean) => (value: unknown) =>
  isOne(value) ? { value } : wrongType(type, value);
const takeText = taking('string', (value) => typeof value === 'string');
const takeNumber = taking('number', Number.isFinite);
const takeBoolean = taking('boolean', (value) => typeof value === 'boolean');

export const string = (): TextShape => new TextShape({ call: 'string', args: [] }, takeText);

/** A text that descriptions show by a name. */
function format(call: string, pattern: RegExp, message: string, args: unknown[] = []): TextShape {
  return new TextShape({ call, args }, takeText, [fits(pattern, message)]);
}

const EMAIL =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
export const email = (): TextShape => format('email', EMAIL, 'must be an e-mail address');

const DAY =
  '(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29' +
  '|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))';
const MOMENT = new RegExp(
  `^${DAY}T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$`,
);
/** RFC 3339 with an offset. */
export const moment = (): TextShape =>
  format('iso.datetime', MOMENT, 'must be a time as in RFC 3339, with an offset', [
    { offset: true },
  ]);

export const number = (): SizedShape<number> =>
  new SizedShape({ call: 'number', args: [] }, takeNumber);

export const int = (): SizedShape<number> =>
  new SizedShape({ call: 'int', args: [] }, (value) =>
    Number.isFinite(value) && !Number.isSafeInteger(value)
      ? wrongType('int', value)
      : takeNumber(value),
  );

export const boolean = (): Shape<boolean> => new Shape({ call: 'boolean', args: [] }, takeBoolean);

export const unknown = (): Shape<unknown> =>
  new Shape({ call: 'unknown', args: [] }, (value) => ({ value }));

function oneOf<const Value extends Literal>(
  call: string,
  arg: unknown,
  values: readonly Value[],
): Shape<Value> {
  return new Shape({ call, args: [arg] }, (value) =>
    values.includes(value as Value) ? { value } : only(wrongWord(values, value)),
  );
}

export const literal = <const Value extends Literal>(
  value: Value | readonly Value[],
): Shape<Value> =>
  oneOf('literal', value, Array.isArray(value) ? (value as readonly Value[]) : [value as Value]);

export const words = <const Word extends string>(list: readonly Word[]): Shape<Word> =>
  oneOf('enum', list, list);

export function array<Item extends AnyShape>(
  item: Item,
): SizedShape<OutputOf<Item>[], InputOf<Item>[]> {
  return new SizedShape({ call: 'array', args: [item] }, (value) => {
    if (!Array.isArray(value)) return wrongType('array', value);
    const items: unknown[] = [];
    for (let index = 0; index < value.length; index++) {
      const read = item.read(value[index]);
      if ('issues' in read) return { issues: read.issues.map((issue) => below(index, issue)) };
      items.push(read.value);
    }
    return { value: items };
  });
}

export type Fields = Readonly<Record<string, AnyShape>>;

type OptionalNames<F extends Fields> = {
  [Name in keyof F]: F[Name]['types']['optional'] extends true ? Name : never;
}[keyof F];
type Each<F extends Fields, Side extends 'input' | 'output'> = Flat<
  { -readonly [Name in Exclude<keyof F, OptionalNames<F>>]: F[Name]['types'][Side] } & {
    -readonly [Name in OptionalNames<F>]?: F[Name]['types'][Side];
  }
>;

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with these fields and no other. */
export class ObjectShape<F extends Fields> extends Shape<Each<F, 'output'>, Each<F, 'input'>> {
  get fields(): F {
    return this.making.from === undefined
      ? (this.making.args[0] as F)
      : (this.making.from as ObjectShape<F>).fields;
  }

  /** Drops the checks of this shape. */
  extend<More extends Fields>(more: More): ObjectShape<Flat<Omit<F, keyof More> & More>> {
    type All = Flat<Omit<F, keyof More> & More>;
    return strictObject({ ...this.fields, ...more } as unknown as All);
  }
}

export const strictObject = <F extends Fields>(fields: F): ObjectShape<F> =>
  new ObjectShape<F>({ call: 'strictObject', args: [fields] }, takeObject(fields, true));

/** An object with these fields; others are left out of its value. */
export const object = <F extends Fields>(fields: F): ObjectShape<F> =>
  new ObjectShape<F>({ call: 'object', args: [fields] }, takeObject(fields, false));

function takeObject(fields: Fields, isStrict: boolean): (value: unknown) => Read<unknown> {
  const entries = Object.entries(fields);
  return (value) => {
    if (!isObject(value)) return wrongType('object', value);
    const { result, issues } = takeFields(entries, value);
    const keys = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
    if (isStrict && keys.length > 0) {
      issues.push({ code: 'keys', message: 'has unknown fields', keys, path: [] });
    }
    return issues.length > 0 ? { issues } : { value: result };
  };
}

function takeFields(
  entries: readonly (readonly [string, AnyShape])[],
  value: Plain,
): { result: Record<string, unknown>; issues: Issue[] } {
  const result: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const [name, shape] of entries) {
    const isThere = Object.hasOwn(value, name);
    const read = shape.read(isThere ? value[name] : undefined);
    if ('issues' in read) issues.push(...read.issues.map((issue) => below(name, issue)));
    else if (isThere || read.value !== undefined) result[name] = read.value;
  }
  return { result, issues };
}

/** An object that may have any fields. */
export const looseObject = (): Shape<Record<string, unknown>> =>
  new Shape({ call: 'looseObject', args: [{}] }, taking('object', isObject));

/** An object whose field names the caller makes up. */
export function record<Value extends AnyShape>(
  name: Shape<string>,
  of: Value,
): Shape<Record<string, OutputOf<Value>>, Record<string, InputOf<Value>>> {
  return new Shape({ call: 'record', args: [name, of] }, (value) =>
    isObject(value) ? takeEntries(name, of, value) : wrongType('object', value),
  );
}

function takeEntries(name: Shape<string>, of: AnyShape, value: Plain): Read<unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) {
    // setting it would set the prototype
    if (key === '__proto__' || 'issues' in name.read(key)) {
      return only({ code: 'other', message: 'is not an allowed name', path: [key] });
    }
    const read = of.read(each);
    if ('issues' in read) return { issues: read.issues.map((issue) => below(key, issue)) };
    result[key] = read.value;
  }
  return { value: result };
}

/** The first of several forms that fits. */
export function union<const Forms extends readonly AnyShape[]>(
  forms: Forms,
): Shape<OutputOf<Forms[number]>, InputOf<Forms[number]>> {
  return new Shape({ call: 'union', args: [forms] }, (value) => {
    const faults: Issue[] = [];
    for (const form of forms) {
      const read = form.read(value);
      if (!('issues' in read)) return read;
      faults.push(read.issues[0]!);
    }
    return only(unionIssue(value, faults));
  });
}

/** If the value has one of the forms except for a detail, that detail. `faults`: the first of each form. */
function unionIssue(value: unknown, faults: readonly Issue[]): Issue {
  const code = isFormless(value) ? 'type' : 'other';
  const [detail, ...more] = faults.filter((fault) => !isOtherForm(fault));
  if (detail !== undefined && more.length === 0) return { ...detail, code };
  const forms = new Set(faults.map(({ message }) => message));
  return { code, message: [...forms].join(' or '), path: [], input: value };
}

/** Unions have forms of texts and objects. */
function isFormless(value: unknown): boolean {
  return value !== undefined && typeof value !== 'string' && typeof value !== 'object';
}

/** Whether the value as a whole has another form. */
function isOtherForm({ path, code, message }: Issue): boolean {
  return path.length === 0 && (code === 'type' || code === 'word' || message === REQUIRED);
}

/** Objects of several forms; the word in the field `name` says which form. */
export function discriminatedUnion<const Forms extends readonly ObjectShape<Fields>[]>(
  name: string,
  forms: Forms,
): Shape<OutputOf<Forms[number]>, InputOf<Forms[number]>> {
  const byWord = new Map(forms.map((form) => [wordOf(form.fields[name]!), form]));
  const options = [...byWord.keys()];
  return new Shape({ call: 'discriminatedUnion', args: [name, forms] }, (value) => {
    if (!isObject(value)) return wrongType('object', value);
    const word = Object.hasOwn(value, name) ? value[name] : undefined;
    const form = byWord.get(word);
    if (form !== undefined) return form.read(value);
    const issue = wrongWord(options, word);
    return only({ ...issue, code: isFormless(word) ? 'type' : 'other', path: [name] });
  });
}

/** The one value of a literal, however it is described. */
function wordOf({ making }: AnyShape): unknown {
  return making.from === undefined ? making.args[0] : wordOf(making.from);
}
