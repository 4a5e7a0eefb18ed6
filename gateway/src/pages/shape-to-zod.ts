/**
 * Turns a shape into a zod schema for its description only: no input is parsed by it. A shape records the calls that
 * made it, and zod gets the same calls, so that it describes names, bounds and texts.
 */
import { Shape, type AnyShape } from '@countersign/core/shapes.js';
import { z } from 'zod';

const made = new WeakMap<AnyShape, z.ZodType>();

export function toZod(shape: AnyShape): z.ZodType {
  const before = made.get(shape);
  if (before !== undefined) return before;
  const { from, call, args } = shape.making;
  const schema = from === undefined ? begin(call, args) : goOn(toZod(from), call, args);
  made.set(shape, schema);
  return schema;
}

type Calls = Readonly<Record<string, (...args: unknown[]) => z.ZodType>>;

function begin(call: string, args: readonly unknown[]): z.ZodType {
  if (call === 'iso.datetime') return z.iso.datetime({ offset: true });
  return (z as unknown as Calls)[call]!(...args.map(convert));
}

/** Stands for any check or transformation: only its presence is described. */
const ANYTHING = { refine: () => true, transform: (value: unknown) => value } as const;

function goOn(schema: z.ZodType, call: string, args: readonly unknown[]): z.ZodType {
  const given = call === 'refine' || call === 'transform' ? [ANYTHING[call]] : args.map(convert);
  return (schema as unknown as Calls)[call]!(...given);
}

function convert(arg: unknown): unknown {
  if (arg instanceof Shape) return toZod(arg as AnyShape);
  if (arg instanceof RegExp || typeof arg !== 'object' || arg === null) return arg;
  if (Array.isArray(arg)) return arg.map(convert);
  return Object.fromEntries(Object.entries(arg).map(([name, value]) => [name, convert(value)]));
}
