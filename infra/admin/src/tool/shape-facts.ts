/** What the contract's shapes say of a field, for options and for help. */
import type { AnyShape, Fields } from '@countersign/core/shapes.js';

/** Undefined where it is no object with fixed fields. */
export function fieldsOf(shape: AnyShape): Fields | undefined {
  const { call, args } = origin(shape);
  return call === 'strictObject' ? (args[0] as Fields) : undefined;
}

/** Empty where it has no text. */
export function textOf({ making: { from, call, args } }: AnyShape): string {
  if (call === 'describe') return args[0] as string;
  const described = call === 'meta' ? (args[0] as { description?: string }).description : undefined;
  return described ?? (from === undefined ? '' : textOf(from));
}

export function isRequired(shape: AnyShape): boolean {
  return 'issues' in shape.read(undefined);
}

/** No word on a command line says null. */
export function takesNull(shape: AnyShape): boolean {
  return 'value' in shape.read(null);
}

/** A value that one word can be: `list`, several of them with commas. */
export type Scalar =
  | { readonly kind: 'text' | 'number' | 'switch' | 'list' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

const KINDS: Readonly<Record<string, Exclude<Scalar['kind'], 'words' | 'list'>>> = {
  string: 'text',
  email: 'text',
  'iso.datetime': 'text',
  int: 'number',
  number: 'number',
  boolean: 'switch',
};

/** Undefined for objects, and for what has several forms. */
export function scalarOf(shape: AnyShape): Scalar | undefined {
  const { call, args } = origin(shape);
  const listed = listedWords(shape);
  if (listed !== undefined) return { kind: 'words', words: listed };
  const [first] = args;
  if (call === 'enum') return { kind: 'words', words: first as readonly string[] };
  if (call === 'array') {
    return isPlain(scalarOf(first as AnyShape)) ? { kind: 'list' } : undefined;
  }
  if (call === 'literal') {
    const type = typeof [first].flat()[0];
    return { kind: type === 'boolean' ? 'switch' : type === 'number' ? 'number' : 'text' };
  }
  const kind = KINDS[call];
  return kind === undefined ? undefined : { kind };
}

function isPlain(scalar: Scalar | undefined): boolean {
  return scalar !== undefined && scalar.kind !== 'list';
}

/** Of a query's word, whose shape is a text with a check. */
function listedWords({ making: { from, call, args } }: AnyShape): readonly string[] | undefined {
  const listed = call === 'meta' ? (args[0] as { enum?: readonly string[] }).enum : undefined;
  return listed ?? (from === undefined ? undefined : listedWords(from));
}

/** As JSON has it. */
export function scalarValue(shape: AnyShape, typed: string): unknown {
  const { call, args } = origin(shape);
  if (call === 'array') {
    return typed.split(',').map((one) => scalarValue(args[0] as AnyShape, one));
  }
  return scalarOf(shape)?.kind === 'number' ? Number(typed) : typed;
}

function origin({ making }: AnyShape): AnyShape['making'] {
  return making.from === undefined ? making : origin(making.from);
}
